"""Which lines differ between two texts, and where they stand."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.desktop.verify.texts import texts

from handrail.desktop.verify import text_diff
from handrail.desktop.verify.line_diff import Hunk, diff_lines
from handrail.desktop.verify.text_diff import TextHunk, diff_texts, split_lines

contents = texts.map(str.encode)
windows = st.sampled_from([1, 7, 64, 4_096])


def compared(one: bytes, other: bytes) -> list[TextHunk]:
    return list(diff_texts(one, other, Hunk(0, len(one), 0, len(other))))


def with_a_window(size: int, one: bytes, other: bytes) -> list[TextHunk]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_diff, "WINDOW", size)
        return compared(one, other)


def edited(lines: list[bytes], random: random.Random, edits: int, widest: int) -> list[bytes]:
    """Lines after some blocks were deleted, added, replaced or moved."""
    result = list(lines)
    for _ in range(edits):
        at, width = random.randrange(len(result) + 1), random.randint(1, widest)
        block = result[at : at + width]
        others = [b"new %d\n" % random.randrange(9) for _ in range(random.randint(1, widest))]
        kind = random.randrange(4)
        if kind:
            del result[at : at + width]
        place = random.randrange(len(result) + 1) if kind == 1 else at
        result[place:place] = {0: others, 1: block, 2: others, 3: []}[kind]
    return result


@given(contents, contents, windows)
def test_texts_differ_where_their_lines_do(one: bytes, other: bytes, window: int) -> None:
    found = with_a_window(window, one, other)
    assert [hunk.lines for hunk in found] == diff_lines(split_lines(one), split_lines(other))


@given(st.randoms(), st.integers(1, 9), st.sampled_from([1, 3, 30]), st.integers(1, 999), windows)
def test_long_texts_differ_where_their_lines_do(
    random: random.Random, edits: int, widest: int, kinds: int, window: int
) -> None:
    lines = [b"line %d\n" % random.randrange(kinds) for _ in range(random.choice([60, 600]))]
    others = edited(lines, random, edits, widest)
    found = with_a_window(window, b"".join(lines), b"".join(others))
    assert [hunk.lines for hunk in found] == diff_lines(lines, others)


@given(contents, contents)
def test_the_places_in_bytes_are_those_of_the_lines(one: bytes, other: bytes) -> None:
    lines, others = split_lines(one), split_lines(other)
    for (start, end, other_start, other_end), (at, to, other_at, other_to) in compared(one, other):
        assert (one[:at], one[at:to]) == (b"".join(lines[:start]), b"".join(lines[start:end]))
        assert other[:other_at] == b"".join(others[:other_start])
        assert other[other_at:other_to] == b"".join(others[other_start:other_end])


@given(contents)
def test_lines_end_behind_a_line_feed_only(text: bytes) -> None:
    lines = split_lines(text)
    assert b"".join(lines) == text
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in lines[:-1])
    assert all(lines)


def test_what_is_equal_is_never_split_into_lines() -> None:
    lines = [b"line %d\n" % number for number in range(20_000)]
    others = list(lines)
    others[5_000] = others[15_000] = b"other\n"
    with pytest.MonkeyPatch.context() as patch:
        seen: list[int] = []

        def counted(text: bytes) -> list[bytes]:
            seen.append(len(text))
            return split_lines(text)

        patch.setattr(text_diff, "split_lines", counted)
        found = list(
            diff_texts(
                b"".join(lines),
                b"".join(others),
                Hunk(
                    *(
                        sum(map(len, each))
                        for each in (lines[:5_000], lines, others[:5_000], others)
                    )
                ),
            )
        )
    assert [hunk.lines for hunk in found] == [
        Hunk(5_000, 5_001, 5_000, 5_001),
        Hunk(15_000, 15_001, 15_000, 15_001),
    ]
    assert sum(seen) < 100_000


def test_a_long_line_is_compared_whole() -> None:
    one, other = b"x" * 100_000 + b"\n", b"x" * 99_999 + b"y\n"
    (found,) = compared(one, other)
    assert found == (Hunk(0, 1, 0, 1), Hunk(0, len(one), 0, len(other)))


@given(contents, contents)
def test_differences_do_not_touch(one: bytes, other: bytes) -> None:
    for earlier, later in pairwise(compared(one, other)):
        assert earlier.bytes.end < later.bytes.start
        assert earlier.bytes.other_end < later.bytes.other_start
