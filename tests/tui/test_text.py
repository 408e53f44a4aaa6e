"""Whatever a text holds, it is shown as text, and takes the room it is said to take."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from handrail.tui.text import (
    StyledSpan,
    as_text,
    cell,
    clean,
    clip,
    flat,
    pad,
    take,
    wrap,
)

HOSTILE = [
    "\x1b[31mred\x1b[0m\x1b]0;title\x07\x1b[2J",
    "[red]not markup[/red] [link=file:///etc]x[/]",
    "\x9b31m\x00\x7f\x08\x08\r\n\t",
    "a\u202eb\u2066c\u200fd\u200be\ufeff",
    "e" + "\u0301" * 500,
    "\u0301\u0301\u0301 alone",
    "👨\u200d👩\u200d👧 👍🏻 🇩🇪 ❤\ufe0f 1\ufe0f\u20e3",
    "日本語のテキスト" * 20,
    "שלום עולם مرحبا",
    "\udc80\ud800 half",
    "\u0903\u093e\u3164\uffa0\u1160",
    "\U000e0041\U000e0042\U0001f3fb",
    "x" * 100_000,
]
any_text = st.text(max_size=200) | st.sampled_from(HOSTILE)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_only_text(text: str) -> None:
    shown = clean(text)
    assert all(char.isprintable() for char in shown)
    shown.encode()


@given(any_text)
@example("\u0301" + "a\u0301\u0301\u0301")
def test_a_clean_text_is_printable_and_as_wide_as_its_characters(text: str) -> None:
    shown = clean(text)
    assert shown.isprintable()
    assert cell_len(shown) == sum(map(cell_len, shown))
    assert clean(shown) == shown


@given(st.text(st.characters(codec="ascii", categories=("L", "N", "P", "S", "Zs")), max_size=50))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert clean(text) == text


def test_markup_is_left_alone() -> None:
    assert clean("[red]stop[/red] [@click=app.quit]x[/]") == "[red]stop[/red] [@click=app.quit]x[/]"


def test_what_a_terminal_would_act_on_is_written_out() -> None:
    assert clean("a\x1b[2Jb\u202ec\nd") == "a\\x1b[2Jb\\u202ec⏎d"


def test_a_flat_text_is_one_line() -> None:
    assert flat("  one\n\ttwo\r\n three  ") == "one two three"


def test_a_huge_text_is_not_looked_at_as_a_whole() -> None:
    assert len(flat("x " * 10_000_000)) < 3000


@given(any_text, st.integers(0, 40))
def test_a_clipped_text_fits(text: str, width: int) -> None:
    assert cell_len(clip(flat(text), width)) <= width


@given(any_text, st.integers(0, 40))
def test_a_padded_text_has_its_width(text: str, width: int) -> None:
    assert cell_len(pad(flat(text), width)) == width


@given(any_text, st.integers(0, 40))
def test_nothing_is_lost_between_a_beginning_and_the_rest(text: str, width: int) -> None:
    text = flat(text)
    first, rest = take(text, width)
    assert first + rest == text
    assert cell_len(first) <= width


@given(any_text, st.integers(2, 40), st.integers(0, 4))
def test_wrapped_lines_fit(text: str, width: int, limit: int) -> None:
    lines = wrap(flat(text), width, limit)
    assert all(cell_len(line) <= width for line in lines)
    assert not limit or len(lines) <= limit


@given(st.lists(any_text, max_size=4), st.integers(0, 60))
def test_what_goes_to_a_widget_is_clean(texts: list[str], width: int) -> None:
    line = tuple(StyledSpan(text) for text in texts)
    assert as_text([line]).plain.isprintable()
    for text in texts:
        shown = cell(text, width=width, right=True)
        assert shown.plain.isprintable()
        assert cell_len(shown.plain) == width
