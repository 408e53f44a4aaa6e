"""Parts of the screen that show lines; a pane has a scroll bar where they do not fit."""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.events import Resize
from textual.widgets import Static

from handrail.tui.text import Line, as_text

LinesForWidth = Callable[[int], list[Line]]


class TextLines(Static):
    """Some lines; hidden while there are none. Unchanged lines cost nothing."""

    def __init__(self, name: str = "") -> None:
        super().__init__("", markup=False, id=name or None)
        self._lines: list[Line] = []

    def show(self, lines: list[Line]) -> None:
        """Show these lines."""
        self.display = bool(lines)
        if lines != self._lines:
            self._lines = lines
            self.update(as_text(lines))


class LinesPane(VerticalScroll):
    """Shows lines; what they are is decided when their width is known."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name)
        self._text = TextLines()
        self._lines_for: LinesForWidth = lambda width: []
        self._about = ""

    def compose(self) -> ComposeResult:
        """Hold one text."""
        yield self._text

    def show(self, about: str, lines_for: LinesForWidth) -> None:
        """Show the lines about something; about something else, they begin at the top."""
        if about != self._about:
            self._about = about
            self.scroll_home(animate=False)
        self._lines_for = lines_for
        self._draw()

    def go(self, by: int) -> None:
        """Scroll a line."""
        self.scroll_relative(y=by, animate=False)

    def go_page(self, by: int) -> None:
        """Scroll a page."""
        self.scroll_relative(
            y=by * max(self.scrollable_content_region.height - 1, 1), animate=False
        )

    def go_edge(self, to: int) -> None:
        """Scroll to the end, or to the beginning."""
        if to > 0:
            self.scroll_end(animate=False)
        else:
            self.scroll_home(animate=False)

    def on_resize(self, event: Resize) -> None:
        """Break the lines anew."""
        self._draw()

    def _draw(self) -> None:
        width = self.scrollable_content_region.width
        self._text.show(self._lines_for(width) if width else [])
