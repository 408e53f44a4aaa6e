"""Turn errors of SQLite and the system into errors of the log."""

import errno
import sqlite3

from handrail.store.errors import DamagedError, DiskFullError, StoreError

_FULL = {errno.ENOSPC, errno.EDQUOT}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CONSTRAINT}
_SAYS = {
    sqlite3.SQLITE_BUSY: "another process has been holding it for too long",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened; look at the permissions of its folder",
    sqlite3.SQLITE_IOERR: "the disk reports an error; it may be failing, full or over a quota",
    sqlite3.SQLITE_READONLY: "may not be written; look at its permissions",
}

_NOT_SQLITE = -1
_OF_ONE_CALL = {
    _NOT_SQLITE,  # the sqlite3 module rejects the value
    sqlite3.SQLITE_FULL,  # a smaller one may still fit
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_TOOBIG,
}
_PASSING = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_TOOBIG}


def as_store_error(path: str, error: Exception) -> StoreError:
    """Return the StoreError for any other error."""
    if isinstance(error, StoreError):
        return error
    if isinstance(error, OSError):
        if error.errno in _FULL:
            return DiskFullError(path)
        return StoreError(path, (error.strerror or str(error)).lower())
    code = _code(error)
    if code == sqlite3.SQLITE_FULL:
        return DiskFullError(path)
    if code in _DAMAGED:
        return DamagedError(path, str(error))
    problem = f"{type(error).__name__}: {error}"
    return StoreError(path, f"{_SAYS[code]} ({error})" if code in _SAYS else problem)


def concerns_one_call(error: Exception) -> bool:
    """Return whether other calls in the same transaction may succeed on their own."""
    return _code(error) in _OF_ONE_CALL and not isinstance(error, OSError | StoreError)


def leaves_connection_usable(error: Exception) -> bool:
    """Return whether a rollback is enough after this error."""
    return _code(error) in _PASSING


def _code(error: Exception) -> int:
    """Return SQLite's result code without its details."""
    code = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else _NOT_SQLITE
