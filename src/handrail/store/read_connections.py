"""Connections for reading: readers and the writer never wait for each other."""

import sqlite3
import threading
from typing import NamedTuple, TypeVar

from handrail.store.connection import Identity, file_identity, open_for_reading
from handrail.store.errors import ClosedError
from handrail.store.sqlite_errors import as_store_error

T = TypeVar("T")


class _ReadConnection(NamedTuple):
    connection: sqlite3.Connection
    files: Identity


class ReadConnections:
    """A pool of connections, one for each simultaneous read."""

    def __init__(self, path: str, patience: float) -> None:
        self._path = path
        self._patience = patience
        self._lock = threading.Lock()
        self._idle: list[_ReadConnection] = []
        self._closed = False

    def rows(self, make: type[T], statement: str, *values: str | int) -> list[T] | None:
        """Return the rows of a SELECT; None if there is no log."""
        try:
            reader = self._borrow()
            if reader is None:
                return None
            try:
                found = reader.connection.execute(statement, values).fetchall()
            except BaseException:
                reader.connection.close()
                raise
        except (sqlite3.Error, OSError) as error:
            raise as_store_error(self._path, error) from error
        self._give_back(reader)
        return [make(*row) for row in found]

    def let_go(self) -> None:
        """Close the idle connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        for reader in idle:
            reader.connection.close()

    def close(self) -> None:
        """Close all connections; a connection in use closes after its read."""
        with self._lock:
            self._closed = True
        self.let_go()

    def _borrow(self) -> _ReadConnection | None:
        with self._lock:
            if self._closed:
                raise ClosedError(self._path)
            reader = self._idle.pop() if self._idle else None
        if reader is not None:
            if reader.files == file_identity(self._path):
                return reader
            reader.connection.close()  # a connection to the old log, before it was replaced
        connection = open_for_reading(self._path, self._patience)
        return (
            _ReadConnection(connection, file_identity(self._path))
            if connection is not None
            else None
        )

    def _give_back(self, reader: _ReadConnection) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(reader)
                return
        reader.connection.close()
