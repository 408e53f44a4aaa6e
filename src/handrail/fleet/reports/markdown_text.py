"""Texts of agents in a Markdown document: they are shown, and change nothing around them."""

import re

from handrail.fleet.reports.one_line import one_line

_MARKS = re.compile(r"[\\`*\[\]<|~]|^[#+=>-]")
"""Marks with a meaning anywhere in a line, and those that begin a heading, list or quotation."""
_NUMBERED = re.compile(r"^(\d+)([.)])")


def prose(text: str, longest: int) -> str:
    """Return a text as one line in which no mark of Markdown has a meaning."""
    plain = _MARKS.sub(r"\\\g<0>", one_line(text, longest))
    return _NUMBERED.sub(r"\1\\\2", plain)


def code(text: str, longest: int) -> str:
    """Return a name as a span of code that may stand in a table."""
    plain = one_line(text, longest).replace("`", "'").replace("\\", "/")
    return f"`{plain}`".replace("|", r"\|") if plain else ""


def table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    """Return the lines of a table; the cells are ready."""
    return [_row(header), _row(tuple("---" for _ in header)), *map(_row, rows)]


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
