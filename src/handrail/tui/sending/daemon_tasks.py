"""Carry out commands about tasks through the engine in the daemon."""

import os
from collections.abc import Iterable
from time import time

from handrail.control.client import user_name
from handrail.fleet.engine import FleetError
from handrail.fleet.events import TaskCancelled
from handrail.fleet.repository import find_repository
from handrail.server.fleet.client import remote_engine
from handrail.server.home import Home
from handrail.server.http.socket_client import DaemonError
from handrail.server.launcher import ensure_daemon
from handrail.tui.sending.port import SendingStage
from handrail.tui.sending.task_commands import TASK_COMMANDS, TaskOrder

_PATIENCE = 15.0


class DaemonTasks:
    """Records a person's decisions; starts the daemon if it does not run."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def send(self, order: TaskOrder) -> SendingStage:
        """Carry out an order; a failure is a stage."""
        folder = _folder_of(order.fleet, (*order.folders, os.getcwd()))
        if not folder:
            says = f"the repository of {order.fleet} was not found; start the screen in it"
            return SendingStage("failed", says, "not_found")
        by = user_name()
        event = TASK_COMMANDS[order.command].make(time(), order.task, by, order.reason)
        try:
            ensure_daemon(self._home)
            engine = remote_engine(self._home, folder, patience=_PATIENCE)
            if isinstance(event, TaskCancelled):
                engine.cancel(order.task, by, order.reason)
            else:
                engine.record(event)
        except FleetError as error:
            return SendingStage("failed", str(error), "invalid_state")
        except DaemonError as error:
            return SendingStage("failed", str(error), "unreachable")
        return SendingStage("confirmed")


def _folder_of(fleet: str, folders: Iterable[str]) -> str:
    """Return a folder in the repository of a fleet, or ""."""
    for folder in folders:
        try:
            if os.path.isdir(folder) and find_repository(folder).fleet == fleet:
                return folder
        except (FleetError, OSError, ValueError):
            continue
    return ""
