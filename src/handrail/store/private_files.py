"""Create private files under any umask, and replace files as a whole."""

import os
from contextlib import suppress


def make_folder(folder: str) -> None:
    """Make a folder and its parents, for this user alone."""
    if os.path.isdir(folder):
        return
    make_folder(os.path.dirname(folder))
    with suppress(FileExistsError):  # another process was quicker
        os.mkdir(folder)
        os.chmod(folder, 0o700)


def open_private(path: str, flags: int) -> int:
    """Open or make a file for this user alone."""
    file = os.open(path, flags | os.O_CREAT | os.O_CLOEXEC, 0o600)
    os.fchmod(file, 0o600)
    return file


def replace_file(path: str, data: bytes, mode: int) -> None:
    """Replace a file as a whole; keep its owner."""
    fresh = write_temporary_file(path, data, mode)
    try:
        os.replace(fresh, path)
    except BaseException:
        os.unlink(fresh)
        raise
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_temporary_file(path: str, data: bytes, mode: int) -> str:
    """Write a new file beside another one, durably; return its name."""
    # Not by tempfile, which imports half the standard library.
    fresh = os.path.join(os.path.dirname(path), f".handrail-{os.urandom(8).hex()}")
    handle = open_private(fresh, os.O_WRONLY | os.O_EXCL)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            _keep_owner(path, handle)
            os.fchmod(handle, mode)
            os.fsync(handle)
    except BaseException:  # leave no partial file, for example on a full disk
        os.unlink(fresh)
        raise
    return fresh


def _keep_owner(path: str, handle: int) -> None:
    try:
        was, now = os.stat(path), os.fstat(handle)
    except FileNotFoundError:
        return
    if (was.st_uid, was.st_gid) != (now.st_uid, now.st_gid):
        os.fchown(handle, was.st_uid, was.st_gid)
