"""One daemon per state folder: whoever holds the lock is it."""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator

import msgspec

from handrail.model.decodable import decodable
from handrail.server.home import Home
from handrail.store.private_files import open_private

_TRIES = 20
_STEP = 0.01
"""Whoever looks whether the lock is free holds it for a moment."""


class AlreadyRunningError(RuntimeError):
    """Another daemon holds the lock."""

    def __init__(self, pid: int) -> None:
        super().__init__(f"the daemon is running already (process {pid})")
        self.pid = pid


@decodable
class _Holder(msgspec.Struct):
    pid: int


@contextlib.contextmanager
def locked(home: Home) -> Iterator[None]:
    """Be the daemon; the kernel lets go of the lock however the process ends."""
    home.prepare()
    # Inherited by nobody: a child that outlives the daemon must not hold its lock.
    file = open_private(home.lock, os.O_RDWR)
    try:
        _take(file)
        os.ftruncate(file, 0)
        os.pwrite(file, msgspec.json.encode(_Holder(os.getpid())), 0)
        yield
    finally:
        os.close(file)


def holder(home: Home) -> int | None:
    """The process that holds the lock, if one does; 0 where it does not say which."""
    try:
        file = os.open(home.lock, os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _pid(file)
    finally:
        os.close(file)
    return None


def _take(file: int) -> None:
    for _ in range(_TRIES):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(_STEP)
    raise AlreadyRunningError(_pid(file))


def _pid(file: int) -> int:
    """What stands in the file; only what can be a process that somebody may be told to end."""
    try:
        pid = msgspec.json.decode(os.pread(file, 200, 0), type=_Holder).pid
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return 0
    return pid if pid > 1 else 0
