"""Text fits, and a reviewed command cannot act on the terminal."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from handrail.cli.output.terminal import clip, columns, pad, visible, wrap


@given(st.text())
def test_nothing_invisible_reaches_a_terminal(text: str) -> None:
    assert visible(text).isprintable()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ls -la", "ls -la"),
        ("a\nb", "a⏎b"),
        ("a\tb", "a b"),
        ("\x1b[2J", "\\x1b[2J"),
        ("x\u202ey", "x\\u202ey"),
        ("héllo 世界", "héllo 世界"),
        ("\udcff", "\\udcff"),
    ],
)
def test_control_characters_are_spelled_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(), st.integers(2, 60))
def test_no_line_is_wider_than_asked(text: str, width: int) -> None:
    assert all(cell_len(line) <= width for line in wrap(text, width))
    assert all(cell_len(line) <= width for line in wrap(text, width, limit=2))
    assert cell_len(clip(text, width)) <= width


@given(st.text(), st.integers(2, 60))
def test_wrapping_loses_nothing_but_blanks(text: str, width: int) -> None:
    assert "".join(wrap(text, width)).replace(" ", "") == visible(text).replace(" ", "")


@given(st.text(), st.integers(2, 60), st.integers(1, 3))
def test_a_limit_is_kept(text: str, width: int, limit: int) -> None:
    assert len(wrap(text, width, limit)) <= limit


@example("䷀ ☰ 𝌀")
@given(st.text())
def test_our_width_is_never_less_than_that_of_rich(text: str) -> None:
    assert columns(visible(text)) >= cell_len(visible(text))


def test_padding_counts_columns() -> None:
    assert pad("世", 4) == "世  "
