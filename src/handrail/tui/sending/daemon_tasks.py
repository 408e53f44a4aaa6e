"""Carry out commands about tasks: over the API, or by the command line."""

import json
import os
import subprocess
import sys
from time import time

from handrail.api.client import ApiRefusedError
from handrail.control.client import user_name
from handrail.fleet.engine.engine import FleetError
from handrail.fleet.workspaces.repository import find_repository
from handrail.server.fleet.client import remote_engine
from handrail.server.home import Home
from handrail.server.http.api_connection import connect_api
from handrail.server.http.socket_client import DaemonError
from handrail.server.launcher import ensure_daemon
from handrail.tui.sending.port import SendingStage
from handrail.tui.sending.task_commands import (
    TASK_COMMANDS,
    AskApi,
    CommandWords,
    FleetDispatch,
    TaskOrder,
)

_PATIENCE = 15.0
_SECONDS = 60.0
"""For the daemon: it may have to end the agent of a task first."""


class DaemonTasks:
    """Records a person's decisions; starts the daemon if it does not run."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def send(self, order: TaskOrder) -> SendingStage:
        """Carry out an order; a failure is a stage."""
        carry = TASK_COMMANDS[order.command].carry
        if not isinstance(carry, CommandWords | FleetDispatch):
            return self._ask_api(carry, order)
        folder = _folder_of(order)
        if not folder:
            return _no_folder(order)
        if isinstance(carry, CommandWords):
            return self._ask_command_line(carry, order, folder)
        return self._dispatch(carry, order, folder)

    def talk(self, order: TaskOrder) -> SendingStage:
        """Let a command of the command line have the terminal, until the person has read it."""
        folder = _folder_of(order)
        carry = TASK_COMMANDS[order.command].carry
        if not folder or not isinstance(carry, CommandWords):
            return _no_folder(order)
        words = carry.filled(order.task, order.typed)
        code = subprocess.run(self._command(words), cwd=folder, env=self._environ, check=False)
        sys.stdout.write("\n ⏎ goes back to the screen ")
        sys.stdout.flush()
        sys.stdin.readline()
        if code.returncode == 0:
            return SendingStage("confirmed")
        return SendingStage("failed", f"handrail {words[0]}: exit code {code.returncode}")

    def _ask_api(self, ask: AskApi, order: TaskOrder) -> SendingStage:
        try:
            ensure_daemon(self._home)
            done = ask(connect_api(self._home, seconds=_SECONDS), order)
        except ApiRefusedError as error:
            return SendingStage("failed", str(error), "invalid_state")
        except DaemonError as error:
            return SendingStage("failed", str(error), "unreachable")
        return SendingStage("confirmed" if done.ok else "failed", done.says)

    def _dispatch(self, carry: FleetDispatch, order: TaskOrder, folder: str) -> SendingStage:
        try:
            ensure_daemon(self._home)
            engine = remote_engine(self._home, folder, patience=_PATIENCE)
            engine.record(carry.make(time(), user_name(), order.typed))
        except FleetError as error:
            return SendingStage("failed", str(error), "invalid_state")
        except DaemonError as error:
            return SendingStage("failed", str(error), "unreachable")
        return SendingStage("confirmed")

    def _ask_command_line(self, carry: CommandWords, order: TaskOrder, folder: str) -> SendingStage:
        done = subprocess.run(
            self._command(carry.filled(order.task, order.typed)),
            cwd=folder,
            env=self._environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        answer = _last_answer(done.stdout)
        says = answer.get(carry.tells) or _last_line(done.stderr)
        is_done = not done.returncode or (carry.aim and answer.get("outcome") == carry.aim)
        return SendingStage("confirmed" if is_done else "failed", str(says))

    def _command(self, words: list[str]) -> list[str]:
        return [sys.executable, "-EP", "-m", "handrail", *words]

    @property
    def _environ(self) -> dict[str, str]:
        return {**os.environ, "HANDRAIL_HOME": self._home.path}


def _last_answer(out: str) -> dict[str, object]:
    """Return the last line of JSON that a command printed, or nothing."""
    try:
        found = json.loads(out.strip().splitlines()[-1])
    except (IndexError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].removeprefix("handrail: ").removeprefix("Error: ") if lines else ""


def _no_folder(order: TaskOrder) -> SendingStage:
    says = f"the repository of {order.fleet} was not found; start the screen in it"
    return SendingStage("failed", says, "not_found")


def _folder_of(order: TaskOrder) -> str:
    """Return a folder in the main work tree of an order's fleet, or ""."""
    for folder in (*order.folders, os.getcwd()):
        try:
            if os.path.isdir(folder) and (found := find_repository(folder)).fleet == order.fleet:
                return found.top
        except (FleetError, OSError, ValueError):
            continue
    return ""
