"""How much of a text is in another: the ratio of equal lines, never more than that of characters.

The ratio is 2 · equal / (lines of both), and 1.0 only for equal texts. A line counts as equal or
not: one lost character costs the whole line. The second bound looks at the characters in lines that
both texts have, so that a few long lines that are lost weigh what they are.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from handrail.desktop.verify.line_diff import Hunk
from handrail.desktop.verify.text_diff import TextHunk, diff_texts, split_lines

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
    expected: bytes
    actual: bytes
    hunks: list[TextHunk]

    def pairs(self) -> Iterator[tuple[bytes, bytes]]:
        """What is expected at each difference, and what stands there."""
        for _, (start, end, other_start, other_end) in self.hunks:
            yield self.expected[start:end], self.actual[other_start:other_end]


def compare_texts(expected: bytes, actual: bytes) -> LineSimilarity:
    """Compare line by line."""
    count = line_count(expected)
    if expected == actual:
        return LineSimilarity(1.0, count, count, 0, 0, expected, actual, [])
    start = _start_of_difference(expected, actual)
    end = _end_of_difference(expected, actual, start)
    part = Hunk(start, len(expected) - end, start, len(actual) - end)
    hunks = list(diff_texts(expected, actual, part))
    missing = sum(lines.end - lines.start for lines, _ in hunks)
    extra = sum(lines.other_end - lines.other_start for lines, _ in hunks)
    counts = count, count - missing + extra
    found = LineSimilarity(0.0, *counts, missing, extra, expected, actual, hunks)
    equal = count - missing
    shared = len(expected) - _lost_characters(found)
    ratio = min(2 * equal / sum(counts), 2 * shared / (len(expected) + len(actual)))
    return found._replace(similarity=ratio)


def line_count(text: bytes) -> int:
    """How many lines a text has; the last one may have no line break."""
    return text.count(b"\n") + (bool(text) and not text.endswith(b"\n"))


def _lost_characters(found: LineSimilarity) -> int:
    """The characters of expected lines that are nowhere, not even at another place."""
    missing: list[bytes] = []
    extra: list[bytes] = []
    for expected, actual in found.pairs():
        missing += split_lines(expected)
        extra += split_lines(actual)
    lost = Counter(missing) - Counter(extra)
    return sum(len(line) * number for line, number in lost.items())


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
