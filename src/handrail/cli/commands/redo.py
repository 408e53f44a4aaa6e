"""`handrail redo`: take back the last undo or rollback."""

import click

from handrail.checkpoint import UndoLevel
from handrail.cli import options
from handrail.cli.fleet.fleet_checkpoint import fleet_here
from handrail.cli.fleet.fleet_rollback import roll_fleet_back
from handrail.cli.history.runs import find_home
from handrail.cli.restores.project_checkpoints import find_saved, open_checkpoints
from handrail.cli.restores.restore_flow import restore_files
from handrail.cli.restores.wording import RestoreManner
from handrail.server.files.restore_messages import UndoRequest
from handrail.server.fleet.checkpoint_choice import redo_means_fleet
from handrail.server.fleet.rollback_messages import FleetRollbackRequest


@click.command()
@options.git_option
@options.restore_options
def command(git: bool, **flags: bool) -> int:
    """Take back the last undo or rollback.

    Handrail leaves files alone that changed since, unless you add --over. Run it
    again to take back the undo before that. Add --git if the undo had it.

    After the rollback of a fleet, its tasks, merges and workspaces come back, too.

    \b
    Examples:
      handrail redo
      handrail redo --dry-run

    Exit code: 0; 1 if some files could not be restored; 2 for an error, or if you
    said no.
    """
    options.by_a_person()
    folder = find_saved()
    if not git and _takes_fleet(folder):
        flags.pop("whole")
        manner = RestoreManner(verb="Redo", done="redone", command="handrail redo", **flags)
        return roll_fleet_back(FleetRollbackRequest(folder=folder, redo=True), manner)
    wanted = UndoRequest(cwd=folder, level=UndoLevel.REDO, git=git)
    command_line = "handrail redo --git" if git else "handrail redo"
    manner = RestoreManner(verb="Redo", done="redone", command=command_line, git=git, **flags)
    return restore_files(wanted, manner)


def _takes_fleet(folder: str) -> bool:
    """Return whether the last thing that went back here is a fleet."""
    repository = fleet_here(folder)
    if repository is None:
        return False
    return redo_means_fleet(find_home().path, repository.fleet, open_checkpoints(folder))
