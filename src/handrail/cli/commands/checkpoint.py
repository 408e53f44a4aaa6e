"""`handrail checkpoint`: save the files of a project now."""

import os

import click
import msgspec

from handrail.checkpoint import CheckpointRecord
from handrail.checkpoint.names import BadNameError, check_name
from handrail.checkpoint.work_tree import check_can_be_saved
from handrail.cli import options
from handrail.cli.daemon_request import ask_daemon
from handrail.cli.history.runs import find_home
from handrail.cli.output.json_line import json_line
from handrail.cli.output.terminal import TerminalOutput, wrap
from handrail.cli.restores.project_checkpoints import (
    age,
    coverage_in_words,
    open_checkpoints,
    project_folder,
    record_json,
    same_name,
)
from handrail.server.files.restore_messages import SaveReply, SaveRequest
from handrail.words.amounts import count, size

_MAX_NAMED = 3


@click.command()
@click.argument("name", default="", metavar="[NAME]")
@options.json_option("Print JSON.")
@options.color_option
def command(name: str, as_json: bool) -> int:
    """Save the files of this project, outside of it, to come back to them later.

    While an agent is supervised, Handrail does that by itself: before each of your
    prompts, and before actions that are hard to undo. This is for a moment of your
    own. A checkpoint with a NAME is always kept.

    Files that git ignores are not saved, except those that the setting
    checkpoints.include names. Your own repository is not touched.

    \b
    Examples:
      handrail checkpoint
      handrail checkpoint before-refactor
      handrail rollback before-refactor

    Exit code: 0; 2 for an error.
    """
    options.by_a_person()
    if name:
        try:
            check_name(name)
        except BadNameError as error:
            raise click.ClickException(str(error)) from None
    folder = check_can_be_saved(project_folder(), os.environ)
    before = same_name(open_checkpoints(folder).newest_first(), name)
    says = f"saving {os.path.basename(folder)}"
    answer = ask_daemon(find_home(), "/checkpoints", SaveRequest(folder, name), says)
    kept = msgspec.convert(answer, SaveReply)
    if as_json:
        click.echo(json_line({**record_json(kept.record), "isNew": kept.is_new}))
    else:
        tell(options.screen(), kept, before)
    return 0


def tell(screen: TerminalOutput, kept: SaveReply, before: list[CheckpointRecord]) -> None:
    """Print what was saved."""
    record = kept.record
    covers = coverage_in_words(record.coverage)
    if kept.is_new:
        called = screen.paint(" ".join(filter(None, (record.id, record.name))), "bold")
        changed = f"{count(record.files, 'file')} changed, {size(record.bytes)}"
        what = changed if record.files else "nothing changed"
        screen.say(f" {screen.paint('✓', 'green')} {called}  {what}; {record.coverage.says}")
    else:
        text = f"Unchanged since {record.id} of {age(record)} ago, which is {record.coverage.says}."
        screen.say(f" {text}")
    if not record.coverage.complete:
        _say(screen, covers, "yellow")
    if before:
        older = ", ".join(each.id for each in before[:_MAX_NAMED])
        _say(screen, f"{older} had this name too: from now on it means {record.id}.", "yellow")
    if kept.is_new:
        _say(screen, f"Go back to it: handrail rollback {record.name or record.id}", "dim")


def _say(screen: TerminalOutput, text: str, style: str) -> None:
    for line in wrap(text, screen.width - 3):
        screen.say(f"   {screen.paint(line, style)}")
