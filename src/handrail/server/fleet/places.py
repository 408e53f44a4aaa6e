"""Where the parts of a fleet are on the disk."""

import os
from collections.abc import Mapping

from handrail.fleet.repository import FleetRepository
from handrail.server.home import Home

ENDPOINT = "/fleet"
"""The path of the daemon's endpoint. Here, so that a client loads none of the daemon."""


def workspaces_folder(environ: Mapping[str, str], repository: FleetRepository) -> str:
    """Return the folder of a fleet's worktrees.

    Not in the state folder: no agent may write there, and agents work in these.
    """
    data = environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(data):
        data = os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".local", "share")
    return os.path.join(data, "handrail", "workspaces", repository.fleet)


def driver_log(home: Home, repository: FleetRepository, task: str) -> str:
    """Return the file with the output of a task's drivers."""
    return os.path.join(home.path, "fleet", repository.fleet, "drivers", f"{task}.log")


def reports_folder(home: Home, repository: FleetRepository) -> str:
    """Return the folder with the reports of a fleet's runs."""
    return os.path.join(home.path, "fleet", repository.fleet, "reports")
