"""`handrail rollback`: everything goes back to how it was at a checkpoint."""

import click

from handrail.checkpoint import UndoLevel
from handrail.cli import options
from handrail.cli.restores.project_checkpoints import find_record, find_saved, open_checkpoints
from handrail.cli.restores.restore_flow import restore_files
from handrail.cli.restores.wording import RestoreManner
from handrail.server.files.restore_messages import UndoRequest


@click.command()
@click.argument("name", metavar="ID|NAME")
@click.option("--files", "files_only", is_flag=True, help="Only the files go back.")
@click.option("--all", "everything", is_flag=True, help="Files, run and conversation (default).")
@options.restore_options
def command(
    name: str,
    files_only: bool,
    everything: bool,
    over: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> int:
    """Go back to a checkpoint: files, and what the run knew then.

    It is shown first what would change and what is lost. The files of now are
    saved before, so `handrail redo` takes it back. Where the agent's conversation
    was at a known place then, the command is printed that takes it up there. Your
    own branch, index and stash stay as they are.

    If agents have worked since, files that you have changed yourself are left
    alone unless you say otherwise; so are those that the checkpoint does not hold.

    \b
    Examples:
      handrail rollback c12
      handrail rollback before-refactor --files
      handrail rollback c12 --dry-run

    Exit code: 0; 1 if some files are not as they were; 2 for an error, or if it
    was not confirmed.
    """
    options.by_a_person()
    if files_only and everything:
        raise click.UsageError("--files and --all: say one of them")
    folder = find_saved()
    record = find_record(open_checkpoints(folder), name)
    wanted = UndoRequest(cwd=folder, level=UndoLevel.CHECKPOINT, checkpoint=record.id)
    manner = RestoreManner(
        verb="Roll back",
        ask="Roll back?",
        done="rolled back",
        command=f"handrail rollback {record.id}{' --files' if files_only else ''}",
        over=over,
        files_only=files_only,
        dry_run=dry_run,
        yes=yes,
        as_json=as_json,
    )
    return restore_files(wanted, manner)
