"""How much of a text is in another: the ratio of equal lines, never more than that of characters.

The ratio is 2 · equal / (lines of both), and 1.0 only for equal texts. A line counts as equal or
not: one lost character costs the whole line. The second bound looks at the characters in lines that
both texts have, so that a few long lines that are lost weigh what they are.
"""

from collections import Counter
from typing import NamedTuple

from handrail.desktop.verify.line_diff import Hunk, diff_lines

CONTEXT = 3
"""Equal lines that a diff shows around a difference."""


class LineSimilarity(NamedTuple):
    """A comparison of an expected text with the actual one."""

    similarity: float
    expected_lines: int
    actual_lines: int
    missing_lines: int
    """Expected lines that are not there."""
    extra_lines: int
    """Lines that nobody expects."""
    first_line: int
    """How many lines stand before those compared."""
    expected: list[bytes]
    """The lines from there on, to the end of the last difference and its context."""
    actual: list[bytes]
    hunks: list[Hunk]


def compare_texts(expected: bytes, actual: bytes) -> LineSimilarity:
    """Compare line by line."""
    if expected == actual:
        count = _count(expected)
        return LineSimilarity(1.0, count, count, 0, 0, 0, [], [], [])
    start = _start_of_difference(expected, actual)
    end = _end_of_difference(expected, actual, start)
    before = expected.count(b"\n", 0, start)
    inner = _lines(expected[start : len(expected) - end])
    other = _lines(actual[start : len(actual) - end])
    around = before + _count(expected[len(expected) - end :])
    counts = around + len(inner), around + len(other)
    hunks = diff_lines(inner, other)
    missing = sum(hunk.end - hunk.start for hunk in hunks)
    extra = sum(hunk.other_end - hunk.other_start for hunk in hunks)
    equal = counts[0] - missing
    shared = len(expected) - _lost_characters(inner, other, hunks)
    ratio = min(2 * equal / sum(counts), 2 * shared / (len(expected) + len(actual)))
    return LineSimilarity(ratio, *counts, missing, extra, before, inner, other, hunks)


def _lost_characters(inner: list[bytes], other: list[bytes], hunks: list[Hunk]) -> int:
    """The characters of expected lines that are nowhere, not even at another place."""
    missing = Counter(line for hunk in hunks for line in inner[hunk.start : hunk.end])
    extra = Counter(line for hunk in hunks for line in other[hunk.other_start : hunk.other_end])
    return sum(len(line) * number for line, number in (missing - extra).items())


def _start_of_difference(one: bytes, other: bytes) -> int:
    """Where the first difference and its context begin: the start of a line."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    at = low
    for _ in range(CONTEXT + 1):
        at = max(one.rfind(b"\n", 0, at), 0)
    return at + 1 if at else 0


def _end_of_difference(one: bytes, other: bytes, start: int) -> int:
    """How many bytes at the end are equal lines, less the context."""
    low, high = 0, min(len(one), len(other)) - start
    while low < high:
        middle = (low + high + 1) // 2
        here = one[len(one) - middle : len(one) - low]
        if here == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    at = len(one) - low
    # Behind a line break that is equal in both, a line begins in both.
    for _ in range(CONTEXT + 1):
        found = one.find(b"\n", at)
        if found < 0:
            return 0
        at = found + 1
    return len(one) - at


def _lines(text: bytes) -> list[bytes]:
    """Lines with their breaks, which are \n only."""
    if b"\r" not in text or text.count(b"\r") == text.count(b"\r\n"):
        return text.splitlines(keepends=True)  # fast; it would break lines at a lone \r, too
    lines = text.split(b"\n")
    last = lines.pop()
    return [*(line + b"\n" for line in lines), *([last] if last else [])]


def _count(text: bytes) -> int:
    return text.count(b"\n") + (bool(text) and not text.endswith(b"\n"))
