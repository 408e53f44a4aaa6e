"""One daemon per state folder: whoever holds the lock is it."""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator

from handrail.server.home import Home


class AlreadyRunningError(RuntimeError):
    """Another daemon holds the lock."""

    def __init__(self, pid: int) -> None:
        super().__init__(f"the daemon is running already (process {pid})")
        self.pid = pid


@contextlib.contextmanager
def locked(home: Home) -> Iterator[None]:
    """Be the daemon; the kernel lets go of the lock however the process ends."""
    home.prepare()
    # Inherited by nobody: a child that outlives the daemon must not hold its lock.
    file = os.open(home.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyRunningError(_pid(file)) from None
        os.ftruncate(file, 0)
        os.pwrite(file, json.dumps({"pid": os.getpid()}).encode(), 0)
        yield
    finally:
        os.close(file)


def holder(home: Home) -> int | None:
    """The process that holds the lock, if one does."""
    try:
        file = os.open(home.lock, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _pid(file)
    finally:
        os.close(file)
    return None


def _pid(file: int) -> int:
    try:
        return int(json.loads(os.pread(file, 200, 0))["pid"])
    except (ValueError, KeyError):
        return 0
