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
from handrail.server.lock import AlreadyRunningError, holder, locked


@pytest.fixture
def home() -> Iterator[Home]:
    with TemporaryDirectory(prefix="hr-", dir="/tmp") as folder:
        yield Home(f"{folder}/state")


def test_nobody_holds_what_was_never_taken(home: Home) -> None:
    assert holder(home) is None
    home.prepare()
    assert holder(home) is None


def test_whoever_holds_the_lock_is_known(home: Home) -> None:
    with locked(home):
        assert holder(home) == os.getpid()
        with pytest.raises(AlreadyRunningError) as caught, locked(home):
            pass
        assert caught.value.pid == os.getpid()
    assert holder(home) is None
    with locked(home):
        pass


_HOLD_AND_DIE = """
import os, sys
from handrail.server.home import Home
from handrail.server.lock import locked
with locked(Home(sys.argv[1])):
    print("held", flush=True)
    os._exit(9)
"""


def test_the_lock_is_free_when_its_holder_dies(home: Home) -> None:
    died = subprocess.run(
        [sys.executable, "-c", _HOLD_AND_DIE, home.path], capture_output=True, check=False
    )
    assert (died.returncode, died.stdout) == (9, b"held\n")
    assert holder(home) is None


def test_the_next_holder_knows_whether_the_last_one_came_to_its_own_end(home: Home) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _HOLD_AND_DIE, home.path], stdout=subprocess.DEVNULL
    ) as died:
        died.wait()
    with locked(home) as lock:
        assert lock.left_by == died.pid
    with locked(home) as lock:
        assert lock.left_by == 0


@pytest.mark.parametrize(
    "text", ["", "{}", "x", '{"pid": 0}', '{"pid": -1}', '{"pid": 1}', '{"pid": "7"}', "\udcff"]
)
def test_a_process_that_must_not_be_ended_is_never_named(home: Home, text: str) -> None:
    with locked(home):
        Path(home.lock).write_bytes(text.encode("utf-8", "surrogateescape"))
        assert holder(home) == 0


def test_somebody_who_only_looks_does_not_keep_the_daemon_from_starting(home: Home) -> None:
    home.prepare()
    with open(os.open(home.lock, os.O_RDWR | os.O_CREAT, 0o600), "rb") as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        timer = threading.Timer(0.03, fcntl.flock, (looking, fcntl.LOCK_UN))
        timer.start()
        with locked(home):
            assert holder(home) == os.getpid()
        timer.join()
