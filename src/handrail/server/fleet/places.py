"""Where the parts of a fleet are on the disk."""

import os
from collections.abc import Mapping
from contextlib import suppress

from handrail.fleet.merges.merging import Merging
from handrail.fleet.workspaces.repository import FleetRepository
from handrail.fleet.workspaces.workspace_records import WorkspaceRecords
from handrail.fleet.workspaces.workspaces import Workspaces
from handrail.server.home import Home

ENDPOINT = "/fleet"
DISPATCH = "/fleet/dispatch"
"""The paths of the daemon's endpoints. Here, so that a client loads none of the daemon."""
_FLEETS = "fleet"


def workspace_records(home: Home, repository: FleetRepository) -> str:
    """Return the folder with the records of a fleet's worktrees: no agent may write there."""
    return _records(home.path, repository.fleet)


def workspace_trees(environ: Mapping[str, str], repository: FleetRepository) -> str:
    """Return the folder of the worktrees themselves: outside of the state folder, because agents
    work in them."""
    return _trees(environ, repository.fleet)


def records_of_fleet(home: str, fleet: str, environ: Mapping[str, str]) -> WorkspaceRecords:
    """Return the records of a fleet's worktrees, by the name of the fleet alone."""
    return WorkspaceRecords(_records(home, fleet), _trees(environ, fleet))


def _records(home: str, fleet: str) -> str:
    return os.path.join(home, "workspaces", fleet)


def _trees(environ: Mapping[str, str], fleet: str) -> str:
    data = environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(data):
        data = os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".local", "share")
    return os.path.join(data, "handrail", "workspaces", fleet)


def open_workspaces(
    home: Home, repository: FleetRepository, environ: Mapping[str, str] = os.environ
) -> Workspaces:
    """Open the worktrees of a fleet."""
    records, trees = workspace_records(home, repository), workspace_trees(environ, repository)
    return Workspaces(repository.top, records, environ, trees=trees)


def open_merging(
    home: Home, repository: FleetRepository, environ: Mapping[str, str] = os.environ
) -> Merging:
    """Open the merges of a fleet."""
    records, trees = workspace_records(home, repository), workspace_trees(environ, repository)
    return Merging(repository.top, records, environ, trees=trees)


def fleet_folder(home: str, fleet: str) -> str:
    """Return the folder of a fleet's backups, checkpoints, logs and reports."""
    return os.path.join(home, _FLEETS, fleet)


def fleets_with_files(home: str) -> list[str]:
    """Return the names of the fleets that have such a folder."""
    with suppress(OSError):
        return sorted(os.listdir(os.path.join(home, _FLEETS)))
    return []


def driver_log(home: Home, repository: FleetRepository, task: str) -> str:
    """Return the file with the output of a task's drivers."""
    return os.path.join(fleet_folder(home.path, repository.fleet), "drivers", f"{task}.log")


def reports_folder(home: Home, repository: FleetRepository) -> str:
    """Return the folder with the reports of a fleet's runs."""
    return os.path.join(fleet_folder(home.path, repository.fleet), "reports")
