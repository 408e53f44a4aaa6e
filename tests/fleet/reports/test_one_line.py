"""Texts of agents as one line."""

from hypothesis import given
from hypothesis import strategies as st

from handrail.fleet.reports.one_line import end_of_line, one_line


def test_breaks_and_hidden_characters_become_spaces() -> None:
    text = "a\r\n\tb\u2028c\x1b[0m\u202ed\u200be\x00\ud800"
    assert one_line(text, 50) == "a b c [0m d e"
    assert end_of_line(text, 50) == "a b c [0m d e"


def test_a_long_text_is_cut_at_either_end() -> None:
    assert one_line("one two three", 8) == "one two…"
    assert end_of_line("one two three", 8) == "…o three"
    assert one_line("one two", 7) == end_of_line("one two", 7) == "one two"


def test_a_text_after_many_spaces_is_marked_as_cut() -> None:
    assert one_line("a" + " " * 10_000 + "b", 5) == "a…"
    assert end_of_line("a" + " " * 10_000 + "b", 5) == "…b"


@given(st.text(max_size=300), st.integers(2, 60))
def test_any_text_becomes_one_short_line(text: str, longest: int) -> None:
    for line in (one_line(text, longest), end_of_line(text, longest)):
        assert len(line) <= longest
        assert len(line.splitlines()) <= 1
        assert line == line.strip()
