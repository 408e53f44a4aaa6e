"""The fleet of the repository around a folder, as the commands use it."""

from typing import NamedTuple

import click

from handrail.cli import options
from handrail.cli.daemon_request import ready_daemon
from handrail.cli.history.runs import find_home
from handrail.config.fleet import Fleet
from handrail.fleet.engine.engine import FleetError
from handrail.fleet.engine.requests import RemoteFleetEngine
from handrail.fleet.merges.merging import Merging
from handrail.fleet.workspaces.repository import FleetRepository, find_repository
from handrail.fleet.workspaces.workspaces import Workspaces
from handrail.server.fleet.client import remote_engine
from handrail.server.fleet.places import open_merging, open_workspaces
from handrail.server.home import Home


class OpenedFleet(NamedTuple):
    """Everything that a command needs of a fleet."""

    home: Home
    repository: FleetRepository
    settings: Fleet
    engine: RemoteFleetEngine

    @property
    def workspaces(self) -> Workspaces:
        """Return its worktrees."""
        return open_workspaces(self.home, self.repository)

    @property
    def merging(self) -> Merging:
        """Return its merges."""
        return open_merging(self.home, self.repository)


def open_fleet(folder: str) -> OpenedFleet:
    """Open the fleet of a folder's repository; start the daemon if it does not run."""
    try:
        repository = find_repository(folder)
    except FleetError as error:
        raise click.ClickException(str(error)) from None
    home = find_home()
    settings = options.load_config(repository.top).fleet
    with ready_daemon(home):
        engine = remote_engine(home, repository.top)
    return OpenedFleet(home, repository, settings, engine)
