"""Open the file of the log, and notice when somebody has replaced it."""

import fcntl
import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from handrail.store.errors import StoreError
from handrail.store.private_files import make_folder
from handrail.store.schema import migrate, version_of

DATABASE_FILES = ("", "-wal", "-shm")
"""The endings of a database's files."""
_LOCK = "-lock"
_LONGEST_PATH = 500
"""The longest path: SQLite has 512 bytes for a path and its own suffixes."""

_PLAIN = frozenset(b"/-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
"""Bytes of a path that stand for themselves in a URI."""

Identity = tuple[tuple[int, int] | None, ...]
"""Device and inode of each of the log's files, the database first."""


def file_identity(path: str) -> Identity:
    """Return the identity of the log's present files."""
    return tuple(_identity(path + name) for name in DATABASE_FILES)


def open_for_writing(path: str, patience: float) -> sqlite3.Connection:
    """Open the log, readable by its owner only; create or migrate it where needed."""
    _check_length(path)
    make_folder(os.path.dirname(path))
    with _alone(path, patience):
        _create(path)
        connection = _connect(path, "rw", patience)
        try:
            version_of(connection, path)  # never change a file of somebody else
            for file in (path + name for name in DATABASE_FILES):
                if (found := _file_at(file)) and found.st_mode & 0o077:
                    os.chmod(file, 0o600)
            _set_up(connection, path)
            migrate(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def open_for_reading(path: str, patience: float) -> sqlite3.Connection | None:
    """Open the log for reading only; None: there is no log yet."""
    if _file_at(path) is None:
        return None
    _check_length(path)
    connection = _connect(path, "ro", patience)
    try:
        if version_of(connection, path):
            return connection
    except BaseException:
        connection.close()
        raise
    connection.close()  # another process is about to create it
    return None


def remove_orphans(path: str, of: Identity) -> None:
    """Remove the -wal and -shm files of a deleted database.

    SQLite would take the old -wal for a part of the next database there.
    """
    for name, was in zip(DATABASE_FILES[1:], of[1:], strict=True):
        if was is not None and _identity(path + name) == was:
            with suppress(FileNotFoundError):
                os.unlink(path + name)


def _connect(path: str, mode: str, patience: float) -> sqlite3.Connection:
    return sqlite3.connect(
        f"file:{_quoted(path)}?mode={mode}",
        uri=True,
        timeout=patience,
        isolation_level=None,  # we begin and end transactions ourselves
        check_same_thread=False,  # one thread at a time uses it, not always the same one
    )


def _set_up(connection: sqlite3.Connection, path: str) -> None:
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise StoreError(path, "this file system cannot hold a log (SQLite has no WAL on it)")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")


@contextmanager
def _alone(path: str, patience: float) -> Iterator[None]:
    """Hold the lock for creating, migrating or replacing the log.

    It is a file of its own: closing a second descriptor of the database would drop SQLite's locks.
    """
    descriptor = os.open(path + _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(descriptor, 0o600)
        until = time.monotonic() + patience
        while not _lock(descriptor):
            if time.monotonic() > until:
                raise StoreError(path, "another process has been opening it for too long")
            time.sleep(0.005)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _quoted(path: str) -> str:
    # Not by urllib: importing it takes longer than reading a short log.
    return "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in os.fsencode(path))


def _check_length(path: str) -> None:
    length = len(os.fsencode(path))
    if length > _LONGEST_PATH:
        raise StoreError(path, f"its path is too long ({length} bytes, at most {_LONGEST_PATH})")


def _create(path: str) -> None:
    if _file_at(path) is not None:
        return
    for name in DATABASE_FILES[1:]:
        with suppress(FileNotFoundError):
            os.unlink(path + name)
    # Under another name first: we close it before anybody can open it as a database.
    fresh = path + "-new"
    with suppress(FileNotFoundError):
        os.unlink(fresh)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)
    os.rename(fresh, path)


def _identity(path: str) -> tuple[int, int] | None:
    found = _file_at(path)
    return (found.st_dev, found.st_ino) if found else None


def _file_at(path: str) -> os.stat_result | None:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise StoreError(path, "not a file")
    return found
