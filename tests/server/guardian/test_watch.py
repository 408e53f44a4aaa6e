"""A guardian starts no daemon out of packages that somebody has changed."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.server.daemon_sandbox import PATIENCE
from tests.server.integrity.python_environment import PythonEnvironment

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="a daemon finds its link in LISTEN_FDS"),
]
_DAEMON = """\
import json, os, signal, socket, sys
packages, starts = json.loads(sys.argv[1]), sys.argv[2]
answers = {"claude": {"event": "e", "tool": "t", "reads": [], "refusals": {}, "otherwise": "{}"}}
hello = {"is": "hello", "thread": os.getpid(), "socket": None, "token": "t", "answers": answers}
link = socket.socket(fileno=5)
link.send(json.dumps({**hello, "packages": packages}).encode() + b"\\n")
with open(starts, "a") as file:
    print(os.getpid(), file=file)
signal.pause()
"""


class GuardedPlace:
    """A guardian with a daemon that says of which packages it is made."""

    def __init__(self, root: Path, env: PythonEnvironment, daemon: str = _DAEMON) -> None:
        self.path = str(root / "s")
        self._starts = root / "starts"
        door, port = socket.socket(socket.AF_UNIX), socket.socket()
        door.bind(self.path)
        port.bind(("127.0.0.1", 0))
        lock = os.open(root / "lock", os.O_RDWR | os.O_CREAT)
        given = {"socket": door.fileno(), "port": port.fileno(), "lock": lock}
        for sock in (door, port):
            sock.listen()
        names = {"path": self.path, "log": root / "log", "lock_path": root / "lock", **given}
        command = [sys.executable, "-c", daemon, json.dumps(env.packages), str(self._starts)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "handrail.server.guardian"]
            + [f"{name}={value}" for name, value in names.items()]
            + ["--", *command],
            pass_fds=list(given.values()),
        )
        for sock in (door, port):
            sock.close()
        os.close(lock)

    def daemons(self) -> list[int]:
        """The processes of all daemons so far."""
        return [int(line) for line in self._read_starts()]

    def _read_starts(self) -> list[str]:
        return self._starts.read_text().split() if self._starts.exists() else []

    def ask(self) -> str:
        """What answers on the socket now."""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(PATIENCE)
            line.connect(self.path)
            line.sendall(b"GET /healthz HTTP/1.1\r\n\r\n")
            return line.recv(65_536).decode()


@pytest.fixture
def env(tmp_path: Path) -> PythonEnvironment:
    return PythonEnvironment(tmp_path / "pipx" / "venvs" / "handrail")


@pytest.fixture
def place(env: PythonEnvironment) -> Iterator[GuardedPlace]:
    with guarded(env) as place:
        yield place


@contextmanager
def guarded(env: PythonEnvironment, daemon: str = _DAEMON) -> Iterator[GuardedPlace]:
    with tempfile.TemporaryDirectory(prefix="hr-", dir="/tmp") as root:
        place = GuardedPlace(Path(root), env, daemon)
        try:
            yield place
        finally:
            place.process.send_signal(signal.SIGTERM)
            place.process.wait(PATIENCE)


def wait_for(what: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < until, "it never came to be"
        time.sleep(0.02)


def test_changed_packages_are_named_and_no_daemon_is_made_of_them(
    place: GuardedPlace, env: PythonEnvironment
) -> None:
    rules = env.site / "handrail" / "review" / "rules.py"
    was = rules.read_text()
    wait_for(lambda: len(place.daemons()) == 1)
    rules.write_text("RULES = 0\n")
    os.kill(place.daemons()[0], signal.SIGKILL)
    answer = place.ask()
    assert "503" in answer
    assert str(rules) in answer
    assert "pipx reinstall handrail" in answer
    assert len(place.daemons()) == 1
    rules.write_text(was)
    wait_for(lambda: len(place.daemons()) == 2)


def test_a_daemon_of_whole_packages_is_started_again(place: GuardedPlace) -> None:
    wait_for(lambda: len(place.daemons()) == 1)
    os.kill(place.daemons()[0], signal.SIGKILL)
    wait_for(lambda: len(place.daemons()) == 2)


def test_a_daemon_that_is_killed_before_it_says_hello_is_started_again(
    env: PythonEnvironment,
) -> None:
    killed = f"""\
import os, sys
if not os.path.exists(sys.argv[2]):
    with open(sys.argv[2], "a") as file:
        print(os.getpid(), file=file)
    os.kill(os.getpid(), 9)
{_DAEMON}"""
    with guarded(env, killed) as place:
        wait_for(lambda: len(place.daemons()) == 2)
        assert place.process.poll() is None


def test_a_daemon_that_never_works_is_not_started_twice(env: PythonEnvironment) -> None:
    with guarded(env, "import sys; sys.exit(3)") as place:
        assert place.process.wait(PATIENCE) == 3
        assert place.daemons() == []
