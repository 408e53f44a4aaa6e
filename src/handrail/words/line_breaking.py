"""Wrap and cut text, for the screen and the command line.

The caller measures the width of a text: Textual has its own tables, and a command must not
wait for these.
"""

from collections.abc import Callable

Measure = Callable[[str], int]


def take(text: str, width: int, columns: Measure) -> tuple[str, str]:
    """Split a text into the longest beginning that fits, and the rest."""
    used = 0
    for index, char in enumerate(text):
        used += columns(char)
        if used > width:
            return text[:index], text[index:]
    return text, ""


def clip(text: str, width: int, columns: Measure) -> str:
    """Cut a text to the width, with an ellipsis."""
    if columns(text) <= width:
        return text
    return take(text, width - 1, columns)[0].rstrip() + "…" if width > 0 else ""


def wrap(text: str, width: int, limit: int, columns: Measure) -> list[str]:
    """Break a text into lines, between words if possible.

    With a limit, the last line ends in an ellipsis if there is more.
    """
    width = max(width, 2)  # the widest single character
    lines: list[str] = []
    line, used = "", -1
    for word in text.split(" "):
        size = columns(word)
        if used + 1 + size <= width:
            line, used = (f"{line} {word}" if used >= 0 else word), used + 1 + size
            continue
        if used >= 0:
            lines.append(line)
        rest = word
        while columns(rest) > width:
            piece, rest = take(rest, width, columns)
            lines.append(piece)
        line, used = rest, columns(rest)
    lines.append(line)
    lines = [stripped for item in lines if (stripped := item.rstrip())] or [""]
    if limit and len(lines) > limit:
        last = take(lines[limit - 1], width - 2, columns)[0].rstrip()
        lines = [*lines[: limit - 1], f"{last} …"]
    return lines
