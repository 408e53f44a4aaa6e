"""Sessions that a real daemon supervises, and a person beside them at a shell."""

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from time import monotonic, sleep
from typing import Any

from handrail.cli.history.runs import KnownRuns, read_log
from handrail.cli.history.status_row import StatusRow, find_rows
from handrail.server.home import Home
from handrail.server.http.socket_client import SocketConnection
from handrail.server.launcher import ensure_daemon, stop_daemon

from .conftest import HandrailShell

SHOP = "3f2a9c10-aaaa-4bbb-8ccc-1234567890ab"
DOCS = "91bc9c10-aaaa-4bbb-8ccc-1234567890ab"
PATIENCE = 60.0


class SupervisedSessions:
    """Tells the daemon what hooks would tell it."""

    def __init__(self, shell: HandrailShell, home: Home) -> None:
        self.shell = shell
        self.home = home
        self.run = shell.run
        self.hosts: dict[str, subprocess.Popen[bytes]] = {}
        """By run, a process that stands for the agent."""

    def tell(self, event: str, run: str = SHOP, **fields: Any) -> dict[str, Any]:
        """What a hook is answered with; one that is held waits for it."""
        given = {"session_id": run, "cwd": str(self.shell.project), "hook_event_name": event}
        headers = {"x-handrail-pid": str(self.hosts[run].pid)} if run in self.hosts else {}
        connection = SocketConnection(self.home.socket, PATIENCE)
        with closing(connection):
            connection.request(
                "POST", "/hooks/claude", json.dumps({**given, **fields}).encode(), headers
            )
            said: dict[str, Any] = json.loads(connection.getresponse().read())
        return said

    def begin(self, run: str = SHOP, prompt: str = "fix the cart total") -> None:
        """A session begins, and is told what to do."""
        self.hosts[run] = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        self.tell("SessionStart", run, source="startup", model="sonnet")
        self.tell("UserPromptSubmit", run, prompt=prompt)

    def before(self, command: str, name: str = "t1", run: str = SHOP) -> dict[str, Any]:
        """The agent wants to run a command."""
        given = {"command": command}
        return self.tell("PreToolUse", run, tool_name="Bash", tool_input=given, tool_use_id=name)

    def after(self, command: str, name: str = "t1", run: str = SHOP) -> dict[str, Any]:
        """It has run."""
        given = {"command": command}
        came = {"stdout": "", "stderr": ""}
        return self.tell(
            "PostToolUse",
            run,
            tool_name="Bash",
            tool_input=given,
            tool_use_id=name,
            tool_response=came,
        )

    def row(self, run: str = SHOP) -> StatusRow:
        """The run as `status` shows it."""
        with read_log(self.home) as store:
            rows = find_rows(KnownRuns(store), store, 0.0, show_all=True)
        return next(row for row in rows if row.run.id == run)

    def until(self, state: str, run: str = SHOP) -> None:
        """Wait until a run stands so."""
        wait_for(lambda: self.row(run).state == state, f"{run} is never {state}")


def wait_for(what: Any, says: str) -> None:
    """Until something is so."""
    deadline = monotonic() + PATIENCE
    while not what():
        assert monotonic() < deadline, says
        sleep(0.02)


def meanwhile(work: Any) -> "Future[Any]":
    """Do something beside the test."""
    future: Future[Any] = Future()

    def whole() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - told by `result`
            future.set_exception(error)

    threading.Thread(target=whole, daemon=True).start()
    return future


@contextmanager
def supervised(shell: HandrailShell) -> Iterator[SupervisedSessions]:
    """A daemon of its own for a shell's state folder."""
    home = Home(str(shell.state))
    environ = {**shell.environ, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    ensure_daemon(home, environ)
    world = SupervisedSessions(shell, home)
    try:
        yield world
    finally:
        for host in world.hosts.values():
            host.kill()
            host.wait()
        stop_daemon(home)
