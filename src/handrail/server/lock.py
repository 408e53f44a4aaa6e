"""Locks: one daemon and one guardian per state folder."""

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
"""Seconds between two tries: a process that only checks the lock holds it for a moment."""


class AlreadyRunningError(RuntimeError):
    """Another daemon holds the lock."""

    def __init__(self, pid: int) -> None:
        super().__init__(f"the daemon is running already (process {pid})")
        self.pid = pid


@decodable
class _Holder(msgspec.Struct):
    pid: int


class HeldLock:
    """A lock file that this process holds; the kernel releases it however the process ends."""

    def __init__(self, path: str) -> None:
        """Take the lock. Raises AlreadyRunningError."""
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
        """Write this process's pid into the file."""
        os.pwrite(self.file, msgspec.json.encode(_Holder(os.getpid())), 0)

    def clear(self) -> None:
        """Write down that its holder came to its own end."""
        os.ftruncate(self.file, 0)

    def renew(self) -> bool:
        """Lock the path again if somebody removed or replaced the file."""
        with contextlib.suppress(OSError):
            if os.path.samestat(os.stat(self._path), os.fstat(self.file)):
                return False
        fresh = HeldLock(self._path)
        os.close(self.file)
        self.file = fresh.file
        self.name()
        return True

    def close(self) -> None:
        """Release the lock."""
        os.close(self.file)


@contextlib.contextmanager
def daemon_lock(home: Home) -> Iterator[HeldLock]:
    """Hold the daemon's lock."""
    home.prepare()
    with contextlib.closing(HeldLock(home.lock)) as lock:
        lock.name()
        yield lock
        lock.clear()


def daemon_pid(home: Home) -> int | None:
    """Return the pid of the daemon: None if none runs, 0 if its pid is unknown."""
    return _holder_of(home.lock)


def guardian_pid(home: Home) -> int | None:
    """Return the pid of the guardian: None if none runs, 0 if its pid is unknown."""
    return _holder_of(home.guardian_lock)


def is_running(home: Home) -> bool:
    """Return whether a daemon runs, or a guardian that is about to start one."""
    return guardian_pid(home) is not None or daemon_pid(home) is not None


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
    """Read the pid from the file; return 0 for anything that cannot be a process to signal."""
    try:
        pid = msgspec.json.decode(os.pread(file, 200, 0), type=_Holder).pid
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return 0
    return pid if pid > 1 else 0
