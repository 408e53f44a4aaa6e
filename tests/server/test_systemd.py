"""A guardian that systemd keeps, as far as that can be tried without a systemd that runs."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from handrail.server.http.socket_client import (
    DaemonError,
    RefusedError,
    daemon_health,
    port_answers,
)
from handrail.server.lock import daemon_pid, guardian_pid
from tests.checkers import checker
from tests.hosts.claude.desk import decision
from tests.server.daemon_sandbox import PATIENCE, DaemonSandbox

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="systemd is for Linux"),
]


class KeptGuardian:
    """The process that was given the sockets, and what it tells systemd."""

    def __init__(self, process: "subprocess.Popen[bytes]", told: socket.socket) -> None:
        self.process = process
        self._told = told

    def hear(self) -> bytes:
        """The next thing that systemd is told."""
        return self._told.recv(64)


@contextmanager
def kept(place: DaemonSandbox) -> Iterator[KeptGuardian]:
    """Sockets that are bound before there is a process; the first call starts it."""
    place.home.prepare()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
        told.bind(str(place.root / "notify"))
        told.settimeout(PATIENCE)
        environ = {**place.environ, "NOTIFY_SOCKET": str(place.root / "notify")}
        command = [
            checker("systemd-socket-activate"),
            *(f"-E{name}={value}" for name, value in environ.items()),
            *("-l", place.home.socket, "-l", f"127.0.0.1:{place.home.port}"),
            *(sys.executable, "-m", "handrail", "serve"),
        ]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
            try:
                yield KeptGuardian(process, told)
            finally:
                process.terminate()


def wait_for(what: Callable[[], object]) -> None:
    """Until something is so; fails if it never is."""
    until = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < until, "it never came to be"
        time.sleep(0.02)


def test_systemd_starts_the_guardian_and_it_the_daemon(place: DaemonSandbox) -> None:
    with kept(place) as guardian:
        wait_for(lambda: daemon_health(place.home))
        assert guardian_pid(place.home) == guardian.process.pid
        assert daemon_pid(place.home) not in (None, guardian.process.pid)
        assert [guardian.hear(), guardian.hear()] == [b"READY=1", b"WATCHDOG=1"]
        assert decision(place.before("rm -rf /")) == "deny"


def test_the_daemon_cannot_speak_for_the_guardian(place: DaemonSandbox) -> None:
    with kept(place):
        wait_for(lambda: daemon_health(place.home))
        environ = Path(f"/proc/{daemon_pid(place.home)}/environ").read_bytes()
    assert b"NOTIFY_SOCKET" not in environ


def test_a_killed_daemon_is_replaced_by_the_same_guardian(place: DaemonSandbox) -> None:
    with kept(place) as guardian:
        wait_for(lambda: daemon_health(place.home))
        daemon = daemon_pid(place.home)
        assert daemon
        os.kill(daemon, signal.SIGKILL)
        wait_for(lambda: daemon_pid(place.home) not in (None, daemon) and daemon_health(place.home))
        assert guardian_pid(place.home) == guardian.process.pid


def test_a_daemon_ends_with_its_guardian_and_leaves_the_next_one_to_systemd(
    place: DaemonSandbox,
) -> None:
    with kept(place) as guardian:
        wait_for(lambda: daemon_health(place.home))
        guardian.process.kill()
        wait_for(lambda: daemon_pid(place.home) is None)
        assert guardian_pid(place.home) is None


def test_its_end_leaves_the_socket_to_systemd(place: DaemonSandbox) -> None:
    with kept(place) as guardian:
        wait_for(lambda: daemon_health(place.home))
        guardian.process.terminate()
        assert guardian.process.wait(PATIENCE) == 0
        assert daemon_pid(place.home) is None
        assert os.path.exists(place.home.socket)


def test_a_daemon_that_never_worked_is_tried_again_and_callers_are_told_the_cause(
    place: DaemonSandbox,
) -> None:
    place.home.prepare()
    token = Path(place.home.path, "hook-token")
    token.write_text("")
    with kept(place) as guardian:
        wait_for(lambda: "the file is empty" in refusal(place))
        assert guardian.process.poll() is None
        token.unlink()
        wait_for(lambda: daemon_health(place.home))


def refusal(place: DaemonSandbox) -> str:
    try:
        place.health()
    except RefusedError as error:
        return str(error)
    except DaemonError:
        return ""
    return ""


@pytest.mark.parametrize("instead", ["nothing", "another socket"])
def test_a_guardian_is_reached_though_its_socket_was_removed(
    place: DaemonSandbox, instead: str
) -> None:
    with kept(place) as guardian, socket.socket(socket.AF_UNIX) as other:
        wait_for(lambda: os.path.exists(place.home.socket))
        os.unlink(place.home.socket)
        if instead == "another socket":
            other.bind(place.home.socket)
            other.listen()
        wait_for(lambda: port_answers(place.home))  # which starts it
        wait_for(lambda: daemon_health(place.home))
        assert guardian_pid(place.home) == guardian.process.pid
