"""Which lines differ between two texts: the shortest list while it is short, bounded always.

Equal beginnings and ends go first. What is left is compared by Myers' greedy algorithm, whose cost
grows with the number of differences. Where there are too many, lines that stand once in both texts
divide the problem; without such lines, the furthest way found so far counts, and the search goes on
from its end. When the budget is spent, what is left is one large difference. So a list may be
longer than necessary, but what it does not name is equal.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

Item = TypeVar("Item", bound=Hashable)

MAX_DIFFERENCES = 400
"""Of one search, whose steps are about half the square of it."""
MAX_STEPS = 600_000
"""Of all searches together: about a second."""
QUICK = 24
"""Differences of a first search, which needs no tables of the lines."""
SURE = 64
"""Equal lines after which a first search takes the way behind it for the right one."""


class Hunk(NamedTuple):
    """Lines `start` to `end` of one text stand where `other_start` to `other_end` do; from 0."""

    start: int
    end: int
    other_start: int
    other_end: int


def diff_lines(one: Sequence[Item], other: Sequence[Item]) -> list[Hunk]:
    """Return what differs, in order; everything between is equal."""
    found: list[Hunk] = []
    rest = Hunk(0, len(one), 0, len(other))
    while rest.start < rest.end or rest.other_start < rest.other_end:
        search = GreedySearch(one, other, rest)
        if not search.run(QUICK, MAX_STEPS, sure=SURE):
            thorough = diff_common(one[rest.start :], other[rest.other_start :])
            found += [_moved(hunk, rest.start, rest.other_start) for hunk in thorough]
            break
        found += search.path()
        rest = search.rest()
    return joined(found)


def diff_common(one: Sequence[Item], other: Sequence[Item]) -> Iterator[Hunk]:
    """Compare what both have: a line that only one text has can match nothing."""
    numbers = {line: number for number, line in enumerate(set(one).intersection(other))}
    kept = [place for place, line in enumerate(one) if line in numbers]
    other_kept = [place for place, line in enumerate(other) if line in numbers]
    comparison = _LineComparison(
        [numbers[one[place]] for place in kept], [numbers[other[place]] for place in other_kept]
    )
    hunks = joined(comparison.hunks())
    return _in_whole_texts(hunks, [*kept, len(one)], [*other_kept, len(other)])


def _moved(hunk: Hunk, by: int, other_by: int) -> Hunk:
    start, end, other_start, other_end = hunk
    return Hunk(start + by, end + by, other_start + other_by, other_end + other_by)


def _in_whole_texts(hunks: list[Hunk], kept: list[int], other_kept: list[int]) -> Iterator[Hunk]:
    """Add the lines that were left out."""
    start = other_start = at = 0
    for hunk in (*hunks, Hunk(len(kept), len(kept), len(other_kept), len(other_kept))):
        aside = hunk.start - at
        for place, other_place in zip(
            kept[at : hunk.start], other_kept[hunk.other_start - aside : hunk.other_start],
            strict=True,
        ):  # fmt: skip
            if start != place or other_start != other_place:
                yield Hunk(start, place, other_start, other_place)
            start, other_start = place + 1, other_place + 1
        at = hunk.end


class _LineComparison:
    def __init__(self, one: Sequence[int], other: Sequence[int]) -> None:
        self._one = one
        self._other = other
        self._steps = MAX_STEPS

    def hunks(self) -> list[Hunk]:
        found: list[Hunk] = []
        todo = [(Hunk(0, len(self._one), 0, len(self._other)), True)]
        while todo:
            whole, divides = todo.pop()
            part = self._without_equal_ends(whole)
            if part.start == part.end or part.other_start == part.other_end:
                found.append(part)
                continue
            search = GreedySearch(self._one, self._other, part)
            at_end = search.run(MAX_DIFFERENCES, self._steps)
            self._steps -= search.steps
            gaps = self._between_anchors(part) if divides and not at_end else []
            if gaps:
                todo += [(gap, True) for gap in reversed(gaps)]
                continue
            found += search.path()
            if not at_end and search.steps:
                todo.append((search.rest(), False))
            elif not at_end:
                found.append(part)
        return found

    def _without_equal_ends(self, part: Hunk) -> Hunk:
        one, other = self._one, self._other
        start, end, other_start, other_end = part
        while start < end and other_start < other_end and one[start] == other[other_start]:
            start, other_start = start + 1, other_start + 1
        while start < end and other_start < other_end and one[end - 1] == other[other_end - 1]:
            end, other_end = end - 1, other_end - 1
        return Hunk(start, end, other_start, other_end)

    def _between_anchors(self, part: Hunk) -> list[Hunk]:
        """Divide at the lines that stand once in both, as many as keep their order."""
        here = _single(self._one, part.start, part.end)
        there = _single(self._other, part.other_start, part.other_end)
        pairs = [(place, there[line]) for line, place in here.items() if line in there]
        gaps: list[Hunk] = []
        start, other_start = part.start, part.other_start
        for place, other_place in _longest_rising(pairs):
            gaps.append(Hunk(start, place, other_start, other_place))
            start, other_start = place + 1, other_place + 1
        if gaps:
            gaps.append(Hunk(start, part.end, other_start, part.other_end))
        return gaps


class GreedySearch(Generic[Item]):
    """Myers' algorithm: after n differences, how far does one come on each diagonal?"""

    def __init__(self, one: Sequence[Item], other: Sequence[Item], part: Hunk) -> None:
        self._one = one
        self._other = other
        self._part = part
        self._history: list[dict[int, int]] = []
        self._furthest: dict[int, int] = {}
        self._x = 0
        self._y = 0
        self.steps = 0

    def run(self, differences: int, steps: int, *, sure: int = 0) -> bool:
        """Search as far as both numbers allow; return whether the end was reached.

        `sure`: so many equal lines behind a difference are an end, too.
        """
        length = self._part.end - self._part.start
        other_length = self._part.other_end - self._part.other_start
        furthest = self._furthest = {1: 0}
        for cost in range(min(differences, length + other_length) + 1):
            if self.steps > steps:
                return False
            self._history.append(dict(furthest))
            best = -1
            for diagonal in range(-cost, cost + 1, 2):
                if _goes_down(furthest, cost, diagonal):
                    x = furthest[diagonal + 1]
                else:
                    x = furthest[diagonal - 1] + 1
                y = x - diagonal
                if x <= length and y <= other_length:
                    before = x
                    x = self._slide(x, y)
                    y = x - diagonal
                    if sure and cost and x - before >= sure:
                        self._x, self._y = x, y
                        return True
                    if x + y > best:
                        best, self._x, self._y = x + y, x, y
                furthest[diagonal] = x
                if x == length and y == other_length:
                    return True
            self.steps += cost + 1
        return False

    def path(self) -> list[Hunk]:
        """Walk back from the place that was reached: each step aside is a difference."""
        hunks: list[Hunk] = []
        x, y = self._x, self._y
        for cost in range(len(self._history) - 1, 0, -1):
            furthest = self._history[cost]
            diagonal = x - y
            down = _goes_down(furthest, cost, diagonal)
            before = diagonal + 1 if down else diagonal - 1
            x = furthest[before]
            y = x - before
            start, other_start = self._part.start + x, self._part.other_start + y
            hunks.append(Hunk(start, start + (not down), other_start, other_start + down))
        return hunks[::-1]

    def rest(self) -> Hunk:
        """What lies behind the place that was reached."""
        part = self._part
        return Hunk(part.start + self._x, part.end, part.other_start + self._y, part.other_end)

    def edges(self) -> tuple[bool, bool]:
        """Whether the search looked at the end of each part, other than by equal lines at last."""
        length = self._part.end - self._part.start
        other_length = self._part.other_end - self._part.other_start
        return (
            any(x >= length for x in self._furthest.values()),
            any(x - diagonal >= other_length for diagonal, x in self._furthest.items()),
        )

    def _slide(self, x: int, y: int) -> int:
        """How far the texts are equal from two places on; slices are compared, which is fast."""
        start, end, other_start, other_end = self._part
        at, other_at = start + x, other_start + y
        if at == end or other_at == other_end or self._one[at] != self._other[other_at]:
            return x  # nearly always
        aside = other_at - at
        end = min(end, other_end - aside)
        leap = 1
        while at < end:
            leap = min(leap, end - at)
            until = at + leap
            if self._one[at:until] == self._other[at + aside : until + aside]:
                at, leap = until, leap * 2
            elif leap == 1:
                break
            else:
                end, leap = until - 1, leap // 2
        return at - start


def _goes_down(furthest: dict[int, int], cost: int, diagonal: int) -> bool:
    """Whether a line of the other text is added, rather than one left out."""
    return diagonal == -cost or (
        diagonal != cost and furthest[diagonal - 1] < furthest[diagonal + 1]
    )


def _single(lines: Sequence[Item], start: int, end: int) -> dict[Item, int]:
    inner = lines[start:end]
    counts = Counter(inner)
    return {line: start + at for at, line in enumerate(inner) if counts[line] == 1}


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs in which the second numbers rise, too."""
    ends: list[int] = []
    places: list[int] = []
    before: list[int] = []
    for at, (_, value) in enumerate(pairs):
        rank = bisect_left(ends, value)
        before.append(places[rank - 1] if rank else -1)
        ends[rank : rank + 1] = [value]
        places[rank : rank + 1] = [at]
    run: list[tuple[int, int]] = []
    at = places[-1] if places else -1
    while at >= 0:
        run.append(pairs[at])
        at = before[at]
    return run[::-1]


def joined(hunks: Iterable[Hunk]) -> list[Hunk]:
    """Differences that touch become one, and empty ones go."""
    result: list[Hunk] = []
    for hunk in hunks:
        if hunk.start == hunk.end and hunk.other_start == hunk.other_end:
            continue
        if result and result[-1].end == hunk.start and result[-1].other_end == hunk.other_start:
            last = result[-1]
            result[-1] = Hunk(last.start, hunk.end, last.other_start, hunk.other_end)
        else:
            result.append(hunk)
    return result
