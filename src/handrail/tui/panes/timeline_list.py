"""The timeline of the chosen run as a list: it follows the newest entry until one goes up in it."""

from collections.abc import Sequence

from rich.text import Text
from textual.events import Resize
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from handrail.tui.panes.timeline import entry_lines
from handrail.tui.text import as_text
from handrail.views.log_view import TimelineEntry


class TimelineList(OptionList):
    """The entries of a run, newest at the bottom."""

    def __init__(self) -> None:
        super().__init__(id="timeline", markup=False)
        self._entries: Sequence[TimelineEntry] = ()
        self._run = ""
        self._shown: list[TimelineEntry] = []
        self._width = 0

    @property
    def entry(self) -> TimelineEntry | None:
        """The chosen entry."""
        at = self.highlighted
        return self._shown[at] if at is not None and at < len(self._shown) else None

    @property
    def newer(self) -> int:
        """The number of entries below the chosen one."""
        return len(self._shown) - 1 - self.highlighted if self.highlighted is not None else 0

    def show(self, run: str, entries: Sequence[TimelineEntry]) -> None:
        """Show the entries of a run; another run is shown from its end."""
        if run != self._run:
            self._run, self._shown = run, []
            self.clear_options()
        self._entries = entries
        self._draw()

    def go(self, by: int) -> None:
        """Look at the next entry, or the one before."""
        if self.highlighted is not None:
            self.highlighted = min(max(self.highlighted + by, 0), self.option_count - 1)

    def go_page(self, by: int) -> None:
        """Go a page down or up."""
        move = self.action_page_down if by > 0 else self.action_page_up
        move()  # type: ignore[no-untyped-call]

    def go_edge(self, to: int) -> None:
        """Look at the newest entry and follow, or at the first."""
        if self.option_count:
            self.highlighted = self.option_count - 1 if to > 0 else 0

    def on_resize(self, event: Resize) -> None:
        """Break the lines anew."""
        self._draw()

    def _draw(self) -> None:
        width = self.scrollable_content_region.width - 2
        entries = list(self._entries)
        if width <= 0 or (entries == self._shown and width == self._width):
            return
        follows = self.newer == 0
        looked_at = None if follows or self.entry is None else self.entry.seq
        same = width == self._width and _seqs(self._shown) == _seqs(entries[: len(self._shown)])
        if same:
            self._continue(entries, width)
        else:
            self.set_options(_option(entry, width) for entry in entries)
        self._shown, self._width = entries, width
        self._look_at(looked_at)

    def _continue(self, entries: list[TimelineEntry], width: int) -> None:
        """Change what has changed, and add what is new."""
        for at, (old, new) in enumerate(zip(self._shown, entries, strict=False)):
            if old != new:
                self.replace_option_prompt_at_index(at, _prompt(new, width))
        self.add_options(_option(entry, width) for entry in entries[len(self._shown) :])

    def _look_at(self, seq: int | None) -> None:
        """Look at an entry, or at the last."""
        last = len(self._shown) - 1
        later = (at for at, entry in enumerate(self._shown) if seq is not None and entry.seq >= seq)
        at = last if seq is None else next(later, last)
        self.highlighted = at if at >= 0 else None
        if seq is None:
            self.call_after_refresh(self.scroll_end, animate=False)


def _seqs(entries: Sequence[TimelineEntry]) -> list[int]:
    return [entry.seq for entry in entries]


def _option(entry: TimelineEntry, width: int) -> Option:
    return Option(_prompt(entry, width))


def _prompt(entry: TimelineEntry, width: int) -> Text:
    return as_text(entry_lines(entry, width))
