"""Copies of files in the trash: `$HANDRAIL_HOME/trash/<id>.over/<absolute path>`."""

import errno
import fcntl
import os
import re
import shutil
import sys
import tempfile
from contextlib import suppress

OVERWRITTEN = ".over"
"""The end of the name of a batch with copies; other batches hold files that were moved."""
_CLONE = 0x40049409
"""The request FICLONE of Linux: both files share their blocks until one is changed."""
_MAX_ID = 16
_LEAST_FREE = 200_000_000


def batch_name(action: str) -> str:
    """The name of the batch for the copies of an action."""
    return (re.sub(r"[^A-Za-z0-9]", "", action)[-_MAX_ID:] or "copies") + OVERWRITTEN


def copy_file(source: str, target: str) -> None:
    """Copy a file with its mode and times, by reference where the file system can.

    Whoever looks sees the whole copy or none. Raises OSError.
    """
    folder = os.path.dirname(target)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    # A name that no file has: beside `target`, `target.new` may be a copy itself.
    handle, fresh = tempfile.mkstemp(prefix=".handrail-", dir=folder)
    try:
        with open(handle, "wb") as file, open(source, "rb") as content:
            size = os.fstat(content.fileno()).st_size
            if not _cloned(content.fileno(), file.fileno()):
                free = os.statvfs(folder)
                if free.f_bavail * free.f_frsize < size + _LEAST_FREE:
                    raise OSError(errno.ENOSPC, "there is no room for a copy")
                shutil.copyfileobj(content, file, 1 << 20)
        shutil.copystat(source, fresh)
        os.replace(fresh, target)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(fresh)


def _cloned(source: int, target: int) -> bool:
    if sys.platform != "linux":
        return False
    try:
        fcntl.ioctl(target, _CLONE, source)
    except OSError:
        return False
    return True


def prune_copies(trash: str, most: int) -> None:
    """Remove the oldest batches with copies until all together take at most so many bytes."""
    batches: list[tuple[float, str, int]] = []
    with suppress(FileNotFoundError), os.scandir(trash) as entries:
        for entry in entries:
            if entry.name.endswith(OVERWRITTEN) and entry.is_dir(follow_symlinks=False):
                moved = entry.stat(follow_symlinks=False).st_mtime
                batches.append((moved, entry.path, _size(entry.path)))
    total = sum(size for _, _, size in batches)
    for _, path, size in sorted(batches):
        if total <= most:
            return
        shutil.rmtree(path, ignore_errors=True)
        total -= size


def _size(folder: str) -> int:
    total = 0
    for top, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(top, name)).st_size
    return total
