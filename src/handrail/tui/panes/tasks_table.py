"""The list of tasks: those that need a person first, then those at work, the done ones last.

A thousand tasks are drawn once: afterwards only the rows that have changed are made anew.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from rich.text import Text
from textual.events import Resize

from handrail.tui.panes.grouped_table import HEADING, TALL, GroupedTable
from handrail.tui.text import cell, clip_name, columns, flat
from handrail.views.task_overview import TaskOverview
from handrail.words.amounts import money
from handrail.words.fleet_summary import FOR_A_PERSON
from handrail.words.tasks import DONE, MERGED, READY, TASK_SIGNS, WAITING, WORKING
from handrail.words.times import duration_in_words

_LEAST_NAME = 12
_LEAST_SUBJECT = 20
_MINUTE = 60.0
"""Seconds after which the ages are shown anew."""
_STATE = max(map(len, TASK_SIGNS))


class TaskColumn(NamedTuple):
    """A column on the right of the table."""

    title: str
    width: int
    text: Callable[[TaskOverview, float], str]
    at_least: int = 0
    """The width of the table from which on it is shown."""


_COLUMNS = (
    TaskColumn("slot", 4, lambda task, now: str(task.slot or "")),
    TaskColumn("try", 3, lambda task, now: str(task.attempt or ""), 72),
    TaskColumn("loop", 4, lambda task, now: str(task.iteration or ""), 92),
    TaskColumn("cost", 7, lambda task, now: money(task.cost) if task.cost else "", 64),
    TaskColumn("time", 6, lambda task, now: duration_in_words(now - task.since), 56),
)
_GROUPS = {
    **dict.fromkeys(FOR_A_PERSON, "needs you"),
    WORKING: "at work",
    **dict.fromkeys((READY, WAITING), "next"),
    **dict.fromkeys((DONE, MERGED), "done"),
}


class TasksTable(GroupedTable):
    """The tasks of all fleets."""

    def __init__(self, choose: Callable[[str], None]) -> None:
        super().__init__("tasks", choose)
        self._tasks: Sequence[TaskOverview] = ()
        self._several = False
        self._now = 0.0
        self._drawn: tuple[object, ...] = ()
        self._drawn_tasks: Sequence[TaskOverview] = ()
        """What the last drawing was made of."""
        self._layout: tuple[int, ...] = ()
        self._made: dict[str, tuple[TaskOverview, list[Text]]] = {}
        """The cells of each task, for this layout and minute."""

    def show(self, tasks: Sequence[TaskOverview], chosen: str, now: float) -> None:
        """Show these tasks, in this order."""
        self._tasks, self.chosen, self._now = tasks, chosen, now
        self._draw()

    def on_resize(self, event: Resize) -> None:
        """Use the new width, and keep the chosen task in sight."""
        self._draw()
        self.call_after_refresh(lambda: self.move_cursor(row=self.cursor_row))

    def _draw(self) -> None:
        width = self.scrollable_content_region.width
        if not width:
            return
        minute, is_tall = self._now // _MINUTE, self.app.size.height >= TALL
        drawn = (width, minute, is_tall)
        with self.drawn_by_us():
            if drawn != self._drawn:
                self._made.clear()
            if drawn != self._drawn or self._tasks is not self._drawn_tasks:
                self._drawn, self._drawn_tasks = drawn, self._tasks
                self._draw_rows(width, is_tall=is_tall)
            self.look_at_chosen()

    def _draw_rows(self, width: int, *, is_tall: bool) -> None:
        layout = self._widths(width)
        if layout != self._layout:
            self._made.clear()
        cells = self._cells(layout, is_tall=is_tall)
        if layout != self._layout or list(cells) != self.keys():
            self._rebuild(layout, cells)
        else:
            self.update_cells(cells)

    def _widths(self, width: int) -> tuple[int, ...]:
        """Return the widths of mark, name, state, subject, and of the columns that fit."""
        shown = [each.width + 1 for each in _columns(width)]
        self._several = len({task.fleet for task in self._tasks}) > 1
        longest = max((columns(self._task_name(task)) for task in self._tasks), default=0)
        rest = width - 3 - _STATE - sum(shown)
        least = max(_LEAST_SUBJECT, rest // 2)
        name = max(min(longest, rest - least), min(_LEAST_NAME, rest)) + 1
        return (2, name, _STATE + 1, max(rest - name, 0), *shown)

    def _task_name(self, task: TaskOverview) -> str:
        return flat(task.key if self._several else task.task.id)

    def _cells(self, layout: tuple[int, ...], *, is_tall: bool) -> dict[str, list[Text]]:
        shown: dict[str, list[Text]] = {}
        empty = [Text("")] * (len(layout) - 2)
        for task in self._tasks:
            group = _GROUPS[task.words.state]
            heading = f"{HEADING}{group}"
            if is_tall and heading not in shown:
                shown[heading] = [
                    Text(""),
                    cell(group.upper(), "bold dim", width=layout[1]),
                    *empty,
                ]
            shown[task.key] = self._row(task, layout)
        return shown

    def _row(self, task: TaskOverview, layout: tuple[int, ...]) -> list[Text]:
        """Return the cells of a task; they are kept until the task changes."""
        known = self._made.get(task.key)
        if known is not None and known[0] is task:
            return known[1]
        _, name, state, subject, *_ = layout
        words = task.words
        row = [
            cell(words.mark, words.style, width=2),
            cell(clip_name(self._task_name(task), name - 1), "bold", width=name),
            cell(words.state, words.style, width=state - 1),
            cell(_subject(task), width=max(subject - 1, 0)),
            *(
                cell(each.text(task, self._now), "dim", right=True, width=each.width)
                for each in _columns(self.scrollable_content_region.width)
            ),
        ]
        self._made[task.key] = (task, row)
        return row

    def _rebuild(self, layout: tuple[int, ...], cells: dict[str, list[Text]]) -> None:
        _, name, state, subject, *_ = layout
        top = self.scroll_y
        self.clear(columns=True)
        self.add_column("", width=2)
        self.add_column("task", width=name)
        self.add_column("state", width=state)
        self.add_column("what, or why it waits", width=subject)
        for each in _columns(self.scrollable_content_region.width):
            title = cell(each.title, right=True, width=each.width)
            self.add_column(title, width=each.width + 1)
        for key, row in cells.items():
            self.add_row(*row, key=key)
        self._layout = layout
        self.scroll_to(y=top, animate=False)


def _columns(width: int) -> Iterable[TaskColumn]:
    return (each for each in _COLUMNS if width >= each.at_least)


def _subject(task: TaskOverview) -> str:
    """Return what the task is, or why it does not go on."""
    tells = task.words.state in (*FOR_A_PERSON, WAITING)
    return flat(task.words.why if tells and task.words.why else task.task.label)
