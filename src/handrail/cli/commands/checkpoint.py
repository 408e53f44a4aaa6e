"""`handrail checkpoint`: save a project's files now."""

import os

import click
import msgspec

from handrail.checkpoint import CheckpointRecord
from handrail.checkpoint.names import BadNameError, check_name
from handrail.checkpoint.work_tree import check_can_be_saved
from handrail.cli import options
from handrail.cli.daemon_request import ask_daemon
from handrail.cli.fleet.fleet_checkpoint import (
    fleet_here,
    show_fleet_checkpoint,
    take_fleet_checkpoint,
)
from handrail.cli.history.runs import find_home
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput
from handrail.cli.restores.project_checkpoints import (
    checkpoint_age,
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
@click.option("--fleet", is_flag=True, help="Save the whole fleet (default if it has tasks).")
@click.option("--files", "files_only", is_flag=True, help="Save only the files of this folder.")
@options.json_option("Print JSON.")
@options.color_option
def command(name: str, fleet: bool, files_only: bool, as_json: bool) -> int:
    """Save this project's files so that you can come back to them.

    Handrail saves the files of supervised projects by itself, before each prompt
    and before actions that are hard to undo. Use this command to save them at any
    other time. Handrail never deletes a checkpoint that has a NAME.

    Handrail stores the copy outside the project and does not touch your repository.
    It skips files that git ignores, unless the setting checkpoints.include names
    them.

    If the repository has a fleet with tasks, Handrail saves all of it: every task, every
    agent's place, and the files and branches of all workspaces. The name then ends
    with the time. With --files, Handrail saves only the files of this folder.

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
    if fleet and files_only:
        raise click.UsageError("use --fleet or --files, not both")
    folder = check_can_be_saved(project_folder(), os.environ)
    repository = None if files_only else fleet_here(folder)
    if repository is not None:
        show_fleet_checkpoint(take_fleet_checkpoint(find_home(), folder, name), as_json=as_json)
        return 0
    if fleet:
        raise click.ClickException(f"{folder} has no fleet with tasks; see handrail task add")
    before = same_name(open_checkpoints(folder).newest_first(), name)
    waiting_for = f"saving {os.path.basename(folder)}"
    answer = ask_daemon(find_home(), "/checkpoints", SaveRequest(folder, name), waiting_for)
    saved = msgspec.convert(answer, SaveReply)
    if as_json:
        print_json({**record_json(saved.record), "isNew": saved.is_new})
    else:
        show_saved(options.screen(), saved, before)
    return 0


def show_saved(screen: TerminalOutput, saved: SaveReply, before: list[CheckpointRecord]) -> None:
    """Print what was saved; `before` are the checkpoints that had the same name."""
    record = saved.record
    if saved.is_new:
        called = screen.paint(" ".join(filter(None, (record.id, record.name))), "bold")
        changed = f"{count(record.files, 'file')} changed, {size(record.bytes)}"
        what = changed if record.files else "nothing changed"
        screen.say(f" {screen.paint('✓', 'green')} {called}  {what}; {record.coverage.says}")
    else:
        since = f"{record.id} ({record.coverage.says}), {checkpoint_age(record)} ago"
        screen.say(f" Nothing changed since {since}.")
    if not record.coverage.complete:
        screen.paragraph(coverage_in_words(record.coverage), "yellow", indent=3)
    if before:
        older = ", ".join(each.id for each in before[:_MAX_NAMED])
        text = f"{older} had this name before. From now on it means {record.id}."
        screen.paragraph(text, "yellow", indent=3)
    if saved.is_new:
        again = f"Go back to it: handrail rollback {record.name or record.id}"
        screen.paragraph(again, "dim", indent=3)
