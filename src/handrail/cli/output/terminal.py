"""Text for a terminal: make it safe, measure it, wrap it, print it."""

import os
import re
import sys
import unicodedata
from collections.abc import Iterable

from handrail.words import line_breaking

WIDTH = 80
_NARROW = 40
_LABEL = 11

STYLES = {
    "green": "32",
    "yellow": "33",
    "red": "31",
    "dim": "2",
    "bold": "1",
    "allow": "1;30;42",
    "warn": "1;30;43",
    "modify": "1;30;43",
    "block": "1;37;41",
}
"""One colour per meaning: green ran, yellow changed or warned, red stopped, dim details."""


# Wide since Unicode 16, unknown to the tables of older Pythons.
_NEWLY_WIDE = re.compile("[\u2630-\u2637\u268a-\u268f\u4dc0-\u4dff\U0001d300-\U0001d376]")


def visible(text: str) -> str:
    """Escape every character that a terminal would act on or hide."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _shown(char) for char in text)


def _shown(char: str) -> str:
    if char == "\n":
        return "⏎"
    if char == "\t":
        return " "
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def columns(text: str) -> int:
    """Return the width of a visible text in columns, at most."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(char: str) -> int:
    if char.isascii():
        return 1
    if char == "\ufe0f":  # turns the sign before it into an emoji, which may be wider
        return 1
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me"):
        return 0
    wide = unicodedata.east_asian_width(char) in "WF" or _NEWLY_WIDE.match(char)
    return 2 if wide else 1


def clip(text: str, width: int) -> str:
    """Cut a text to the width, with an ellipsis."""
    return line_breaking.clip(visible(text), width, columns)


def pad(text: str, width: int) -> str:
    """Fill a text with blanks to the width."""
    return text + " " * (width - columns(text))


def wrap(text: str, width: int, limit: int = 0) -> list[str]:
    """Break a text into lines, between words if possible."""
    return line_breaking.wrap(visible(text), width, limit, columns)


class TerminalOutput:
    """The terminal that a command prints to: its width and colours."""

    def __init__(self, *, colour: bool, width: int = WIDTH) -> None:
        self.colour = colour
        self.width = max(min(width, WIDTH), _NARROW)

    def paint(self, text: str, style: str) -> str:
        """Return the text in one of the styles."""
        if not self.colour or not text or not style:
            return text
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m"

    def say(self, line: str = "") -> None:
        """Print one line."""
        sys.stdout.write(line + "\n")

    def paragraph(
        self, text: str, style: str = "", *, indent: int = 1, mark: str = "", limit: int = 0
    ) -> None:
        """Print a text, wrapped to the width. The mark, one column wide, may be painted."""
        lead = " " * indent + (f"{mark} " if mark else "")
        indent += 2 if mark else 0
        for line in wrap(text, self.width - indent, limit):
            self.say((lead + self.paint(line, style)).rstrip())
            lead = " " * indent

    def field(self, label: str, texts: Iterable[str], style: str = "", limit: int = 0) -> None:
        """Print a label on the left and paragraphs beside it."""
        head = pad(f" {label}", _LABEL)
        for text in texts:
            for line in wrap(text, self.width - _LABEL, limit):
                self.say((self.paint(head, "bold") + self.paint(line, style)).rstrip())
                head = " " * _LABEL


def make_terminal_output(*, no_color: bool = False) -> TerminalOutput:
    """Describe the terminal of this process."""
    terminal = sys.stdout.isatty()
    plain = no_color or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    width = _terminal_width() if terminal else WIDTH
    return TerminalOutput(colour=terminal and not plain, width=width)


def _terminal_width() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or WIDTH
    except (OSError, ValueError):
        return WIDTH
