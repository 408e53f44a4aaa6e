"""What a person looks at: the chosen run, the place in its timeline, what is open, what was sent.

Knows nothing of terminals: the app hands keys in, `frame` draws it.
"""

from collections.abc import Callable
from time import time
from typing import Literal

from handrail.model.control import ControlCommand
from handrail.tui.panes.runs import order_runs
from handrail.tui.panes.scrolling import moved
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
        """The entry that is looked at; None: always the newest."""
        self.tops: dict[Pane, int] = {"runs": 0, "timeline": 0}
        """Where each list was last drawn from."""
        self.filters: dict[Pane, str] = {"runs": "", "timeline": ""}
        self.detail = False
        self.scroll = 0
        """Lines of the details, or of the help, above what is shown."""
        self.helping = False
        self.asking: CommandQuestions | None = None
        self.filtering = False
        self.typed = LineEditor()
        self.sent: list[SentCommand] = []
        self.notice = ""
        """What was answered to the last key, where there is something to say."""
        self._settled = False
        self.room = 1
        """Entries that were shown last: as much is a page."""

    # What comes from the log

    def take(self, view: LogView) -> None:
        """The log has gone on."""
        self.view = view
        self.refresh()

    def refresh(self) -> None:
        """Work out anew what is shown."""
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
        """The first run, until all are known; from then on only keys choose another one."""
        if self._settled and any(run.id == self.chosen for run in self.runs):
            return
        before = self.chosen
        at = min(self.tops["runs"], len(self.runs) - 1) if self._settled else 0
        self.chosen = self.runs[at].id if self.runs else ""
        if self.chosen != before:
            self._look_anew()
        self._settled = bool(self.chosen) and not self.view.loading and not self.view.is_first

    def settle(self) -> None:
        """Somebody has pressed a key, and meant the run that was chosen then."""
        self._settled = bool(self.chosen)

    @property
    def run(self) -> RunOverview | None:
        """The chosen run."""
        return next((run for run in self.runs if run.id == self.chosen), None)

    @property
    def entry(self) -> TimelineEntry | None:
        """The entry that is looked at."""
        return self.entries[self.at] if self.entries else None

    @property
    def at(self) -> int:
        """The index of that entry."""
        if self.cursor is None:
            return len(self.entries) - 1
        later = (at for at, entry in enumerate(self.entries) if entry.seq >= self.cursor)
        return next(later, max(len(self.entries) - 1, 0))

    @property
    def newer(self) -> int:
        """How many entries have come since."""
        return len(self.entries) - 1 - self.at if self.cursor is not None else 0

    # Moving about

    def move(self, by: int) -> None:
        """Up or down in the list that has the keys."""
        if self.helping:
            self.scroll = max(self.scroll + by, 0)
        elif self.pane == "timeline":
            self._look_at(moved(self.entries, self.at, by))
        elif self.runs:
            ids = [run.id for run in self.runs]
            at = ids.index(self.chosen) if self.chosen in ids else 0
            self._pick(ids[moved(ids, at, by)])

    def page(self, by: int) -> None:
        """A page up or down: of the details where they are open, else of the timeline."""
        if self.detail or self.helping:
            self.scroll = max(self.scroll + by * max(self.room - 1, 1), 0)
        else:
            self.pane = "timeline"
            self._look_at(moved(self.entries, self.at, by * max(self.room - 1, 1)))

    def first(self) -> None:
        """To the beginning."""
        self.move(-(10**6))

    def newest(self) -> None:
        """To the end; a timeline is followed from there on."""
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
        """Give the keys to a list, or to the other one."""
        self.pane = pane or ("timeline" if self.pane == "runs" else "runs")
        self.scroll = 0

    def toggle_detail(self) -> None:
        """Open the details, or close them."""
        if self.helping:
            self.helping = False
        else:
            self.detail = not self.detail and self.run is not None
        self.scroll = 0

    def toggle_help(self) -> None:
        """Open the page of all keys, or close it."""
        self.helping = not self.helping
        self.scroll = 0

    def close(self) -> None:
        """Close what is open, the uppermost first; at last a filter."""
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
        """The question that is open; empty: none is, and keys are commands."""
        if self.asking is not None:
            return self.asking.label
        return f"only {self.pane} with: " if self.filtering else ""

    def press(self, command: ControlCommand) -> None:
        """A command's key was pressed: the first question, or why it cannot be done."""
        run = self.run
        self.notice = "there is no run" if run is None else why_not(run, command)
        if run is not None and not self.notice:
            self.asking = first_question(command, run)
            self.typed = LineEditor()

    def seek(self) -> None:
        """Ask for a text to filter by."""
        self.filtering = True
        self.typed = LineEditor().insert(self.filters[self.pane])

    def answer(self) -> CommandOrder | None:
        """What was typed is the answer; what is to be sent, if that was the last question."""
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
        """An order goes out."""
        sent = SentCommand(order)
        self.sent.append(sent)
        del self.sent[:-_MAX_SENT]
        self.notice = ""
        return sent
