"""One daemon and one guardian per state folder: whoever holds the lock is it."""

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


class HeldLock:
    """A lock file that this process holds; the kernel lets go of it however the process ends."""

    def __init__(self, path: str) -> None:
        """Take it. Raises AlreadyRunningError."""
        self._path = path
        # Inherited by nobody: a child that outlives the daemon must not hold its lock.
        self.file = open_private(path, os.O_RDWR)
        try:
            _take(self.file)
            self.left_by = _pid(self.file)
            """The process that held it before and did not come to its own end; 0: none."""
            os.ftruncate(self.file, 0)
        except BaseException:
            os.close(self.file)
            raise

    def name(self) -> None:
        """Write down that this process is the holder."""
        os.pwrite(self.file, msgspec.json.encode(_Holder(os.getpid())), 0)

    def clear(self) -> None:
        """Write down that its holder came to its own end."""
        os.ftruncate(self.file, 0)

    def renew(self) -> bool:
        """Hold it by its name again, if somebody has removed or replaced the file."""
        with contextlib.suppress(OSError):
            if os.path.samestat(os.stat(self._path), os.fstat(self.file)):
                return False
        fresh = HeldLock(self._path)
        os.close(self.file)
        self.file = fresh.file
        self.name()
        return True

    def close(self) -> None:
        """Let go of it."""
        os.close(self.file)


@contextlib.contextmanager
def locked(home: Home) -> Iterator[HeldLock]:
    """Be the daemon."""
    home.prepare()
    with contextlib.closing(HeldLock(home.lock)) as lock:
        lock.name()
        yield lock
        lock.clear()


def holder(home: Home) -> int | None:
    """The daemon's process, if one runs; 0 where it does not say which."""
    return _holder_of(home.lock)


def guardian_of(home: Home) -> int | None:
    """The guardian's process, if one runs; 0 where it does not say which."""
    return _holder_of(home.guardian_lock)


def is_running(home: Home) -> bool:
    """Whether there is a daemon, or a guardian that is about to start one."""
    return guardian_of(home) is not None or holder(home) is not None


def _holder_of(path: str) -> int | None:
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
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
