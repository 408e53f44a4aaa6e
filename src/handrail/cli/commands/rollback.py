"""`handrail rollback`: go back to a checkpoint."""

import click

from handrail.checkpoint import UndoLevel
from handrail.cli import options
from handrail.cli.fleet.fleet_checkpoint import meant_here
from handrail.cli.fleet.fleet_rollback import roll_fleet_back
from handrail.cli.restores.project_checkpoints import find_record, find_saved, open_checkpoints
from handrail.cli.restores.restore_flow import restore_files
from handrail.cli.restores.wording import RestoreManner
from handrail.server.files.restore_messages import UndoRequest
from handrail.server.fleet.rollback_messages import FleetRollbackRequest


@click.command()
@click.argument("name", metavar="ID|NAME")
@click.option("--files", "files_only", is_flag=True, help="Roll back only the files.")
@click.option(
    "--all", "everything", is_flag=True, help="Roll back files, run and conversation (default)."
)
@click.option("--keep", is_flag=True, help="Of a fleet: keep the workspaces made since.")
@options.restore_options
def command(name: str, files_only: bool, everything: bool, keep: bool, **flags: bool) -> int:
    """Go back to a checkpoint: the files, and the state of the run.

    Handrail shows first what would change and what you would lose. It saves the
    current files, so `handrail redo` takes the rollback back. If it knows the place in
    the agent's conversation, it prints the command that resumes there. Your branch,
    index and stash stay as they are.

    If agents worked since, Handrail leaves files alone that you changed yourself,
    unless you add --over. Files that are not in the checkpoint also stay.

    For a checkpoint of a fleet, Handrail stops every agent, takes back the merges made
    since, restores files, workspaces and tasks, and lets the fleet go on. It removes
    workspaces made since, unless you --keep them. Tasks added since wait for you.

    \b
    Examples:
      handrail rollback c12
      handrail rollback before-refactor --files
      handrail rollback c12 --dry-run

    Exit code: 0; 1 if some files could not be restored; 2 for an error, or if you
    said no.
    """
    options.by_a_person()
    if files_only and everything:
        raise click.UsageError("use --files or --all, not both")
    folder = find_saved()
    fleet = None if files_only else meant_here(folder, name)
    if fleet is not None:
        if flags.pop("whole"):
            raise click.UsageError("--whole is for files alone: add --files")
        command_line = f"handrail rollback {fleet.name}{' --keep' if keep else ''}"
        manner = RestoreManner(verb="Roll back", done="rolled back", command=command_line, **flags)
        asked = FleetRollbackRequest(folder=folder, checkpoint=fleet.name, keep=keep)
        return roll_fleet_back(asked, manner)
    record = find_record(open_checkpoints(folder), name)
    wanted = UndoRequest(cwd=folder, level=UndoLevel.CHECKPOINT, checkpoint=record.id)
    command_line = f"handrail rollback {record.id}{' --files' if files_only else ''}"
    manner = RestoreManner(
        verb="Roll back", done="rolled back", command=command_line, files_only=files_only, **flags
    )
    return restore_files(wanted, manner)
