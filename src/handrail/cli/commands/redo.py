"""`handrail redo`: take back the last undo or rollback."""

import click

from handrail.checkpoint import UndoLevel
from handrail.cli import options
from handrail.cli.restores.project_checkpoints import find_saved
from handrail.cli.restores.restore_flow import restore_files
from handrail.cli.restores.wording import RestoreManner
from handrail.server.files.restore_messages import UndoRequest


@click.command()
@options.git_option
@options.restore_options
def command(git: bool, **flags: bool) -> int:
    """Take back the last undo or rollback.

    Handrail leaves files alone that changed since, unless you add --over. Run it
    again to take back the undo before that. Add --git if the undo had it.

    \b
    Examples:
      handrail redo
      handrail redo --dry-run

    Exit code: 0; 1 if some files could not be restored; 2 for an error, or if you
    said no.
    """
    options.by_a_person()
    wanted = UndoRequest(cwd=find_saved(), level=UndoLevel.REDO, git=git)
    command_line = "handrail redo --git" if git else "handrail redo"
    manner = RestoreManner(verb="Redo", done="redone", command=command_line, git=git, **flags)
    return restore_files(wanted, manner)
