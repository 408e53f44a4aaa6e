"""A state folder of its own, and a real daemon in it."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from handrail.server.home import Home
from handrail.server.http.socket_client import DaemonError, call_daemon
from handrail.server.launcher import ensure_daemon, stop_daemon
from handrail.server.lock import daemon_pid, guardian_pid
from tests.hosts.claude.desk import SESSION, Json

PATIENCE = 60.0


def kill_both(home: Home) -> None:
    """End guardian and daemon in one blow: neither has the time to start the other again."""
    pids = [pid for pid in (guardian_pid(home), daemon_pid(home)) if pid]
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
    until = time.monotonic() + PATIENCE
    while set(pids) & {guardian_pid(home), daemon_pid(home)}:
        assert time.monotonic() < until, "a killed process still holds its lock"
        time.sleep(0.005)


class DaemonSandbox:
    """Home, project and Handrail's state in one folder; all of it is gone after the block.

    The folder's path is short, because the path of a unix socket may have 107 bytes.
    """

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="hr-", dir="/tmp"))
        self.project = self.root / "home" / "shop"
        (self.project / ".git").mkdir(parents=True)
        self.home = Home(str(self.root / "state"))
        self.environ = {
            "HOME": str(self.root / "home"),
            "HANDRAIL_HOME": self.home.path,
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(DaemonError):
            stop_daemon(self.home)
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.rmtree(os.path.dirname(self.home.socket), ignore_errors=True)

    def start(self, **environ: str) -> int:
        """Start the daemon; its process."""
        ensure_daemon(self.home, {**self.environ, **environ})
        return self.pid

    @property
    def pid(self) -> int:
        return int(str(self.health()["pid"]))

    @property
    def guardian(self) -> int:
        """The guardian's process; 0 while there is none."""
        return guardian_pid(self.home) or 0

    def kill(self) -> None:
        """End guardian and daemon in a way that leaves them no time for anything."""
        kill_both(self.home)

    def health(self) -> Json:
        return call_daemon(self.home, "GET", "/healthz")

    def tell(self, event: str, **fields: Any) -> Json:
        """What a hook is answered with."""
        return call_daemon(self.home, "POST", "/hooks/claude", self.payload(event, **fields))

    def before(self, command: str, call_id: str = "t1", **fields: Any) -> Json:
        """What is said before a shell command."""
        given = {"command": command}
        return self.tell(
            "PreToolUse", tool_name="Bash", tool_input=given, tool_use_id=call_id, **fields
        )

    def payload(self, event: str, **fields: Any) -> Json:
        given = {"session_id": SESSION, "cwd": str(self.project), "hook_event_name": event}
        return {**given, **fields}

    def run(
        self, *args: str, environ: Mapping[str, str] = {}, stdin: bytes = b""
    ) -> "subprocess.CompletedProcess[str]":
        """A command of Handrail."""
        return self.execute([sys.executable, "-m", "handrail", *args], environ=environ)

    def execute(
        self, command: Sequence[str], *, environ: Mapping[str, str] = {}, stdin: str = ""
    ) -> "subprocess.CompletedProcess[str]":
        """Any command, in the environment of this place."""
        return subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            text=True,
            cwd=self.project,
            env={**self.environ, **environ},
            timeout=60,
            check=False,
        )

    def log(self) -> str:
        """What the daemon wrote."""
        return Path(self.home.daemon_log).read_text()


def pretty(reply: Json) -> str:
    """A reply as it comes over the wire."""
    return json.dumps(reply, separators=(",", ":"), ensure_ascii=False)


def http(body: bytes, status: str = "200 OK", length: int | None = None) -> bytes:
    """An answer over HTTP, right or wrong."""
    size = len(body) if length is None else length
    return f"HTTP/1.1 {status}\r\nContent-Length: {size}\r\n\r\n".encode() + body


@contextmanager
def silent(place: DaemonSandbox) -> Iterator[None]:
    """Something that listens on the daemon's socket and never says anything."""
    os.makedirs(os.path.dirname(place.home.socket), mode=0o700, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place.home.socket)
        listener.listen()
        yield


@contextmanager
def breaking_off(place: DaemonSandbox) -> Iterator[None]:
    """Something that listens on the daemon's socket, and ends as soon as somebody asks."""
    os.makedirs(os.path.dirname(place.home.socket), mode=0o700, exist_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(place.home.socket)
    listener.listen()

    def end() -> None:
        line, _ = listener.accept()
        listener.close()
        line.close()

    thread = threading.Thread(target=end)
    thread.start()
    yield
    thread.join()


@contextmanager
def answering(place: DaemonSandbox, answer: bytes) -> Iterator[None]:
    """Something that listens on the daemon's socket and always says the same."""
    os.makedirs(os.path.dirname(place.home.socket), mode=0o700, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place.home.socket)
        listener.listen()

        def serve() -> None:
            while True:
                line, _ = listener.accept()
                with line:
                    if line.recv(65536) == b"stop":
                        return
                    line.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield
        finally:
            with socket.socket(socket.AF_UNIX) as last:
                last.connect(place.home.socket)
                last.sendall(b"stop")
            thread.join()
