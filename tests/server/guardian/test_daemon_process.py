"""A silent daemon as its guardian sees it, with a real process in its place."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from handrail.server.guardian.daemon_process import DaemonProcess
from handrail.server.guardian.link import Link, make_link

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
PATIENCE = 60.0

Silent = tuple["subprocess.Popen[bytes]", DaemonProcess]


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def wait_until(process: "subprocess.Popen[bytes]", states: str) -> None:
    until = time.monotonic() + PATIENCE
    while state(process.pid) not in states:
        assert time.monotonic() < until, "it never came to be"
        time.sleep(0.005)


@pytest.fixture
def silent() -> Iterator[Silent]:
    """A process that sleeps, and every look at it comes a second after the one before."""
    ours, theirs = make_link()
    clock = map(float, count(100)).__next__
    with ours, theirs, subprocess.Popen(["/bin/sleep", "600"]) as process:
        yield process, DaemonProcess(process.pid, Link(ours), is_child=True, clock=clock)
        process.kill()


def test_one_that_sleeps_and_says_nothing_is_given_up_after_ten_seconds(silent: Silent) -> None:
    process, daemon = silent
    daemon.hear({"is": "hello", "thread": process.pid})
    wait_until(process, "S")
    looks = [daemon.check() for _ in range(14)]
    assert looks[:10] == [""] * 10
    assert looks[-1] == "it waits for something that does not come"


def test_one_that_has_not_begun_to_answer_is_left_alone(silent: Silent) -> None:
    _, daemon = silent
    assert {daemon.check() for _ in range(30)} == {""}


def test_one_that_says_that_it_is_well_is_left_alone(silent: Silent) -> None:
    process, daemon = silent
    daemon.hear({"is": "hello", "thread": process.pid})
    looks = set()
    for _ in range(30):
        daemon.hear({"is": "loop"})
        daemon.hear({"is": "supervision"})
        looks.add(daemon.check())
    assert looks == {""}


def test_one_that_was_stopped_is_woken_up_and_not_given_up(silent: Silent) -> None:
    process, daemon = silent
    daemon.hear({"is": "hello", "thread": process.pid})
    process.send_signal(signal.SIGSTOP)
    wait_until(process, "T")
    assert {daemon.check() for _ in range(4)} == {""}
    wait_until(process, "SR")


def test_how_it_ended_is_told(silent: Silent) -> None:
    process, daemon = silent
    process.send_signal(signal.SIGKILL)
    assert daemon.ended() == "it was ended by SIGKILL"
    assert daemon.was_told_to_end
    process.returncode = daemon.code  # it was waited for there
