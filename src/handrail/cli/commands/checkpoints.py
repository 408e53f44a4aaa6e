"""`handrail checkpoints`: what was saved of a project, and when."""

from collections.abc import Mapping, Sequence

import click
import msgspec

from handrail.checkpoint import CheckpointRecord, CheckpointTrigger
from handrail.cli import options
from handrail.cli.history.runs import find_home
from handrail.cli.output.json_line import json_line
from handrail.cli.output.terminal import TerminalOutput, clip, columns, pad, wrap
from handrail.cli.restores.project_checkpoints import (
    age,
    open_checkpoints,
    reason,
    record_json,
    run_names,
    saved_folder,
)
from handrail.words.amounts import count, size

_SHOWN = 20
_MAX_RUN = 14
_GOES_BACK = "↶"
_PARTIAL = "◐"
_NONE = (
    "No checkpoints of {} yet. Handrail saves the files before each prompt of a supervised "
    "session and before what is hard to undo; handrail checkpoint saves them now."
)


@click.command()
@click.option("--all", "show_all", is_flag=True, help="All of them, not only the last 20.")
@options.json_option("Print JSON: all of them.")
@options.color_option
def command(show_all: bool, as_json: bool) -> int:
    """List what was saved of this project, the newest first.

    FILES and SIZE are what was other than in the checkpoint before; STEP is the last
    action that it holds. Every line can be gone back to.

    \b
      ↶ files were put back: this is how they were afterwards
      ◐ not everything is in it: handrail checkpoints --json says what is missing

    \b
    Examples:
      handrail checkpoints
      handrail checkpoints --all
      handrail checkpoints --json | jq '.[] | select(.name != "")'
    """
    checkpoints = open_checkpoints(saved_folder())
    if as_json:
        found = checkpoints.newest_first()
        click.echo(json_line([record_json(each) for each in found]))
        return 0
    screen = options.screen()
    records = list(checkpoints.newest_first())
    if not records:
        for line in wrap(_NONE.format(checkpoints.work_tree), screen.width - 1):
            screen.say(f" {line}")
        return 0
    shown = records if show_all else records[:_SHOWN]
    names = run_names(find_home(), (each.run for each in shown))
    show(screen, shown, names)
    if len(records) > len(shown):
        more = count(len(records) - len(shown), "older one")
        screen.say(screen.paint(f" … and {more}: handrail checkpoints --all", "dim"))
    return 0


class TableColumn(msgspec.Struct, frozen=True):
    """A column of the table; one in which nothing stands is not shown."""

    head: str
    style: str = ""
    right: bool = False

    def fill(self, text: str, width: int) -> str:
        """A cell of it, as wide as all others."""
        return f"{text:>{width}}" if self.right else pad(text, width)


_COLUMNS = (
    TableColumn("", "yellow"),
    TableColumn("ID", "bold"),
    TableColumn("AGE", right=True),
    TableColumn("WHY"),
    TableColumn("RUN STEP", "dim"),
    TableColumn("FILES", "dim", right=True),
    TableColumn("SIZE", "dim", right=True),
    TableColumn("", "yellow"),
)
_WHY = 3
"""The column that gets the room that the others leave."""
_SPARED = (6, 5, 4)
"""Columns that a narrow terminal goes without, one after the other: size, files, run."""
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
    """What the other columns leave for the reason."""
    return screen.width - 1 - sum(width + len(_GAP) for at, width in wide.items() if at != _WHY)


def _cells(record: CheckpointRecord, names: Mapping[str, str]) -> tuple[str, ...]:
    run = names.get(record.run, "")
    step = f" {record.step}" if record.step else ""
    return (
        _GOES_BACK if record.moment is CheckpointTrigger.RESTORED else "",
        record.id,
        age(record),
        reason(record),
        f"{clip(run, _MAX_RUN)}{step}" if run else "",
        f"{record.files:,}",
        size(record.bytes),
        "" if record.coverage.complete else _PARTIAL,
    )
