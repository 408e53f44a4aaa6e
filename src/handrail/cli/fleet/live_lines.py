"""A few lines at the end of a terminal that are drawn again and again."""

import os
import sys
from collections.abc import Sequence

import click


def can_draw() -> bool:
    """Return whether the output is a terminal that can move its cursor."""
    return sys.stdout.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


class LiveLines:
    """The lines that are on the terminal now; no line may be wider than it."""

    def __init__(self) -> None:
        self._drawn: list[str] = []

    def draw(self, lines: Sequence[str]) -> None:
        """Replace the lines by others."""
        if list(lines) != self._drawn:
            click.echo(self._erased() + "\n".join(lines))
            self._drawn = list(lines)

    def print_above(self, text: str) -> None:
        """Print a text that stays, and the lines again below it."""
        click.echo(self._erased() + "\n".join((text, *self._drawn)))

    def leave(self) -> None:
        """Leave the lines where they are; what comes next is printed below."""
        self._drawn = []

    def _erased(self) -> str:
        return f"\x1b[{len(self._drawn)}F\x1b[J" if self._drawn else ""
