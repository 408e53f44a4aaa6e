"""The reader sees what bash does, or says "unknown": known commands in many spellings.

`make fuzz` tries up to 100,000 for FUZZ_SECONDS and prints the score by construct; without it a
fixed sample runs. A text is its number: `generated(4711)` gives it again.
"""

import os
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from time import monotonic

import pytest
from tests.fuzz import bash_jail
from tests.fuzz.differential import Comparison, Outcome, compare
from tests.fuzz.real_bash import BATCH, BashRun, RealBash
from tests.fuzz.spell_commands import PLAIN, GeneratedText, generated

from handrail.shell import read, syntax
from handrail.shell.parser_traps import is_misread

pytestmark = pytest.mark.skipif(
    shutil.which("bash") is None or not bash_jail.is_available(),
    reason="needs bash, and Landlock to keep it in its folder",
)

FUZZES = "FUZZ_SECONDS" in os.environ
TEXTS = 100_000 if FUZZES else 2 * BATCH
SECONDS = float(os.environ.get("FUZZ_SECONDS", "60")) / 2
FIRST = int(os.environ.get("FUZZ_SEED", "0"))
MOST_COMPARED = 20_000
"""Texts that both grammars read."""
MOST_UNKNOWN = 0.05
"""The share of plain spellings of which the reader may not know what they become."""


class DifferentialScore:
    """How often the reader saw the same, by construct."""

    def __init__(self) -> None:
        self.by_construct: dict[str, Counter[Outcome]] = defaultdict(Counter)
        self.plain: Counter[Outcome] = Counter()
        self.different: list[str] = []
        self.texts = 0

    def add(self, number: int, text: GeneratedText, found: Comparison) -> None:
        """Count one text."""
        self.texts += 1
        for construct in text.constructs:
            self.by_construct[construct][found.outcome] += 1
        if PLAIN.issuperset(text.constructs):
            self.plain[found.outcome] += 1
        if found.outcome is Outcome.DIFFERENT:
            self.different.append(f"  {number}: {text.text!r}; bash: {found.missing}")

    def unknown_plain(self) -> float:
        """The share of plain spellings of which the reader does not know what they become."""
        return self.plain[Outcome.UNKNOWN] / max(1, sum(self.plain.values()))

    def table(self) -> Iterator[str]:
        """One line for each construct, the worst ones first."""
        yield f"{self.texts:,} texts from number {FIRST}; the reader missed {len(self.different)}"
        yield f"  {self.unknown_plain():.1%} of the plain spellings are unknown"
        rows = [(c[Outcome.DIFFERENT], c[Outcome.UNKNOWN], sum(c.values()), name)
                for name, c in self.by_construct.items()]  # fmt: skip
        for different, unknown, texts, name in sorted(rows, reverse=True):
            share = unknown / texts
            yield f"  {name:22}{texts:7} texts  {different:4} different  {share:6.1%} unknown"


def test_the_reader_sees_what_bash_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score = DifferentialScore()
    bash = RealBash(tmp_path)
    end = monotonic() + SECONDS
    for first in range(FIRST, FIRST + TEXTS, BATCH):
        if FUZZES and monotonic() > end:
            break
        numbers = range(first, first + BATCH)
        texts = [generated(number) for number in numbers]
        runs = bash.run([text.text for text in texts])
        for number, text, run in zip(numbers, texts, runs, strict=True):
            score.add(number, text, compare(text.text, run))
    if FUZZES:
        with capsys.disabled():
            print("\n" + "\n".join((*score.table(), *score.different)))  # noqa: T201
    assert not score.different, "\n".join(score.different)
    assert score.unknown_plain() <= MOST_UNKNOWN


def test_both_grammars_read_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the parser reads otherwise than our own grammar stands in `parser_traps`."""
    texts = islice((generated(number).text for number in count(FIRST)), min(TEXTS, MOST_COMPARED))
    end = monotonic() + SECONDS / 4
    different: list[str] = []
    for text in texts:
        if FUZZES and monotonic() > end:
            break
        if is_misread(text.encode()):
            continue
        by_parser = _seen(text)
        with monkeypatch.context() as patch:
            patch.setattr(syntax, "is_misread", lambda data: True)
            if _seen(text) != by_parser:
                different.append(text)
    assert different == []


def _seen(text: str) -> set[tuple[object, ...]]:
    program = read(text, cwd="/work", environ={"HOME": "/home/test"}).program
    assert program.fault is None, text
    return {
        (
            tuple((word.text, word.glob) for word in command.argv),
            tuple((item.operator, item.target.text) for item in command.redirects),
            command.cwd.text,
            command.input,
        )
        for command in program.commands
        if command.argv or command.redirects
    }


OPEN = {
    "cd nowhere; rm a.txt": "Only the disk tells that the folder is not there. To take both "
    "folders for possible would stop every `cd build; rm -rf *`.",
    "{ cd ~/.ssh; } < nowhere; rm a.txt": "Only the disk tells that the file is not there.",
    "for v in *.txt; do rm $v; done": "A name with a blank falls apart. To take each of these "
    "loops for unknown would stop everyday work.",
    "ln -s /etc l; rm $(readlink l)": "The review follows links, because it sees the disk.",
}
"""Differences that stay, with the reason."""


@pytest.mark.parametrize("text", OPEN)
def test_differences_that_stay_are_still_there(in_bash: RealBash, text: str) -> None:
    """One that is gone must leave the list."""
    assert compare(text, _run(in_bash, text)).outcome is Outcome.DIFFERENT


@pytest.fixture
def in_bash(tmp_path: Path) -> RealBash:
    return RealBash(tmp_path)


def _run(bash: RealBash, text: str) -> BashRun:
    (run,) = bash.run([text])
    return run


def test_bash_says_which_programs_it_would_call(in_bash: RealBash) -> None:
    run = _run(in_bash, "x='a b'; rm $x \"$x\"; cat <<< hi | sh -c 'kill 1'")
    assert [call.argv for call in run.calls if call.argv[0] in {"rm", "kill"}] == [
        ("rm", "a", "b", "a b"),
        ("kill", "1"),
    ]
    assert [call.given for call in run.calls if call.argv == ("cat",)] == ["hi\n"]


def test_bash_says_which_files_it_opened(in_bash: RealBash) -> None:
    run = _run(in_bash, "echo x >> ~/.ssh/authorized_keys; git log 2> e.txt")
    assert run.written == (f"{run.home}/.ssh/authorized_keys", f"{run.cwd}/e.txt")
    assert _run(in_bash, ":").written == ()


def test_bash_cannot_leave_its_folder(in_bash: RealBash, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    run = _run(in_bash, f"echo x > {outside}; echo y > inside")
    assert not outside.exists()
    assert run.written == (f"{run.cwd}/inside",)


def test_bash_cannot_end_other_processes(in_bash: RealBash) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        number = other.pid
        run = _run(
            in_bash, f"kill -9 {number}; bash -c 'kill -9 {number}'; enable kill; kill {number}"
        )
        assert other.poll() is None
    assert [call.argv for call in run.calls].count(("kill", "-9", str(number))) == 2
    assert "not permitted" in run.says


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("rm a.txt", Outcome.SAME),
        ("rm *.txt", Outcome.SAME),
        ("rm $UNKNOWN_$RANDOM", Outcome.UNKNOWN),
        ("echo x > b.txt", Outcome.SAME),
    ],
)
def test_the_comparison_tells_same_from_unknown(
    in_bash: RealBash, text: str, outcome: Outcome
) -> None:
    assert compare(text, _run(in_bash, text)).outcome is outcome


def test_the_comparison_finds_what_the_reader_does_not_see(in_bash: RealBash) -> None:
    run = _run(in_bash, "rm a.txt; echo x > b.txt")
    assert compare("rm b.txt; echo x > b.txt", run).outcome is Outcome.DIFFERENT
    assert compare("rm a.txt; echo x > a.txt", run).outcome is Outcome.DIFFERENT
