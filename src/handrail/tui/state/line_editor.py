"""A line that is being typed.

An own one, because so all keys come in at one place, in their order: with a widget that first has
to get the focus, keys typed quickly would go to what had it before.
"""

from collections.abc import Callable

import msgspec

from handrail.tui.text import Line, StyledSpan, clean, columns, take

_MAX = 4000


class LineEditor(msgspec.Struct, frozen=True):
    """The text, and the place of the cursor in it."""

    text: str = ""
    at: int = 0

    def insert(self, more: str) -> "LineEditor":
        """Text was typed, or pasted: it stays one line."""
        more = clean(" ".join(more.splitlines()))[: _MAX - len(self.text)]
        text = self.text[: self.at] + more + self.text[self.at :]
        return LineEditor(text, self.at + len(more))

    def press(self, key: str) -> "LineEditor":
        """A key that types nothing; one that means nothing does nothing."""
        return _KEYS[key](self) if key in _KEYS else self

    def line(self, label: str, width: int) -> Line:
        """The end of it that fits, with the cursor in view."""
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
    """Without the word before the cursor."""
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
