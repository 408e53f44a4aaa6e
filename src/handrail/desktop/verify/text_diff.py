"""Which lines differ between two texts, without splitting into lines what is equal.

The answer is that of `diff_lines` over the lines of both. Equal stretches are compared as bytes,
and at a difference only as much is split as its search looks at. Where that search gives up, all
that is left is split and compared thoroughly.
"""

from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple

from handrail.desktop.verify.line_diff import (
    MAX_STEPS,
    QUICK,
    SURE,
    GreedySearch,
    Hunk,
    diff_common,
    joined,
)

WINDOW = 4_096
"""Bytes of each text that a search gets at first: some ninety lines. Then four times as many."""
_NEAR = 2_048
"""Bytes in which lines are looked for that nothing can match."""
_LEAP = 1_024
"""Bytes of the first comparison of an equal stretch."""
_SMALL = (Hunk(0, 0, 0, 1), Hunk(0, 1, 0, 0), Hunk(0, 0, 0, 2), Hunk(0, 1, 0, 1))
"""The differences that a search tries first, in its order."""


class TextHunk(NamedTuple):
    """Lines of one text that stand where lines of the other do."""

    lines: Hunk
    bytes: Hunk
    """The same places, in bytes."""


class _Window(NamedTuple):
    """The lines of a text from a place on, as far as a search may look."""

    lines: list[bytes]
    is_cut: bool
    """Whether more lines follow."""


def diff_texts(one: bytes, other: bytes, part: Hunk) -> Iterator[TextHunk]:
    """Compare a part of whole lines, given in bytes, before which the texts are equal."""
    comparison = _TextComparison(one, other, part)
    while not comparison.is_over():
        plain = comparison.small_difference() or comparison.replaced_block()
        if plain:
            yield plain
        else:
            yield from comparison.differences()


def split_lines(text: bytes) -> list[bytes]:
    """Lines with their breaks, which are \\n only."""
    if b"\r" not in text or text.count(b"\r") == text.count(b"\r\n"):
        return text.splitlines(keepends=True)  # fast; it would break lines at a lone \r, too
    lines = text.split(b"\n")
    last = lines.pop()
    return [*(line + b"\n" for line in lines), *([last] if last else [])]


class _TextComparison:
    """Goes through both texts, from one stretch of differences to the next."""

    def __init__(self, one: bytes, other: bytes, part: Hunk) -> None:
        self._one = one
        self._other = other
        self._rest = part
        self._line = self._other_line = one.count(b"\n", 0, part.start)

    def is_over(self) -> bool:
        start, end, other_start, other_end = self._rest
        return start == end and other_start == other_end

    def small_difference(self) -> TextHunk | None:
        """Go over a line or two, as in most files: the answer of a search, without searching."""
        start, end, other_start, other_end = self._rest
        lines = _next_lines(self._one, start, end, 2)
        others = _next_lines(self._other, other_start, other_end, 3)
        if not lines or not others or lines[0] == others[0]:
            return None
        for hunk in _SMALL:
            if lines[hunk.end] == others[hunk.other_end]:
                return self._passed(hunk, lines, others)
        return None

    def replaced_block(self) -> TextHunk | None:
        """Go over lines that nothing near can match: a search would find nothing else, either."""
        start, end, other_start, other_end = self._rest
        lines = _window(self._one, start, end, _NEAR).lines[: QUICK + 1]
        others = _window(self._other, other_start, other_end, _NEAR).lines[: QUICK + 1]
        count, other_count = _unmatched(lines, others), _unmatched(others, lines)
        if not 0 < count + other_count <= QUICK or len(lines) <= QUICK or len(others) <= QUICK:
            return None
        return self._passed(Hunk(0, count, 0, other_count), lines, others)

    def differences(self) -> list[TextHunk]:
        """Go over what differs until many lines are equal, or until the end."""
        size = WINDOW
        while True:
            here, there = self._windows(size)
            search = GreedySearch(here.lines, there.lines, _whole(here, there))
            is_found = search.run(QUICK, MAX_STEPS, sure=SURE)
            at_edge, at_other_edge = search.edges()
            if not ((at_edge and here.is_cut) or (at_other_edge and there.is_cut)):
                break
            size *= 4
        if is_found:
            return self._found(search.path(), search.rest(), here, there)
        here, there = self._windows(len(self._one) + len(self._other))
        _, end, _, other_end = _whole(here, there)
        hunks = diff_common(here.lines, there.lines)
        return self._found(hunks, Hunk(end, end, other_end, other_end), here, there)

    def _windows(self, size: int) -> tuple[_Window, _Window]:
        start, end, other_start, other_end = self._rest
        return (
            _window(self._one, start, end, size),
            _window(self._other, other_start, other_end, size),
        )

    def _passed(self, hunk: Hunk, lines: list[bytes], others: list[bytes]) -> TextHunk | None:
        """Go over a difference if the lines behind it prove it right."""
        start, _, other_start, _ = self._rest
        begin = start + sum(map(len, lines[: hunk.end]))
        other_begin = other_start + sum(map(len, others[: hunk.other_end]))
        equal = self._equal_bytes(begin, other_begin)
        count = self._one.count(b"\n", begin, begin + equal)
        if count < SURE:
            return None
        found = TextHunk(self._moved(hunk), Hunk(start, begin, other_start, other_begin))
        self._go(begin + equal, other_begin + equal, found.lines, count)
        return found

    def _found(
        self, hunks: Iterable[Hunk], rest: Hunk, here: _Window, there: _Window
    ) -> list[TextHunk]:
        """Say where the differences are in the texts, and go to the rest."""
        places = list(accumulate(map(len, here.lines), initial=self._rest.start))
        others = list(accumulate(map(len, there.lines), initial=self._rest.other_start))
        found = [
            TextHunk(
                self._moved(hunk),
                Hunk(places[hunk.start], places[hunk.end], others[hunk.other_start],
                     others[hunk.other_end]),
            )
            for hunk in joined(hunks)
        ]  # fmt: skip
        begin, other_begin = places[rest.start], others[rest.other_start]
        equal = self._equal_bytes(begin, other_begin)
        count = self._one.count(b"\n", begin, begin + equal)
        before = self._moved(Hunk(0, rest.start, 0, rest.other_start))
        self._go(begin + equal, other_begin + equal, before, count)
        return found

    def _moved(self, hunk: Hunk) -> Hunk:
        """Count lines from the start of the texts."""
        start, end, other_start, other_end = hunk
        line, other_line = self._line, self._other_line
        return Hunk(line + start, line + end, other_line + other_start, other_line + other_end)

    def _go(self, start: int, other_start: int, before: Hunk, equal_lines: int) -> None:
        self._rest = Hunk(start, self._rest.end, other_start, self._rest.other_end)
        self._line = before.end + equal_lines
        self._other_line = before.other_end + equal_lines

    def _equal_bytes(self, start: int, other_start: int) -> int:
        """How many bytes of whole lines are equal from two places on."""
        left, other_left = self._rest.end - start, self._rest.other_end - other_start
        equal = _common_start(self._one, self._other, start, other_start, min(left, other_left))
        if equal == left == other_left:
            return equal
        return max(self._one.rfind(b"\n", start, start + equal) + 1 - start, 0)


def _next_lines(text: bytes, start: int, end: int, count: int) -> list[bytes]:
    """The next lines with their breaks; none if there are not so many."""
    lines = []
    for _ in range(count):
        stop = text.find(b"\n", start, end) + 1
        if not stop:
            return []
        lines.append(text[start:stop])
        start = stop
    return lines


def _unmatched(lines: list[bytes], others: list[bytes]) -> int:
    """How many lines come before the first one that is among the others."""
    known = set(others)
    return next((at for at, line in enumerate(lines) if line in known), len(lines))


def _window(text: bytes, start: int, end: int, size: int) -> _Window:
    if end - start <= size:
        return _Window(split_lines(text[start:end]), is_cut=False)
    # Without a line break in it, the window is empty, and a larger one follows.
    stop = text.rfind(b"\n", start, start + size) + 1
    return _Window(split_lines(text[start : max(start, stop)]), is_cut=True)


def _whole(here: _Window, there: _Window) -> Hunk:
    return Hunk(0, len(here.lines), 0, len(there.lines))


def _common_start(one: bytes, other: bytes, start: int, other_start: int, most: int) -> int:
    """How many bytes are equal; slices are compared, which is fast."""
    equal, leap = 0, _LEAP
    while equal < most:
        leap = min(leap, most - equal)
        here, there = start + equal, other_start + equal
        if one[here : here + leap] == other[there : there + leap]:
            equal, leap = equal + leap, leap * 2
        elif leap == 1:
            break
        else:
            most, leap = equal + leap - 1, leap // 2
    return equal
