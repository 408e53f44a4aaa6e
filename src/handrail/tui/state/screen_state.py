"""The state of the screen: the chosen run, the filters, the open question, the sent commands.

It knows nothing of terminals: the app passes keys in, and the panes draw it.
"""

from collections.abc import Callable
from time import time
from typing import Literal

from handrail.model.control import ControlCommand
from handrail.tui.panes.timeline import entry_text
from handrail.tui.sending.questions import CommandOrder, CommandQuestions, first_question
from handrail.tui.sending.sent_command import SentCommand
from handrail.tui.sending.task_commands import TaskOrder, TaskQuestion
from handrail.tui.state.chosen_task import ChosenTask
from handrail.tui.text import flat
from handrail.views.log_view import LogView, TimelineEntry
from handrail.views.possible_commands import why_not
from handrail.views.run_groups import order_runs
from handrail.views.run_overview import RunOverview

ListName = Literal["runs", "tasks", "timeline"]
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
        self.filters: dict[ListName, str] = {"runs": "", "tasks": "", "timeline": ""}
        self.tasks = ChosenTask()
        self.asking: CommandQuestions | TaskQuestion | None = None
        self.filtering: ListName | None = None
        self.sent: list[SentCommand] = []
        self._at = 0
        """The place of the chosen run in the list."""
        self._settled = False

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
        self.tasks.show(self.view.fleets, self.filters["tasks"])
        sought = self.filters["timeline"].lower()
        mine = self.view.timeline if self.view.run == self.chosen else ()
        self.entries = [
            entry for entry in mine if not sought or sought in entry_text(entry).lower()
        ]

    def _text(self, run: RunOverview) -> str:
        state = run.state(self.now)
        return flat(f"{run.name} {state} {run.goal} {run.model} {run.cwd} {run.by}").lower()

    def _choose(self) -> None:
        """Choose the first run until all runs are known; then only a person changes the choice."""
        ids = [run.id for run in self.runs]
        if self._settled and self.chosen in ids:
            self._at = ids.index(self.chosen)
            return
        self._at = max(min(self._at, len(ids) - 1), 0) if self._settled else 0
        self._look_at(ids[self._at] if ids else "")
        self._settled = bool(self.chosen) and not self.view.loading and not self.view.is_first

    def settle(self) -> None:
        """Keep the chosen run after a key: the user means this one."""
        self._settled = bool(self.chosen)

    def pick(self, run: str) -> None:
        """Choose a run, as a person does."""
        self._look_at(run)
        self._settled = True
        self.refresh()

    def _look_at(self, run: str) -> None:
        if run != self.chosen:
            self.chosen = run
            self.filters["timeline"] = ""

    @property
    def run(self) -> RunOverview | None:
        """The chosen run."""
        return next((run for run in self.runs if run.id == self.chosen), None)

    # Questions

    @property
    def is_asking(self) -> bool:
        """Whether what is typed is an answer."""
        return self.asking is not None or self.filtering is not None

    @property
    def prompt(self) -> str:
        """The label of the open question, or "" while keys are commands."""
        if self.asking is not None:
            return self.asking.label
        return f"only {self.filtering} with: " if self.filtering else ""

    def press(self, command: ControlCommand) -> str:
        """Open the first question of a command; return why it is impossible, or ""."""
        run = self.run
        problem = "there is no run" if run is None else why_not(run, command)
        if run is not None and not problem:
            self.asking = first_question(command, run)
        return problem

    def press_task(self, command: str) -> str:
        """Open the question of a command about a task; return why it is impossible, or ""."""
        asked = self.tasks.ask(command, [run.cwd for run in self.view.runs])
        if isinstance(asked, str):
            return asked
        self.asking = asked
        return ""

    def follow_task(self) -> bool:
        """Choose the run of the chosen task; return whether the list has it."""
        task = self.tasks.task
        if task is None or all(run.id != task.run for run in self.runs):
            return False
        if task.run != self.chosen:
            self.pick(task.run)
        return True

    def seek(self, name: ListName) -> str:
        """Ask for a filter; return the present one."""
        self.filtering = name
        return self.filters[name]

    def clear_filter(self, name: ListName) -> bool:
        """Show everything again; return whether there was a filter."""
        had, self.filters[name] = self.filters[name], ""
        self.refresh()
        return bool(had)

    def dismiss(self) -> bool:
        """Close the open question; return whether a command was about to be sent."""
        was_command = self.asking is not None
        self.asking, self.filtering = None, None
        return was_command

    def answer(self, typed: str) -> CommandOrder | TaskOrder | None:
        """Answer the open question; return the order after the last one."""
        if self.filtering is not None:
            self.filters[self.filtering] = flat(typed)
            self.filtering = None
            self.refresh()
            return None
        asked, self.asking = self.asking, None
        came = asked.answered(typed) if asked is not None else None
        if isinstance(came, CommandQuestions | TaskQuestion):
            self.asking = came
            return None
        return came

    def send(self, word: str, run: str, name: str, *, holds: bool = False) -> SentCommand:
        """Remember a command that goes out."""
        sent = SentCommand(word, run, name, holds)
        self.sent.append(sent)
        del self.sent[:-_MAX_SENT]
        return sent
