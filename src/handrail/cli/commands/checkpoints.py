"""`handrail checkpoints`: list the checkpoints of a project."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import click

from handrail.checkpoint import CheckpointRecord, CheckpointTrigger
from handrail.cli import options
from handrail.cli.history.runs import find_home
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput, clip, columns, pad
from handrail.cli.restores.project_checkpoints import (
    checkpoint_age,
    open_checkpoints,
    record_json,
    run_names,
    saved_folder,
)
from handrail.words.amounts import count, size
from handrail.words.checkpoints import checkpoint_reason

_SHOWN = 20
_MAX_RUN = 14
_GOES_BACK = "↶"
_PARTIAL = "◐"
_NONE = (
    "No checkpoints of {} yet. Handrail saves the files before each prompt of a supervised "
    "session and before actions that are hard to undo. Save them now: handrail checkpoint"
)


@click.command()
@click.option("--all", "show_all", is_flag=True, help="List all, not only the last 20.")
@options.json_option("Print all as JSON.")
@options.color_option
def command(show_all: bool, as_json: bool) -> int:
    """List this project's checkpoints, newest first.

    FILES and SIZE count the changes since the checkpoint before. STEP is the last
    action before the checkpoint. You can go back to every line.

    \b
      ↶ saved after an undo or a rollback
      ◐ incomplete: handrail checkpoints --json lists what is missing

    \b
    Examples:
      handrail checkpoints
      handrail checkpoints --all
      handrail checkpoints --json | jq '.[] | select(.name != "")'
    """
    checkpoints = open_checkpoints(saved_folder())
    if as_json:
        print_json([record_json(each) for each in checkpoints.newest_first()])
        return 0
    screen = options.screen()
    records = list(checkpoints.newest_first())
    if not records:
        screen.paragraph(_NONE.format(checkpoints.work_tree))
        return 0
    shown = records if show_all else records[:_SHOWN]
    names = run_names(find_home(), (each.run for each in shown))
    show(screen, shown, names)
    if len(records) > len(shown):
        more = count(len(records) - len(shown), "older one")
        screen.say(screen.paint(f" … and {more}: handrail checkpoints --all", "dim"))
    return 0


class TableColumn(NamedTuple):
    """A column of the table; Handrail leaves out a column without content."""

    head: str
    style: str = ""
    align: str = "left"

    def fill(self, text: str, width: int) -> str:
        """Pad a cell to the width of the column."""
        return f"{text:>{width}}" if self.align == "right" else pad(text, width)


_COLUMNS = (
    TableColumn("", "yellow"), TableColumn("ID", "bold"), TableColumn("AGE", "", "right"),
    TableColumn("WHY"), TableColumn("RUN STEP", "dim"), TableColumn("FILES", "dim", "right"),
    TableColumn("SIZE", "dim", "right"), TableColumn("", "yellow"),
)  # fmt: skip
_WHY = 3
"""The column that takes the remaining width."""
_SPARED = (6, 5, 4)
"""Columns that a narrow terminal leaves out, in this order: size, files, run."""
_GAP = "  "
_LEAST = 20


def show(
    screen: TerminalOutput, records: Sequence[CheckpointRecord], names: Mapping[str, str]
) -> None:
    """Print the table."""
    rows = [_cells(each, names) for each in records]
    heads = tuple(column.head for column in _COLUMNS)
    used = [at for at in range(len(_COLUMNS)) if any(row[at] for row in rows)]
    wide = {at: max(columns(row[at]) for row in (heads, *rows)) for at in used}
    for spared in _SPARED:
        if _room(screen, wide) < _LEAST:
            wide.pop(spared, None)
    wide[_WHY] = min(wide[_WHY], _room(screen, wide))

    def line(row: Sequence[str], style: str = "") -> str:
        cells = (_COLUMNS[at].fill(clip(row[at], wide[at]), wide[at]) for at in wide)
        styles = (style or _COLUMNS[at].style for at in wide)
        painted = [screen.paint(*pair) for pair in zip(cells, styles, strict=True)]
        return f" {_GAP.join(painted)}".rstrip()

    screen.say(line(heads, "dim"))
    for row in rows:
        screen.say(line(row))


def _room(screen: TerminalOutput, wide: Mapping[int, int]) -> int:
    """Return the width that the other columns leave for the reason."""
    return screen.width - 1 - sum(width + len(_GAP) for at, width in wide.items() if at != _WHY)


def _cells(record: CheckpointRecord, names: Mapping[str, str]) -> tuple[str, ...]:
    run = names.get(record.run, "")
    step = f" {record.step}" if record.step else ""
    return (
        _GOES_BACK if record.moment is CheckpointTrigger.RESTORED else "",
        record.id,
        checkpoint_age(record),
        checkpoint_reason(record),
        f"{clip(run, _MAX_RUN)}{step}" if run else "",
        f"{record.files:,}",
        size(record.bytes),
        "" if record.coverage.complete else _PARTIAL,
    )
