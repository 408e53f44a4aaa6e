"""Which lines differ."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.desktop.verify import line_diff
from handrail.desktop.verify.line_diff import Hunk, diff_lines

numbers = st.lists(st.integers(0, 4), max_size=25)


def longest_common(one: Sequence[int], other: Sequence[int]) -> int:
    """The length of the longest common subsequence, by the table that everybody knows."""
    row = [0] * (len(other) + 1)
    for item in one:
        before = 0
        for at, each in enumerate(other):
            kept = row[at + 1]
            row[at + 1] = before + 1 if item == each else max(row[at + 1], row[at])
            before = kept
    return row[-1]


def carried_out(one: Sequence[int], other: Sequence[int], hunks: Sequence[Hunk]) -> list[int]:
    result: list[int] = []
    at = 0
    for hunk in hunks:
        result += [*one[at : hunk.start], *other[hunk.other_start : hunk.other_end]]
        at = hunk.end
    return [*result, *one[at:]]


@given(numbers, numbers)
def test_the_differences_lead_from_one_to_the_other(one: list[int], other: list[int]) -> None:
    assert carried_out(one, other, diff_lines(one, other)) == other


@given(numbers, numbers)
def test_no_list_of_differences_is_shorter(one: list[int], other: list[int]) -> None:
    missing = sum(hunk.end - hunk.start for hunk in diff_lines(one, other))
    assert len(one) - missing == longest_common(one, other)


@given(numbers, numbers)
def test_differences_are_in_order_and_do_not_touch(one: list[int], other: list[int]) -> None:
    hunks = diff_lines(one, other)
    for earlier, later in pairwise(hunks):
        assert earlier.end < later.start
        assert earlier.other_end < later.other_start


@given(numbers, numbers, st.integers(0, 6), st.integers(0, 40))
def test_they_lead_there_with_little_patience_too(
    one: list[int], other: list[int], differences: int, most: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_diff, "QUICK", 1)
        patch.setattr(line_diff, "MAX_DIFFERENCES", differences)
        patch.setattr(line_diff, "MAX_STEPS", most)
        assert carried_out(one, other, diff_lines(one, other)) == other


def test_many_differences_among_few_kinds_of_lines_are_still_found() -> None:
    one = [step * step % 7 for step in range(6_000)]
    other = [item for step, item in enumerate(one) if step % 12]
    missing = sum(hunk.end - hunk.start for hunk in diff_lines(one, other))
    assert missing == 500
