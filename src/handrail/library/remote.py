"""Let the daemon supervise the run: it is in the daemon's log, and people control it."""

import http.client
import json
import os
import threading
from collections.abc import Mapping
from contextlib import closing, suppress
from socket import SHUT_RDWR
from time import monotonic, sleep

import msgspec

from handrail.checkpoint import CheckpointError, UndoLevel
from handrail.control.client import ControlConnection
from handrail.hosts.port import Reply, endpoint
from handrail.hosts.python.profile import PROFILE
from handrail.library.engine import PendingCall, events_in
from handrail.library.errors import StartError
from handrail.library.verdict import RestoredFiles
from handrail.model.event import Event
from handrail.server.control.connection import DaemonConnection
from handrail.server.files.restore_messages import PreviewReply, RestoreReply
from handrail.server.home import Home, open_home
from handrail.server.http.socket_client import DaemonError, SocketConnection, call_daemon
from handrail.server.launcher import ensure_daemon
from handrail.store.opening import open_log
from handrail.supervise.decision.verdict import fault_verdict

_SECONDS = 620.0
"""A call may be held for 570 s while the run is paused, and files are saved before it runs."""
_FILE_SECONDS = 120.0
_POLL = 0.1
_FIX = "handrail doctor says what is wrong."


class RemoteEngine:
    """Reach the daemon over its socket, and start it if necessary."""

    def __init__(self, home: Home, run: str, cwd: str, environ: Mapping[str, str]) -> None:
        """Raises DaemonError if there is no daemon, and none can be started."""
        ensure_daemon(home, environ)
        self._home = home
        self._run, self._cwd = run, cwd
        self._environ = environ
        self._read = threading.local()
        """What the log looked like when a thread read it last."""
        self.control: ControlConnection = DaemonConnection(home, environ)

    def ask(self, body: bytes, call: PendingCall) -> Reply:
        """Answer one message; any failure is a refusal."""
        problem = ""
        for _ in range(2):  # the daemon may just be restarted; the same call changes nothing twice
            try:
                ensure_daemon(self._home, self._environ)
                return self._send(body, call)
            except (DaemonError, OSError, ValueError, http.client.HTTPException) as error:
                problem = str(error) or type(error).__name__
            if call.is_abandoned:
                break
        verdict = fault_verdict(harmless=False, problem=problem, fix=_FIX, policy="deny_all")
        return {"verdict": msgspec.to_builtins(verdict)}

    def restore(self, level: UndoLevel, checkpoint: str) -> RestoredFiles:
        """Have the daemon put files back; raises CheckpointError."""
        undo = {"cwd": self._cwd, "level": level, "run": self._run, "checkpoint": checkpoint}
        seen = msgspec.convert(self._call("/restores/preview", undo), PreviewReply).preview
        way = seen.way
        wanted = {
            "cwd": self._cwd,
            "level": level,
            "target": way.target.id,
            "base": way.base.id if way.base else "",
            "run": way.run,
            "expects": seen.now,
        }
        done = msgspec.convert(self._call("/restores", wanted), RestoreReply)
        if done.problem:
            raise CheckpointError(done.problem)
        spared = tuple(each.path for each in done.spared if each.conflict)
        return RestoredFiles(tuple(item.path for item in done.items), done.undo, spared)

    def events(self, after: int) -> list[tuple[int, Event]]:
        """Return the events after a number, from the daemon's log."""
        # Noted first: what is written during the reading is a change.
        self._read.log = _log_marks(self._home.log)
        with closing(open_log(self._home.log, "read")) as store:
            return events_in(store, self._run, after)

    def wait_for_events(self, seconds: float) -> None:
        """Wait until the log was written to since this thread read it; that costs two calls of the
        system for each look, opening the log costs hundreds."""
        seen = getattr(self._read, "log", None)
        until = monotonic() + seconds
        while True:
            sleep(max(min(_POLL, until - monotonic()), 0))
            if monotonic() >= until or _log_marks(self._home.log) != seen:
                return

    def close(self) -> None:
        """Leave the daemon running."""

    def _send(self, body: bytes, call: PendingCall) -> Reply:
        self._home.check_socket()
        with closing(SocketConnection(self._home.socket, _SECONDS)) as connection:
            connection.connect()

            def hang_up() -> None:
                with suppress(OSError):
                    connection.sock.shutdown(SHUT_RDWR)

            call.wake = hang_up  # the daemon sees that nobody waits any more
            if call.is_abandoned:
                hang_up()
            headers = {"Content-Type": "application/json"}
            connection.request("POST", endpoint(PROFILE.name), body, headers)
            said = json.loads(connection.getresponse().read())
        if not isinstance(said, dict):
            raise DaemonError("what answers is not Handrail")
        return said

    def _call(self, path: str, body: Mapping[str, object]) -> dict[str, object]:
        try:
            return call_daemon(self._home, "POST", path, body, timeout=_FILE_SECONDS)
        except DaemonError as error:
            raise CheckpointError(str(error)) from None


def _log_marks(log: str) -> list[tuple[int, int]]:
    """What changes when somebody writes into the log."""
    marks = []
    for file in (log, f"{log}-wal"):
        try:
            status = os.stat(file)
        except OSError:
            marks.append((0, 0))
        else:
            marks.append((status.st_mtime_ns, status.st_size))
    return marks


def open_remote(run: str, folder: str, environ: Mapping[str, str]) -> RemoteEngine:
    """Reach the daemon of a state folder; raises StartError."""
    try:
        return RemoteEngine(open_home(environ), run, folder, environ)
    except (DaemonError, OSError) as error:
        raise StartError(str(error)) from None
