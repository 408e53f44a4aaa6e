"""The state of the screen: the chosen run, the cursor, the open question, the sent commands.

It knows nothing of terminals: the app passes keys in, and `frame` draws it.
"""

from collections.abc import Callable
from time import time
from typing import Literal

from handrail.model.control import ControlCommand
from handrail.tui.panes.runs import order_runs
from handrail.tui.panes.scrolling import move_in_list
from handrail.tui.panes.timeline import entry_text
from handrail.tui.sending.commands import why_not
from handrail.tui.sending.questions import CommandOrder, CommandQuestions, first_question
from handrail.tui.sending.sent_command import SentCommand
from handrail.tui.state.line_editor import LineEditor
from handrail.tui.state.log_view import LogView, TimelineEntry
from handrail.tui.state.run_overview import RunOverview
from handrail.tui.text import flat

Pane = Literal["runs", "timeline"]
_MAX_SENT = 20


class ScreenState:
    """The state of the screen."""

    def __init__(self, clock: Callable[[], float] = time) -> None:
        self._clock = clock
        self.now = clock()
        self.view = LogView(is_first=True)
        self.runs: list[RunOverview] = []
        self.entries: list[TimelineEntry] = []
        self.chosen = ""
        self.pane: Pane = "runs"
        self.cursor: int | None = None
        """The chosen entry; None follows the newest."""
        self.tops: dict[Pane, int] = {"runs": 0, "timeline": 0}
        """The first visible item of each list."""
        self.filters: dict[Pane, str] = {"runs": "", "timeline": ""}
        self.detail = False
        self.scroll = 0
        """The scroll position of the details or the help."""
        self.helping = False
        self.asking: CommandQuestions | None = None
        self.filtering = False
        self.typed = LineEditor()
        self.sent: list[SentCommand] = []
        self.notice = ""
        """The message for the last key."""
        self._settled = False
        self.room = 1
        """The number of visible entries, which is a page."""

    # What comes from the log

    def show_view(self, view: LogView) -> None:
        """Show a new view of the log."""
        self.view = view
        self.refresh()

    def refresh(self) -> None:
        """Filter and sort again."""
        self.now = self._clock()
        wanted = self.filters["runs"].lower()
        runs = order_runs(self.view.runs, self.now)
        self.runs = [run for run in runs if wanted in self._text(run)]
        self._choose()
        sought = self.filters["timeline"].lower()
        mine = self.view.timeline if self.view.run == self.chosen else ()
        self.entries = [
            entry for entry in mine if not sought or sought in entry_text(entry).lower()
        ]

    def _text(self, run: RunOverview) -> str:
        state = run.state(self.now)
        return flat(f"{run.name} {state} {run.goal} {run.model} {run.cwd} {run.by}").lower()

    def _choose(self) -> None:
        """Choose the first run until all runs are known; then only keys change the choice."""
        if self._settled and any(run.id == self.chosen for run in self.runs):
            return
        before = self.chosen
        at = min(self.tops["runs"], len(self.runs) - 1) if self._settled else 0
        self.chosen = self.runs[at].id if self.runs else ""
        if self.chosen != before:
            self._look_anew()
        self._settled = bool(self.chosen) and not self.view.loading and not self.view.is_first

    def settle(self) -> None:
        """Keep the chosen run after a key: the user means this one."""
        self._settled = bool(self.chosen)

    @property
    def run(self) -> RunOverview | None:
        """The chosen run."""
        return next((run for run in self.runs if run.id == self.chosen), None)

    @property
    def entry(self) -> TimelineEntry | None:
        """The chosen entry."""
        return self.entries[self.at] if self.entries else None

    @property
    def at(self) -> int:
        """The index of the chosen entry."""
        if self.cursor is None:
            return len(self.entries) - 1
        later = (at for at, entry in enumerate(self.entries) if entry.seq >= self.cursor)
        return next(later, max(len(self.entries) - 1, 0))

    @property
    def newer(self) -> int:
        """The number of newer entries."""
        return len(self.entries) - 1 - self.at if self.cursor is not None else 0

    # Moving about

    def move(self, by: int) -> None:
        """Move up or down in the focused list."""
        if self.helping:
            self.scroll = max(self.scroll + by, 0)
        elif self.pane == "timeline":
            self._look_at(move_in_list(self.entries, self.at, by))
        elif self.runs:
            ids = [run.id for run in self.runs]
            at = ids.index(self.chosen) if self.chosen in ids else 0
            self._pick(ids[move_in_list(ids, at, by)])

    def page(self, by: int) -> None:
        """Scroll the details if they are open, else the timeline."""
        if self.detail or self.helping:
            self.scroll = max(self.scroll + by * max(self.room - 1, 1), 0)
        else:
            self.pane = "timeline"
            self._look_at(move_in_list(self.entries, self.at, by * max(self.room - 1, 1)))

    def first(self) -> None:
        """Go to the first item."""
        self.move(-(10**6))

    def newest(self) -> None:
        """Go to the last item, and follow the timeline."""
        self.move(10**6)

    def _look_at(self, at: int) -> None:
        is_last = at >= len(self.entries) - 1
        self.cursor = None if is_last else self.entries[at].seq
        self.scroll = 0

    def _pick(self, run: str) -> None:
        if run != self.chosen:
            self.chosen = run
            self._look_anew()
            self.refresh()

    def _look_anew(self) -> None:
        self.cursor = None
        self.scroll = 0
        self.filters["timeline"] = ""
        self.tops["timeline"] = 0

    def switch(self, pane: Pane | None = None) -> None:
        """Focus a list, or the other one."""
        self.pane = pane or ("timeline" if self.pane == "runs" else "runs")
        self.scroll = 0

    def toggle_detail(self) -> None:
        """Open or close the details."""
        if self.helping:
            self.helping = False
        else:
            self.detail = not self.detail and self.run is not None
        self.scroll = 0

    def toggle_help(self) -> None:
        """Open or close the page of all keys."""
        self.helping = not self.helping
        self.scroll = 0

    def close(self) -> None:
        """Close the topmost open thing; at last the filter."""
        if self.asking is not None or self.filtering:
            self.notice = "nothing was sent" if self.asking is not None else ""
            self.asking, self.filtering = None, False
        elif self.helping or self.detail:
            self.helping = self.detail = False
        elif self.filters[self.pane]:
            self.filters[self.pane] = ""
        else:
            self.cursor = None
        self.refresh()

    # Questions

    @property
    def prompt(self) -> str:
        """The open question, or "" while keys are commands."""
        if self.asking is not None:
            return self.asking.label
        return f"only {self.pane} with: " if self.filtering else ""

    def press(self, command: ControlCommand) -> None:
        """Open the first question of a command, or tell why it is impossible."""
        run = self.run
        self.notice = "there is no run" if run is None else why_not(run, command)
        if run is not None and not self.notice:
            self.asking = first_question(command, run)
            self.typed = LineEditor()

    def seek(self) -> None:
        """Ask for a filter."""
        self.filtering = True
        self.typed = LineEditor().insert(self.filters[self.pane])

    def answer(self) -> CommandOrder | None:
        """Answer the open question; return the order after the last one."""
        typed, self.typed = self.typed.text, LineEditor()
        if self.filtering:
            self.filters[self.pane] = flat(typed)
            self.filtering = False
            self.refresh()
            return None
        asked, self.asking = self.asking, None
        came = asked.answered(typed) if asked is not None else None
        if isinstance(came, CommandQuestions):
            self.asking = came
            return None
        if came is None:
            self.notice = "not confirmed: nothing was sent"
        return came

    def send(self, order: CommandOrder) -> SentCommand:
        """Remember a command that goes out."""
        sent = SentCommand(order)
        self.sent.append(sent)
        del self.sent[:-_MAX_SENT]
        self.notice = ""
        return sent
