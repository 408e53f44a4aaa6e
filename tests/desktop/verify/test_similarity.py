"""How alike two texts are."""

from hypothesis import given
from hypothesis import strategies as st
from tests.desktop.verify.texts import filled, numbered, texts

from handrail.desktop.verify.similarity import compare_texts
from handrail.desktop.verify.verifier import MATCH_THRESHOLD

contents = texts.map(str.encode)


@given(contents, contents)
def test_only_equal_texts_are_wholly_alike(one: bytes, other: bytes) -> None:
    assert (compare_texts(one, other).similarity == 1.0) == (one == other)


@given(contents)
def test_a_text_is_like_itself(text: bytes) -> None:
    assert compare_texts(text, bytes(bytearray(text))).similarity == 1.0


@given(contents, contents)
def test_it_is_the_same_both_ways(one: bytes, other: bytes) -> None:
    assert compare_texts(one, other).similarity == compare_texts(other, one).similarity


@given(contents, contents)
def test_the_ratio_is_that_of_equal_lines_at_most(one: bytes, other: bytes) -> None:
    found = compare_texts(one, other)
    assert found.expected_lines == filled(one.decode())
    assert found.actual_lines == filled(other.decode())
    equal = found.expected_lines - found.missing_lines
    assert equal == found.actual_lines - found.extra_lines
    lines = found.expected_lines + found.actual_lines
    assert 0 <= found.similarity <= (2 * equal / lines if lines else 1.0)


@given(st.lists(st.text("abcü €", max_size=9), min_size=1, max_size=49), st.data())
def test_a_lost_character_in_a_small_file_is_never_a_match(
    lines: list[str], data: st.DataObject
) -> None:
    text = "\n".join(lines) + "\n"
    places = [at for at, char in enumerate(text) if char != "\n"]
    at = data.draw(st.sampled_from(places)) if places else 0
    damaged = text[:at] + text[at + 1 :]
    assert compare_texts(text.encode(), damaged.encode()).similarity < MATCH_THRESHOLD


def test_a_few_long_lines_weigh_what_they_are() -> None:
    short = "x\n" * 300
    found = compare_texts((short + "y" * 5_000 + "\n").encode(), short.encode())
    assert found.missing_lines == 1
    assert found.similarity < 0.3


def test_changes_in_a_text_of_five_megabytes_are_counted() -> None:
    lines = numbered(110_000).splitlines(keepends=True)
    changed = list(lines)
    for at in range(0, 110_000, 1_000):
        changed[at] = "something else\n"
    found = compare_texts("".join(lines).encode(), "".join(changed).encode())
    assert (found.missing_lines, found.extra_lines) == (110, 110)
    assert 0.998 < found.similarity < 1


def test_lines_at_another_place_are_missing_here_and_extra_there() -> None:
    found = compare_texts(b"a\nb\nc\nd\n", b"d\na\nb\nc\n")
    assert (found.missing_lines, found.extra_lines, found.similarity) == (1, 1, 0.75)


def test_a_missing_line_break_at_the_end_costs_its_line() -> None:
    found = compare_texts(b"a\nb\n", b"a\nb")
    assert (found.missing_lines, found.extra_lines, found.similarity) == (1, 1, 0.5)
