"""A widget that shows lines, and redraws only those that changed."""

import os

from rich.segment import Segment
from rich.style import Style
from textual.events import Resize
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from handrail.tui.text import Line

_COLOURS = frozenset({"green", "yellow", "red"})


class Canvas(Widget, can_focus=True):
    """Shows lines of spans without interpreting markup."""

    class Resized(Message):
        """The size changed."""

    def __init__(self, *, colour: bool = True) -> None:
        super().__init__()
        self._lines: list[Line] = []
        self._colour = colour

    def show(self, lines: list[Line]) -> None:
        """Show these lines."""
        before, self._lines = self._lines, lines
        if len(before) != len(lines):
            self.refresh()
            return
        changed = [
            Region(0, at, self.size.width, 1)
            for at, (old, new) in enumerate(zip(before, lines, strict=True))
            if old != new
        ]
        if changed:
            self.refresh(*changed)

    def render_line(self, y: int) -> Strip:
        """Render one line."""
        width = self.size.width
        if y >= len(self._lines):
            return Strip.blank(width)
        spans = self._lines[y]
        strip = Strip([Segment(span.text, self._style(span.style)) for span in spans if span.text])
        return strip.adjust_cell_length(width)

    def on_resize(self, event: Resize) -> None:
        """Ask the app for new lines."""
        self.post_message(self.Resized())

    def _style(self, names: str) -> Style:
        if not self._colour:
            names = " ".join(name for name in names.split() if name not in _COLOURS)
        return Style.parse(names or "none")


def wants_colour() -> bool:
    """Return whether the user wants colours."""
    return not os.environ.get("NO_COLOR")
