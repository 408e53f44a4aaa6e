"""The list of runs: a table with a heading for each group of states."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.text import Text
from textual.events import Resize

from handrail.tui.panes import run_words
from handrail.tui.panes.grouped_table import HEADING, TALL, GroupedTable
from handrail.tui.text import as_text, cell, clip_name, columns, flat
from handrail.views.run_groups import group_of
from handrail.views.run_overview import RunOverview
from handrail.words.run_signs import RUN_SIGNS

_LEAST_NAME = 12
_LEAST_SUBJECT = 24


class RunColumn(NamedTuple):
    """A column on the right of the table."""

    title: str
    width: int
    text: Callable[[RunOverview, float], str]
    at_least: int = 0
    """The width of the table from which on it is shown."""
    right: bool = True


_RISK = "risk"
_COLUMNS = (
    RunColumn("loop", 6, lambda run, now: run_words.iteration(run), 92),
    RunColumn("model", 11, lambda run, now: run_words.model(run), 108, right=False),
    RunColumn("actions", 7, lambda run, now: str(run.step), 120),
    RunColumn("cost", 7, lambda run, now: run_words.cost(run)),
    RunColumn("tokens", 6, lambda run, now: run_words.tokens(run), 64),
    RunColumn("time", 6, run_words.age, 56),
)
_RISK_WIDTHS = ((120, 16), (72, 8), (0, 0))
"""The width of the risk sparkline, by the width of the table."""


class RunsTable(GroupedTable):
    """The runs. A person chooses one with keys or the mouse; headings cannot be chosen."""

    def __init__(self, choose: Callable[[str], None]) -> None:
        """`choose` hears at once of every choice, so that the next key finds it made."""
        super().__init__("runs", choose)
        self._runs: Sequence[RunOverview] = ()
        self._now = 0.0
        self._layout: tuple[int, ...] = ()

    def show(self, runs: Sequence[RunOverview], chosen: str, now: float) -> None:
        """Show these runs, in this order."""
        self._runs, self.chosen, self._now = runs, chosen, now
        self._draw()

    def on_resize(self, event: Resize) -> None:
        """Use the new width, and keep the chosen run in sight."""
        self._draw()
        self.call_after_refresh(lambda: self.move_cursor(row=self.cursor_row))

    # Drawing

    def _draw(self) -> None:
        width = self.scrollable_content_region.width
        if not width:
            return
        with self.drawn_by_us():
            layout = self._widths(width)
            cells = self._cells(layout)
            if layout != self._layout or list(cells) != self.keys():
                self._rebuild(layout, cells)
            else:
                self.update_cells(cells)
            self.look_at_chosen()

    def _widths(self, width: int) -> tuple[int, ...]:
        """Return the widths of mark, name, subject, risk, and of the columns that fit."""
        shown = [each.width + 1 for each in _COLUMNS if width >= each.at_least]
        risk = next(wide for least, wide in _RISK_WIDTHS if width >= least)
        longest = max((columns(flat(run.name)) for run in self._runs), default=0)
        rest = width - 2 - sum(shown) - (risk + 1 if risk else 0)
        least = max(_LEAST_SUBJECT, rest * 3 // 5)
        name = max(min(longest, rest - least), min(_LEAST_NAME, rest)) + 1
        return (2, name, max(rest - name, 0), risk, *shown)

    def _cells(self, layout: tuple[int, ...]) -> dict[str, list[Text]]:
        _, name, subject, risk, *numbers = layout
        shown: dict[str, list[Text]] = {}
        empty = [Text("")] * (len(numbers) + bool(risk) + 1)
        is_tall = self.app.size.height >= TALL
        for run in self._runs:
            group = group_of(run, self._now)
            key = f"{HEADING}{group.title}"
            if is_tall and key not in shown:
                shown[key] = [Text(""), cell(group.title.upper(), "bold dim", width=name), *empty]
            sign = RUN_SIGNS[run.state(self._now)]
            shown[run.id] = [
                cell(sign.mark, sign.style, width=2),
                cell(clip_name(flat(run.name), name - 1), "bold", width=name),
                cell(run_words.subject(run, self._now), width=max(subject - 1, 0)),
                *self._numbers(run, numbers, risk),
            ]
        return shown

    def _numbers(self, run: RunOverview, widths: Sequence[int], risk: int) -> list[Text]:
        wide = self.scrollable_content_region.width
        made = [
            cell(each.text(run, self._now), "dim", right=each.right, width=each.width)
            for each in _COLUMNS
            if wide >= each.at_least
        ]
        return [*made, as_text([run_words.risk_line(run, risk)])] if risk else made

    def _rebuild(self, layout: tuple[int, ...], cells: dict[str, list[Text]]) -> None:
        _, name, subject, risk, *_ = layout
        top = self.scroll_y
        self.clear(columns=True)
        self.add_column("", width=2)
        self.add_column("run", width=name)
        self.add_column("goal, or why it waits", width=subject)
        wide = self.scrollable_content_region.width
        for each in _COLUMNS:
            if wide >= each.at_least:
                title = cell(each.title, right=each.right, width=each.width)
                self.add_column(title, width=each.width + 1)
        if risk:
            self.add_column(_RISK, width=risk + 1)
        for key, row in cells.items():
            self.add_row(*row, key=key)
        self._layout = layout
        self.scroll_to(y=top, animate=False)
