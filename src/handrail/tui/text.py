"""Make any text of an agent safe to show, and measure it.

Lines consist of spans. Nothing in a span is markup.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from handrail.words import line_breaking

_MAX_MARKS = 2
"""Accents per letter: more would grow into other lines."""
_MAX_FLAT = 2000
_FLAGS = range(0x1F1E6, 0x1F200)
_SKINS = range(0x1F3FB, 0x1F400)
_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
"""Terminals disagree about the width of a sign before these."""


class StyledSpan(NamedTuple):
    """A piece of a line with its style."""

    text: str
    style: str = ""


Line = tuple[StyledSpan, ...]


def clean(text: str) -> str:
    """Escape every character that a terminal would act on, hide or measure differently."""
    if text.isascii() and text.isprintable():
        return text
    return _cleaned(text)


@lru_cache(2048)  # the same texts are drawn several times a second
def _cleaned(text: str) -> str:
    return "".join(_harmless(text))


def _harmless(text: str) -> Iterator[str]:
    marks = _MAX_MARKS  # one that stands at the beginning has nothing to stand on
    for char in text:
        code = ord(char)
        if not char.isprintable():
            marks = 0
            yield _escaped(code)
        elif code in _SKINS or any(code in each for each in _SELECTORS):
            continue
        elif code in _FLAGS:
            marks = 0
            yield chr(code - _FLAGS[0] + ord("A"))
        elif cell_len(char):
            marks = 0
            yield char
        elif unicodedata.category(char) not in ("Mn", "Me"):
            marks = 0
            yield _escaped(code)
        elif marks < _MAX_MARKS:
            marks += 1
            yield char


def _escaped(code: int) -> str:
    if code in (0x0A, 0x0D):
        return "⏎"
    if code == 0x09:
        return " "
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def flat(text: str) -> str:
    """Return the beginning of a text as one clean line."""
    return clean(" ".join(text[:_MAX_FLAT].split()))


def columns(text: str) -> int:
    """Return the width of a clean text in columns."""
    return len(text) if text.isascii() else cell_len(text)


def clip(text: str, width: int) -> str:
    """Cut a clean text to the width, with an ellipsis."""
    return line_breaking.clip(text, width, columns)


def take(text: str, width: int) -> tuple[str, str]:
    """Split a clean text into the longest beginning that fits, and the rest."""
    return line_breaking.take(text, width, columns)


def pad(text: str, width: int) -> str:
    """Cut or fill a clean text to the width."""
    text = clip(text, width)
    return text + " " * (width - columns(text))


def wrap(text: str, width: int, limit: int = 0) -> list[str]:
    """Clean a text and break it into lines, between words if possible."""
    return line_breaking.wrap(clean(text), width, limit, columns)


def width_of(line: Iterable[StyledSpan]) -> int:
    """Return the width of a line in columns."""
    return sum(columns(span.text) for span in line)


def clip_line(line: Line, width: int) -> Line:
    """Cut a line to the width."""
    spans: list[StyledSpan] = []
    for text, style in line:
        shown = clip(clean(text), width)
        spans.append(StyledSpan(shown, style))
        width -= columns(shown)
    return tuple(spans)


def clip_name(name: str, width: int) -> str:
    """Cut a name of a run in the middle: its end tells it from others of the same project."""
    if columns(name) <= width:
        return name
    head, dash, tail = name.rpartition("-")
    end = f"{dash}{tail}"
    room = width - columns(end) - 1
    return f"{take(head, room)[0]}…{end}" if head and room > 0 else clip(name, width)


def as_text(lines: Iterable[Line]) -> Text:
    """Return lines for a widget, cleaned.

    Every text on the screen comes through here or through `cell`, so cleaning cannot be forgotten.
    """
    return Text("\n", no_wrap=True, end="").join(_line_text(line) for line in lines)


def _line_text(line: Line) -> Text:
    made = Text(no_wrap=True, end="")
    for text, style in line:
        made.append(clean(text), style)
    return made


def cell(text: str, style: str = "", *, right: bool = False, width: int = 0) -> Text:
    """Return a cell of a table, cut to its width; `right` for numbers."""
    shown = clip(clean(text), width)
    gap = " " * (width - columns(shown)) if right else ""
    return Text(f"{gap}{shown}", style, no_wrap=True, end="")


def plain(line: Line) -> str:
    """Return the text of a line."""
    return "".join(span.text for span in line)
