"""`handrail redo`: the last undo or rollback is taken back."""

import click

from handrail.checkpoint import UndoLevel
from handrail.cli import options
from handrail.cli.restores.project_checkpoints import find_saved
from handrail.cli.restores.restore_flow import restore_files
from handrail.cli.restores.wording import RestoreManner
from handrail.server.files.restore_messages import UndoRequest


@click.command()
@options.restore_options
def command(over: bool, dry_run: bool, yes: bool, as_json: bool) -> int:
    """Take back the last undo or rollback: the files are as before it again.

    Files that were changed since are left alone, unless --over is given. Again,
    it takes back the undo before that one.

    \b
    Examples:
      handrail redo
      handrail redo --dry-run

    Exit code: 0; 1 if some files are not as they were; 2 for an error, or if it
    was not confirmed.
    """
    options.by_a_person()
    wanted = UndoRequest(cwd=find_saved(), level=UndoLevel.REDO)
    manner = RestoreManner(
        verb="Redo",
        ask="Redo this?",
        done="redone",
        command="handrail redo",
        over=over,
        dry_run=dry_run,
        yes=yes,
        as_json=as_json,
    )
    return restore_files(wanted, manner)
