"""Timing: the best of several rounds, because other work on the machine only ever adds."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from random import Random
from statistics import median
from time import perf_counter_ns
from typing import TypeVar

import msgspec

Item = TypeVar("Item", bound=Hashable)


class Spread(msgspec.Struct, frozen=True):
    """How the times of many items are spread, in microseconds."""

    p50: float
    p90: float
    p99: float
    max: float

    @classmethod
    def of(cls, times: Iterable[float]) -> "Spread":
        ordered = sorted(times)
        return cls(*(_percentile(ordered, share) for share in (0.5, 0.9, 0.99, 1.0)))


def _percentile(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def best_of(
    rounds: int, items: Sequence[Item], start: Callable[[], Callable[[Item], object]]
) -> dict[Item, float]:
    """The shortest time of each item in microseconds; `start` gives each round its function.

    The order changes from round to round, so that no item always pays for what the first one
    of a kind has to load.
    """
    best = dict.fromkeys(items, float("inf"))
    order = list(items)
    random = Random(7)
    for _ in range(rounds):
        work = start()
        random.shuffle(order)
        for item in order:
            before = perf_counter_ns()
            work(item)
            took = (perf_counter_ns() - before) / 1000
            best[item] = min(best[item], took)
    return best


def medians_in_turns(ways: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The median time of each way in microseconds; in turns, so that a busy moment hits all."""
    seen: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, took in best_of(1, list(ways), lambda: lambda each: ways[each]()).items():
            seen[name].append(took)
    return {name: median(times) for name, times in seen.items()}


class Table(msgspec.Struct):
    """A table that reads well as plain text and as Markdown."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]] = []
    note: str = ""

    def add(self, *cells: str) -> None:
        self.rows.append(cells)

    def markdown(self) -> str:
        """The table for docs/performance.md."""
        lines = [self.head, tuple("---" if n == 0 else "---:" for n in range(len(self.head)))]
        lines += [tuple(cell.replace("|", "\\|") for cell in row) for row in self.rows]
        body = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        return f"### {self.title}\n\n{body}\n" + (f"\n{self.note}\n" if self.note else "")

    def plain(self) -> str:
        """The table for a terminal."""
        widths = [
            max(len(row[n]) for row in (self.head, *self.rows)) for n in range(len(self.head))
        ]
        lines = [
            "  ".join(
                cell.ljust(width) if n == 0 else cell.rjust(width)
                for n, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in (self.head, *self.rows)
        ]
        return "\n".join([self.title, "", *lines, *([self.note] if self.note else []), ""])


def micro(value: float) -> str:
    """Microseconds, without more digits than mean something."""
    return f"{value:,.1f} µs" if value < 100 else f"{value:,.0f} µs"


def milli(seconds: float) -> str:
    return f"{seconds * 1000:,.1f} ms" if seconds < 0.1 else f"{seconds * 1000:,.0f} ms"


def spread_cells(spread: Spread) -> tuple[str, str, str, str]:
    return micro(spread.p50), micro(spread.p90), micro(spread.p99), micro(spread.max)
