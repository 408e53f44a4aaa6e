"""A lock between processes: a file that the kernel unlocks however its holder ends."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import msgspec

from handrail.fleet.workspaces.workspace_errors import WorkspaceBusyError
from handrail.intervene.processes.process_tree import ProcessIdentity, identity_of
from handrail.store.private_files import make_folder, open_private

_STEP = 0.01
_MAX_BYTES = 200


@contextmanager
def hold_lock(path: str, what: str, *, wait: float) -> Iterator[int]:
    """Hold a lock; raises WorkspaceBusyError after `wait` seconds.

    Gives the open file. A process that inherits it holds the lock, too: so the git of a killed
    holder ends before the next holder begins. `what`: the work, for the message.
    """
    make_folder(os.path.dirname(path))
    until = time.monotonic() + wait
    while (file := _try(path)) is None:
        if time.monotonic() >= until:
            holder = lock_holder(path)
            raise WorkspaceBusyError(what, holder.pid if holder else 0, wait)
        time.sleep(_STEP)
    try:
        own = identity_of(os.getpid()) or ProcessIdentity(os.getpid(), 0.0)
        os.ftruncate(file, 0)
        os.pwrite(file, msgspec.json.encode(own), 0)
        yield file
    finally:
        with suppress(FileNotFoundError):
            os.unlink(path)  # who waits for the old file notices, and takes the new one
        os.close(file)


def lock_holder(path: str) -> ProcessIdentity | None:
    """Return the process that wrote itself into a lock; None: nobody holds the lock now."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        try:
            return msgspec.json.decode(os.pread(file, _MAX_BYTES, 0), type=ProcessIdentity)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return ProcessIdentity(0, 0.0)
    finally:
        os.close(file)
    return None


def _try(path: str) -> int | None:
    """Lock the file; None: somebody else has it, or has just removed it."""
    file = open_private(path, os.O_RDWR)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.stat(path), os.fstat(file)):
            return file
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(file)
        raise
    os.close(file)
    return None
