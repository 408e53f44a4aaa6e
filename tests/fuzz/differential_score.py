"""How the reader did with many texts: they are split over all processors, and make one table."""

import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import monotonic

from tests.fuzz.differential import Comparison, Outcome, compare
from tests.fuzz.real_bash import BATCH, RealBash
from tests.fuzz.spell_commands import PLAIN, GeneratedText, generated


class DifferentialScore:
    """How often the reader saw the same, by construct."""

    def __init__(self) -> None:
        self.by_construct: dict[str, Counter[Outcome]] = defaultdict(Counter)
        self.plain: Counter[Outcome] = Counter()
        self.different: list[str] = []
        self.by_disk = 0
        """Texts for which only the disk tells what bash does."""
        self.texts = 0

    def add(self, number: int, text: GeneratedText, found: Comparison) -> None:
        """Count one text."""
        self.texts += 1
        for construct in text.constructs:
            self.by_construct[construct][found.outcome] += 1
        if PLAIN.issuperset(text.constructs):
            self.plain[found.outcome] += 1
        self.by_disk += found.outcome is Outcome.DISK
        if found.outcome is Outcome.DIFFERENT:
            self.different.append(f"  {number}: {text.text!r}; bash: {found.missing}")

    def join(self, other: "DifferentialScore") -> None:
        """Count what another one has counted."""
        self.texts += other.texts
        self.by_disk += other.by_disk
        self.plain += other.plain
        self.different += other.different
        for construct, outcomes in other.by_construct.items():
            self.by_construct[construct] += outcomes

    def unknown_plain(self) -> float:
        """The share of plain spellings of which the reader does not know what they become."""
        return self.plain[Outcome.UNKNOWN] / max(1, sum(self.plain.values()))

    def summary(self) -> str:
        """How many texts there were, and how many of them the reader missed."""
        return (
            f"{self.texts:,} texts; the reader missed {len(self.different)}; "
            f"only the disk tells of {self.by_disk}; "
            f"{self.unknown_plain():.1%} of the plain spellings are unknown"
        )

    def table(self) -> Iterator[str]:
        """One line for each construct, the worst ones first."""
        yield self.summary()
        rows = [(c[Outcome.DIFFERENT], c[Outcome.UNKNOWN], sum(c.values()), name)
                for name, c in self.by_construct.items()]  # fmt: skip
        for different, unknown, texts, name in sorted(rows, reverse=True):
            share = unknown / texts
            yield f"  {name:22}{texts:7} texts  {different:4} different  {share:6.1%} unknown"


def batch_scores(
    folder: Path, numbers: range, seconds: float = float("inf")
) -> Iterator[DifferentialScore]:
    """Compare the texts of these numbers, and yield a score for each batch, in their order.

    When the time is over, the scores of the other batches stay empty.
    """
    batches = [numbers[at : at + BATCH] for at in range(0, len(numbers), BATCH)]
    score = partial(_batch_score, folder, monotonic() + seconds)
    if len(batches) <= 2:
        yield from map(score, batches)
        return
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        yield from pool.map(score, batches)


def _batch_score(folder: Path, end: float, numbers: range) -> DifferentialScore:
    score = DifferentialScore()
    if monotonic() > end:
        return score
    texts = [generated(number) for number in numbers]
    own = folder / str(os.getpid())
    own.mkdir(exist_ok=True)
    runs = RealBash(own).run([text.text for text in texts])
    for number, text, run in zip(numbers, texts, runs, strict=True):
        score.add(number, text, compare(text.text, run))
    return score
