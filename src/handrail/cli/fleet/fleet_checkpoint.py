"""Checkpoints of the fleet in the current repository, as the commands find and take them."""

import os

import click
import msgspec

from handrail.cli import options
from handrail.cli.daemon_request import ask_daemon
from handrail.cli.history.runs import find_home, read_log
from handrail.cli.output.json_line import print_json
from handrail.fleet.engine.engine import FleetError
from handrail.fleet.engine.state_loading import topic_of
from handrail.fleet.rollback.checkpoint_data import FleetCheckpoint
from handrail.fleet.rollback.checkpoint_files import FleetCheckpointFiles
from handrail.fleet.rollback.errors import CheckpointNotFoundError, FleetCheckpointError
from handrail.fleet.rollback.journal import RollbackJournal
from handrail.fleet.workspaces.repository import FleetRepository, find_repository
from handrail.server.fleet.places import fleet_folder
from handrail.server.fleet.rollback_messages import SAVE, FleetSaveRequest
from handrail.server.home import Home
from handrail.words.amounts import count


def fleet_here(folder: str) -> FleetRepository | None:
    """Return the fleet of a main work tree, if it has any tasks; starts no daemon."""
    try:
        repository = find_repository(folder)
    except FleetError:
        return None
    if repository.top != os.path.realpath(folder):
        return None  # a workspace, or another worktree: its files are a project of their own
    with read_log(find_home()) as store:
        return repository if store.read(topic_of(repository.fleet), 0, 1) else None


def find_fleet_checkpoint(folder: str, typed: str) -> FleetCheckpoint | None:
    """Return the fleet's checkpoint with a name or label; None: the fleet has none."""
    repository = fleet_here(folder)
    if repository is None:
        return None
    own = fleet_folder(find_home().path, repository.fleet)
    try:
        return FleetCheckpointFiles(os.path.join(own, "checkpoints")).find(typed)
    except CheckpointNotFoundError:
        return None
    except FleetCheckpointError as error:
        raise click.ClickException(f"{error} ({error.code})") from None


def fleet_journal(folder: str) -> RollbackJournal | None:
    """Return the journal of the rollbacks of a folder's fleet, if there is one."""
    repository = fleet_here(folder)
    if repository is None:
        return None
    return RollbackJournal(fleet_folder(find_home().path, repository.fleet))


def take_fleet_checkpoint(
    home: Home, folder: str, name: str = "", *, unattended: bool = False
) -> FleetCheckpoint:
    """Save the fleet with all its files."""
    wanted = FleetSaveRequest(folder=folder, name=name, unattended=unattended)
    return msgspec.convert(ask_daemon(home, SAVE, wanted, "saving the fleet"), FleetCheckpoint)


def show_fleet_checkpoint(taken: FleetCheckpoint, *, as_json: bool) -> None:
    """Print what was saved."""
    if as_json:
        print_json({**msgspec.to_builtins(taken), "fleet": True})
        return
    screen = options.screen()
    trees = count(len(taken.workspaces), "workspace")
    tasks = count(len(taken.case_states), "task")
    name = screen.paint(taken.name, "bold")
    screen.say(f" {screen.paint('✓', 'green')} {name}  {tasks}, the main tree and {trees}")
    for workspace, why in taken.unsaved.items():
        screen.paragraph(f"not saved: the workspace {workspace}: {why}", "yellow", indent=3)
    screen.paragraph(f"Go back to it: handrail rollback {taken.name}", "dim", indent=3)
