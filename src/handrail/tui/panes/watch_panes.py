"""All panes of the screen: the runs above, the timeline and the details below."""

from collections.abc import Callable
from functools import partial

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.widget import Widget

from handrail.tui.panes.entry_detail import entry_detail
from handrail.tui.panes.grouped_table import TALL
from handrail.tui.panes.lines_pane import LinesPane, TextLines
from handrail.tui.panes.needs_you import how_to_answer, question_lines
from handrail.tui.panes.run_detail import run_detail
from handrail.tui.panes.run_words import standing_in_words
from handrail.tui.panes.runs_table import RunsTable
from handrail.tui.panes.task_detail import task_detail
from handrail.tui.panes.tasks_table import TasksTable
from handrail.tui.panes.timeline_list import TimelineList
from handrail.tui.panes.top import alerts, empty_page, top_line
from handrail.tui.state.screen_state import ListName, ScreenState
from handrail.tui.text import Line, StyledSpan, clean, flat, wrap
from handrail.views.run_overview import RunOverview
from handrail.words.fleet_summary import short_fleet
from handrail.words.run_signs import NEEDS_YOU, RUN_SIGNS

WIDE = 120
"""From this width on, details stand beside the timeline."""

Pane = RunsTable | TasksTable | TimelineList | LinesPane


class WatchPanes(Vertical):
    """Draws the state of the screen into panes."""

    def __init__(
        self,
        watching: ScreenState,
        choose: Callable[[str], None],
        choose_task: Callable[[str], None],
    ) -> None:
        super().__init__(id="panes")
        self._watching = watching
        self.list: ListName = "runs"
        """The list that the details are about."""
        self.wants_details: bool | None = None
        """Whether a person wants details; None: where there is room."""
        self.notice = ""
        """The message for the last key."""
        self._top = TextLines("top")
        self._alert = TextLines("alert")
        self._empty = TextLines("empty")
        self.runs = RunsTable(choose)
        self.tasks = TasksTable(choose_task)
        self._needs = LinesPane("needs")
        self.timeline = TimelineList()
        self._detail = LinesPane("detail")
        self._sent = TextLines("sent")

    def compose(self) -> ComposeResult:
        """Stack the runs above the timeline and the details."""
        yield self._top
        yield self._alert
        yield self._empty
        yield self.runs
        yield self.tasks
        yield self._needs
        with Container(id="lower"):
            yield self.timeline
            yield self._detail
        yield self._sent

    def on_mount(self) -> None:
        """Name the panes."""
        self.runs.border_title = "Runs"
        self._detail.border_title = "Details"

    # Keys

    @property
    def _lists(self) -> dict[ListName, RunsTable | TasksTable | TimelineList]:
        return {"runs": self.runs, "tasks": self.tasks, "timeline": self.timeline}

    @property
    def pane(self) -> Pane:
        """The pane with the keys."""
        focused = self.screen.focused
        return focused if isinstance(focused, Pane) else self.runs

    def look(self, name: ListName) -> None:
        """Give the keys to a list."""
        if name == "tasks" and self._watching.tasks.is_empty:
            return
        pane = self._lists[name]
        pane.display = True  # a hidden pane takes no keys; drawing hides the other list then
        self.list = name
        self.screen.set_focus(pane)

    def note_focus(self, focused: Widget | None) -> None:
        """Let the details be about the list that has the keys."""
        self.list = next((name for name, pane in self._lists.items() if pane is focused), self.list)

    @property
    def has_details(self) -> bool:
        """Whether details are shown."""
        return self._is_wide if self.wants_details is None else self.wants_details

    @property
    def _is_wide(self) -> bool:
        return self.app.size.width >= WIDE

    @property
    def _is_crowded(self) -> bool:
        """Whether only one of the lists of runs and tasks fits above the details."""
        return self.has_details and not self._is_wide and self.app.size.height < TALL

    def _is_strange(self, run: RunOverview | None) -> bool:
        """Whether the timeline is about another run than that of the chosen task."""
        task = self._watching.tasks.task
        if self.list != "tasks" or task is None:
            return False
        return run is None or task.run != run.id

    # Drawing

    def draw(self) -> None:
        """Draw the current state."""
        watching = self._watching
        self._top.show([top_line(watching, max(self.app.size.width - 2, 0))])
        self._alert.show(_lines(alerts(watching)))
        page = empty_page(watching)
        self._empty.show(_lines(page))
        run = watching.run
        has_runs = bool(watching.view.runs) and not page
        self.runs.display = has_runs and not (self._is_crowded and self.list == "tasks")
        self.timeline.display = has_runs and not (self.has_details and self._is_strange(run))
        self._draw_runs()
        self._draw_tasks()
        self._draw_needs(run)
        self._draw_timeline(run)
        self._draw_detail(run)
        self._draw_sent()

    def _draw_runs(self) -> None:
        watching = self._watching
        self.runs.show(watching.runs, watching.chosen, watching.now)
        sought = watching.filters["runs"]
        nothing = "" if watching.runs or not sought else ": no run has that in it"
        self.runs.border_subtitle = _plain(f"/{sought}{nothing}" if sought else "")

    def _draw_tasks(self) -> None:
        tasks = self._watching.tasks
        self.tasks.display = not (tasks.is_empty or (self._is_crowded and self.list != "tasks"))
        self.screen.set_class(not tasks.is_empty, "-fleet")
        if tasks.is_empty:
            if self.list == "tasks":
                self.look("runs")
            return
        self.tasks.show(tasks.list, tasks.key, self._watching.now)
        fleet, sought = tasks.fleet, self._watching.filters["tasks"]
        nothing = "" if tasks.list or not sought else ": no task has that in it"
        said = f" · {short_fleet(fleet.name)} · {fleet.says}" if fleet else ""
        self.tasks.border_title = _plain(f"Tasks{said}")
        self.tasks.border_subtitle = _plain(f"/{sought}{nothing}" if sought else "")

    def _draw_needs(self, run: RunOverview | None) -> None:
        needs = run is not None and run.state(self._watching.now) == NEEDS_YOU
        self._needs.display = needs and self.list != "tasks"
        if run is None or not self._needs.display:
            return
        timeline = self._watching.view.timeline if self._watching.view.run == run.id else ()
        self._needs.border_title = _plain(f"{RUN_SIGNS[NEEDS_YOU].mark} {run.name} needs you")
        self._needs.show(run.id, partial(question_lines, run, timeline))
        self._needs.border_subtitle = _plain(how_to_answer(run))

    def _draw_timeline(self, run: RunOverview | None) -> None:
        watching = self._watching
        self.timeline.show(watching.chosen, watching.entries)
        newer, sought = self.timeline.newer, watching.filters["timeline"]
        parts = [f"/{sought}" if sought else "", f"↓ {newer} newer (G)" if newer else ""]
        title = "Timeline"
        if run is not None:
            state = run.state(watching.now)
            said = "" if state == NEEDS_YOU else f" · {standing_in_words(run, watching.now)}"
            title = f"{RUN_SIGNS[state].mark} {run.name}{said}"
            parts += [f"earlier: handrail log {run.name}"] if watching.view.cut else []
        self.timeline.border_title = _plain(title)
        self.timeline.border_subtitle = _plain("  ".join(filter(None, parts)))

    def _draw_detail(self, run: RunOverview | None) -> None:
        watching, entry = self._watching, self.timeline.entry
        task = watching.tasks.task if self.list == "tasks" else None
        self._detail.display = self.has_details and (run is not None or task is not None)
        self.screen.set_class(self.has_details and not self._is_wide, "-details")
        if task is not None and self.has_details:
            name = next((each.name for each in watching.view.runs if each.id == task.run), "")
            self._detail.show(task.key, partial(task_detail, task, name, watching.now))
            return
        if run is None or not self.has_details:
            return
        if self.list == "timeline" and entry is not None:
            lines = partial(entry_detail, entry, watching.view.timeline, run.name)
            self._detail.show(f"{run.id} {entry.seq}", lines)
        else:
            self._detail.show(run.id, partial(run_detail, run, watching.now))

    def _draw_sent(self) -> None:
        """Show the notice for the last key, or the progress of the last command."""
        self._sent.show(self._sent_lines(max(self.app.size.width - 2, 1)))

    def _sent_lines(self, width: int) -> list[Line]:
        if self.notice:
            return [(StyledSpan(line, "yellow"),) for line in wrap(flat(self.notice), width, 2)]
        if not self._watching.sent:
            return []
        *others, sent = self._watching.sent
        run = next((run for run in self._watching.view.runs if run.id == sent.run), None)
        first, *rest = sent.lines(run, width, chosen=sent.run == self._watching.chosen)
        open_ = sum(not each.is_over for each in others)
        more = StyledSpan(f"  (+{open_} under way)" if open_ else "", "dim")
        return [(*first, more), *rest]


def _lines(text: str) -> list[Line]:
    return [(StyledSpan(line),) for line in text.splitlines()]


def _plain(text: str) -> Content:
    """A title that is not read as markup."""
    return Content(clean(flat(text)))
