"""A line that the user edits.

It is not a widget: a widget first needs the focus, and would lose keys that are typed quickly.
"""

from collections.abc import Callable

import msgspec

from handrail.tui.text import Line, StyledSpan, clean, columns, take

_MAX = 4000


class LineEditor(msgspec.Struct, frozen=True):
    """A text with a cursor."""

    text: str = ""
    at: int = 0

    def insert(self, more: str) -> "LineEditor":
        """Insert typed or pasted text, as one line."""
        more = clean(" ".join(more.splitlines()))[: _MAX - len(self.text)]
        text = self.text[: self.at] + more + self.text[self.at :]
        return LineEditor(text, self.at + len(more))

    def press(self, key: str) -> "LineEditor":
        """Handle an editing key; ignore unknown keys."""
        return _KEYS[key](self) if key in _KEYS else self

    def line(self, label: str, width: int) -> Line:
        """Return the part that fits, with the cursor visible."""
        room = max(width - columns(label) - 2, 1)
        before = self.text[: self.at]
        while columns(before) > room:
            before = take(before, columns(before) - room)[1] or before[1:]
        under, after = self.text[self.at : self.at + 1] or " ", self.text[self.at + 1 :]
        return (
            StyledSpan(label, "bold"),
            StyledSpan(before),
            StyledSpan(under, "reverse"),
            StyledSpan(after),
        )


def _backspace(typed: LineEditor) -> LineEditor:
    at = max(typed.at - 1, 0)
    return LineEditor(typed.text[:at] + typed.text[typed.at :], at)


def _delete(typed: LineEditor) -> LineEditor:
    return LineEditor(typed.text[: typed.at] + typed.text[typed.at + 1 :], typed.at)


def _word(typed: LineEditor) -> LineEditor:
    """Delete the word before the cursor."""
    before = typed.text[: typed.at].rstrip()
    kept = before[: before.rfind(" ") + 1]
    return LineEditor(kept + typed.text[typed.at :], len(kept))


def _go(to: Callable[[LineEditor], int]) -> Callable[[LineEditor], LineEditor]:
    return lambda typed: LineEditor(typed.text, min(max(to(typed), 0), len(typed.text)))


_KEYS: dict[str, Callable[[LineEditor], LineEditor]] = {
    "backspace": _backspace,
    "ctrl+h": _backspace,
    "delete": _delete,
    "ctrl+w": _word,
    "ctrl+u": lambda typed: LineEditor(typed.text[typed.at :]),
    "ctrl+k": lambda typed: LineEditor(typed.text[: typed.at], typed.at),
    "left": _go(lambda typed: typed.at - 1),
    "right": _go(lambda typed: typed.at + 1),
    "home": _go(lambda typed: 0),
    "ctrl+a": _go(lambda typed: 0),
    "end": _go(lambda typed: len(typed.text)),
    "ctrl+e": _go(lambda typed: len(typed.text)),
}
