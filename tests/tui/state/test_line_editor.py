"""A line that is typed is the text that was typed, with the cursor in view."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.tui.state.line_editor import LineEditor
from handrail.tui.text import columns, plain
from tests.tui.hostile import NASTY

KEYS = st.sampled_from(
    "backspace ctrl+h delete ctrl+w ctrl+u ctrl+k left right home ctrl+a end ctrl+e f5 up".split()
)
typing = st.lists(KEYS | st.text(max_size=5).map(lambda text: f"={text}"), max_size=20)


def _typed(steps: list[str]) -> LineEditor:
    typed = LineEditor()
    for step in steps:
        typed = typed.insert(step[1:]) if step.startswith("=") else typed.press(step)
    return typed


@pytest.mark.parametrize(
    ("steps", "text", "at"),
    [
        (["=abc", "backspace"], "ab", 2),
        (["=abc", "left", "left", "delete"], "ac", 1),
        (["=abc", "home", "=x"], "xabc", 1),
        (["=one two  ", "ctrl+w"], "one ", 4),
        (["=one two", "ctrl+a", "right", "ctrl+k"], "o", 1),
        (["=one two", "left", "ctrl+u"], "o", 0),
        (["=one\ntwo\x1b[2J"], "one two\\x1b[2J", 14),
        (["home", "left", "backspace", "delete", "end", "right"], "", 0),
    ],
)
def test_keys_do_what_they_do_everywhere(steps: list[str], text: str, at: int) -> None:
    assert _typed(steps) == LineEditor(text, at)


@given(typing, st.integers(1, 100))
def test_the_cursor_is_in_the_text_and_on_the_screen(steps: list[str], width: int) -> None:
    typed = _typed([*steps, f"={NASTY}"][: len(steps) + 1])
    assert 0 <= typed.at <= len(typed.text)
    label, before, under, _ = typed.line(" why: ", width)
    assert columns(label.text + before.text + under.text) <= max(width, columns(label.text) + 4)
    assert plain((before,)).isprintable()


def test_what_is_pasted_has_an_end() -> None:
    assert len(LineEditor().insert("x" * 100_000).text) == 4000
