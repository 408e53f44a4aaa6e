"""Text for a terminal: what is safe to print, how wide it is, where it breaks."""

import os
import re
import sys
import unicodedata
from collections.abc import Iterable

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
"""One colour per meaning: green ran, yellow changed or warned, red stopped, dim is detail."""


# Wide since Unicode 16, which the tables of older Pythons do not know yet.
_NEWLY_WIDE = re.compile("[\u2630-\u2637\u268a-\u268f\u4dc0-\u4dff\U0001d300-\U0001d376]")


def visible(text: str) -> str:
    """The text with everything shown that a terminal would act on or hide."""
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
    """How many columns a visible text takes, at most."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(char: str) -> int:
    if char.isascii():
        return 1
    if char == "\ufe0f":  # turns the sign before it into a picture, which may be wider
        return 1
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me"):
        return 0
    wide = unicodedata.east_asian_width(char) in "WF" or _NEWLY_WIDE.match(char)
    return 2 if wide else 1


def clip(text: str, width: int) -> str:
    """The text in one line, cut with an ellipsis where it is too long."""
    text = visible(text)
    if columns(text) <= width:
        return text
    return _take(text, width - 1)[0].rstrip() + "…"


def pad(text: str, width: int) -> str:
    """The text, filled up with blanks."""
    return text + " " * (width - columns(text))


def wrap(text: str, width: int, limit: int = 0) -> list[str]:
    """The text in lines, broken between words where that is possible.

    With a limit, the last of so many lines ends in an ellipsis if there is more.
    """
    width = max(width, 2)  # the widest single character
    lines: list[str] = []
    line, used = "", -1
    for word in visible(text).split(" "):
        size = columns(word)
        if used + 1 + size <= width:
            line, used = (f"{line} {word}" if used >= 0 else word), used + 1 + size
            continue
        if used >= 0:
            lines.append(line)
        rest = word
        while columns(rest) > width:
            piece, rest = _take(rest, width)
            lines.append(piece)
        line, used = rest, columns(rest)
    lines.append(line)
    lines = [stripped for item in lines if (stripped := item.rstrip())] or [""]
    if limit and len(lines) > limit:
        last = _take(lines[limit - 1], width - 2)[0].rstrip()
        lines = [*lines[: limit - 1], f"{last} …"]
    return lines


def _take(text: str, width: int) -> tuple[str, str]:
    """The longest beginning that fits, and the rest."""
    used = 0
    for index, char in enumerate(text):
        used += _columns(char)
        if used > width:
            return text[:index], text[index:]
    return text, ""


def count(number: int, noun: str) -> str:
    """`1 file`, `1,200 files`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def size(number: float) -> str:
    """`310 B`, `4.1 KB`, `12 MB`."""
    for unit in ("B", "KB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            break
        number /= 1000
    return f"{number:.0f} {unit}" if unit == "B" or number >= 10 else f"{number:.1f} {unit}"


def money(usd: float) -> str:
    """`$0.42`; of less than a cent, as much as is there."""
    return f"${usd:,.2f}" if usd >= 0.005 or not usd else f"${usd:.4f}"


class Screen:
    """Where a command prints for people: width, colour or none."""

    def __init__(self, *, colour: bool, width: int = WIDTH) -> None:
        self.colour = colour
        self.width = max(min(width, WIDTH), _NARROW)

    def paint(self, text: str, style: str) -> str:
        """The text in one of the styles."""
        if not self.colour or not text or not style:
            return text
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m"

    def say(self, line: str = "") -> None:
        """Print one line."""
        sys.stdout.write(line + "\n")

    def field(self, label: str, texts: Iterable[str], style: str = "", limit: int = 0) -> None:
        """A label on the left and paragraphs beside it."""
        head = pad(f" {label}", _LABEL)
        for text in texts:
            for line in wrap(text, self.width - _LABEL, limit):
                self.say((self.paint(head, "bold") + self.paint(line, style)).rstrip())
                head = " " * _LABEL


def make_screen(*, no_color: bool = False) -> Screen:
    """The screen that this process prints to."""
    terminal = sys.stdout.isatty()
    plain = no_color or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    width = _terminal_width() if terminal else WIDTH
    return Screen(colour=terminal and not plain, width=width)


def _terminal_width() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or WIDTH
    except (OSError, ValueError):
        return WIDTH
