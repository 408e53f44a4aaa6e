"""Checkpoints of the fleet in the current repository, as the commands find and take them."""

import click
import msgspec

from handrail.cli import options
from handrail.cli.daemon_request import ask_daemon
from handrail.cli.history.runs import find_home, read_log
from handrail.cli.output.json_line import print_json
from handrail.cli.restores.project_checkpoints import open_checkpoints
from handrail.fleet.rollback.checkpoint_data import FleetCheckpoint
from handrail.fleet.rollback.errors import FleetCheckpointError
from handrail.fleet.workspaces.repository import FleetRepository
from handrail.server.fleet.checkpoint_choice import fleet_at, meant_fleet_checkpoint
from handrail.server.fleet.rollback_messages import SAVE, FleetSaveRequest
from handrail.server.home import Home
from handrail.words.amounts import count


def fleet_here(folder: str) -> FleetRepository | None:
    """Return the fleet of a main work tree, if it has any tasks; starts no daemon."""
    with read_log(find_home()) as store:
        return fleet_at(store, folder)


def meant_here(folder: str, typed: str) -> FleetCheckpoint | None:
    """Return the fleet's checkpoint that a person means in a folder; None: one of its files."""
    repository = fleet_here(folder)
    if repository is None:
        return None
    checkpoints = open_checkpoints(folder)
    try:
        return meant_fleet_checkpoint(find_home().path, repository.fleet, checkpoints, typed)
    except FleetCheckpointError as error:
        raise click.ClickException(f"{error} ({error.code})") from None


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
