"""One daemon per state folder."""

import fcntl
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from handrail.server.home import Home
from handrail.server.lock import AlreadyRunningError, daemon_lock, daemon_pid


@pytest.fixture
def home() -> Iterator[Home]:
    with TemporaryDirectory(prefix="hr-", dir="/tmp") as folder:
        yield Home(f"{folder}/state")


def test_nobody_holds_what_was_never_taken(home: Home) -> None:
    assert daemon_pid(home) is None
    home.prepare()
    assert daemon_pid(home) is None


def test_whoever_holds_the_lock_is_known(home: Home) -> None:
    with daemon_lock(home):
        assert daemon_pid(home) == os.getpid()
        with pytest.raises(AlreadyRunningError) as caught, daemon_lock(home):
            pass
        assert caught.value.pid == os.getpid()
    assert daemon_pid(home) is None
    with daemon_lock(home):
        pass


_HOLD_AND_DIE = """
import os, sys
from handrail.server.home import Home
from handrail.server.lock import daemon_lock
with daemon_lock(Home(sys.argv[1])):
    print("held", flush=True)
    os._exit(9)
"""


def test_the_lock_is_free_when_its_holder_dies(home: Home) -> None:
    died = subprocess.run(
        [sys.executable, "-c", _HOLD_AND_DIE, home.path], capture_output=True, check=False
    )
    assert (died.returncode, died.stdout) == (9, b"held\n")
    assert daemon_pid(home) is None


def test_the_next_holder_knows_whether_the_last_one_came_to_its_own_end(home: Home) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _HOLD_AND_DIE, home.path], stdout=subprocess.DEVNULL
    ) as died:
        died.wait()
    with daemon_lock(home) as lock:
        assert lock.left_by == died.pid
    with daemon_lock(home) as lock:
        assert lock.left_by == 0


@pytest.mark.parametrize(
    "text", ["", "{}", "x", '{"pid": 0}', '{"pid": -1}', '{"pid": 1}', '{"pid": "7"}', "\udcff"]
)
def test_a_process_that_must_not_be_ended_is_never_named(home: Home, text: str) -> None:
    with daemon_lock(home):
        Path(home.lock).write_bytes(text.encode("utf-8", "surrogateescape"))
        assert daemon_pid(home) == 0


def test_somebody_who_only_looks_does_not_keep_the_daemon_from_starting(home: Home) -> None:
    home.prepare()
    with open(os.open(home.lock, os.O_RDWR | os.O_CREAT, 0o600), "rb") as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        timer = threading.Timer(0.03, fcntl.flock, (looking, fcntl.LOCK_UN))
        timer.start()
        with daemon_lock(home):
            assert daemon_pid(home) == os.getpid()
        timer.join()
