"""Keep the log in an SQLite file: one thread writes, any number read."""

import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar

from handrail.store.connection import DATABASE_FILES, open_for_writing
from handrail.store.errors import StoreError, failed_receipt
from handrail.store.limits import LARGEST, is_topic, problem_with, problem_with_entries
from handrail.store.port import NewEntry, Receipt, Snapshot, Store, StoredEntry, Topic
from handrail.store.read_connections import ReadConnections
from handrail.store.writer import Work, WriterThread

T = TypeVar("T")

_READ = """
    SELECT position, ?1, seq, at, body FROM entries
    WHERE topic = (SELECT id FROM topics WHERE name = ?1) AND seq > ?2 ORDER BY seq LIMIT ?3
"""
_READ_ALL = """
    SELECT e.position, t.name, e.seq, e.at, e.body
    FROM entries AS e CROSS JOIN topics AS t ON t.id = e.topic  -- entries are walked first
    WHERE e.position > ? ORDER BY e.position LIMIT ?
"""
_TOPICS = """
    SELECT name, seq, began, changed FROM topics
    WHERE name >= ?1 AND substr(name, 1, length(?1)) = ?1 ORDER BY position DESC
"""
_SNAPSHOT = "SELECT seq, body FROM snapshots WHERE topic = ?"


class SqliteStore(Store):
    """A log in a file, which several processes may read and write at the same time.

    Opening it for writing creates the file, and raises a StoreError if that fails. Later faults
    come with the receipts; the next call tries again, so a log that works again (space on the
    disk, a file put back) needs no restart. Opened for reading only, a log that does not exist is
    empty.

    Close it, with `contextlib.closing` for example. A process that ends without closing it loses
    nothing confirmed. A forked child must not use the store of its parent: it has no writer
    thread.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        read_only: bool = False,
        patience: float = 2.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`patience`: seconds to wait for another process that holds the log."""
        self.path = os.path.realpath(path)
        self._readers = ReadConnections(self.path, patience)
        self._writer: WriterThread | None = None
        if not read_only:
            self._writer = WriterThread(self.path, partial(self._open, patience), clock)

    def append(self, entries: Sequence[NewEntry]) -> Receipt:
        """Write entries, all or none; the receipt has the position of the last one."""
        kept = tuple(entries)
        can_wait = all(entry.can_wait for entry in kept)
        problem = problem_with_entries(kept)
        return self._submit(problem, lambda write: write.append(kept), can_wait=can_wait)

    def read(self, topic: str, after: int = 0, limit: int = 1000) -> list[StoredEntry]:
        """Return the entries of a topic after a sequence number, in order."""
        return self._rows(StoredEntry, _READ, _name(topic), _number(after), _number(limit))

    def read_all(self, after: int = 0, limit: int = 1000) -> list[StoredEntry]:
        """Return the entries of the whole log after a position, in order."""
        return self._rows(StoredEntry, _READ_ALL, _number(after), _number(limit))

    def topics(self, prefix: str = "") -> list[Topic]:
        """Return the topics with this prefix, the last changed one first."""
        if prefix and not is_topic(prefix):
            return []
        return self._rows(Topic, _TOPICS, prefix)

    def save_snapshot(self, topic: str, snapshot: Snapshot) -> Receipt:
        """Replace the topic's snapshot."""
        problem = problem_with(topic, snapshot.body)
        # Nobody waits for it: the events are the truth.
        return self._submit(
            problem, lambda write: write.save_snapshot(topic, snapshot), can_wait=True
        )

    def load_snapshot(self, topic: str) -> Snapshot | None:
        """Return the topic's snapshot, if there is one."""
        return next(iter(self._rows(Snapshot, _SNAPSHOT, _name(topic))), None)

    def forget(self, topic: str) -> Receipt:
        """Remove a topic with its entries and its snapshot; the receipt counts the entries."""
        return self._submit("", lambda write: write.forget(_name(topic)))

    def trim(self, topic: str, before: float) -> Receipt:
        """Remove the entries of a topic from before a time, except its last one."""
        return self._submit("", lambda write: write.trim(_name(topic), before))

    def size(self) -> int:
        """Return the size of the database, without its -wal."""
        try:
            return os.path.getsize(self.path)
        except FileNotFoundError:
            return 0

    def set_aside(self) -> str:
        """Rename the database and its companion files; close the store."""
        self.close()
        aside = f"{self.path}.damaged-{time.strftime('%Y%m%d-%H%M%S')}"
        for part in DATABASE_FILES:
            with suppress(FileNotFoundError):
                os.rename(self.path + part, aside + part)
        return aside

    def close(self) -> None:
        """Finish pending writes, and close everything. Twice does no harm."""
        self._readers.close()
        if self._writer is not None:
            self._writer.close()

    def _open(self, patience: float) -> sqlite3.Connection:
        # After a replacement of the files, a connection to the old ones would mislead the new one.
        self._readers.let_go()
        return open_for_writing(self.path, patience)

    def _submit(self, problem: str, work: Work, *, can_wait: bool = False) -> Receipt:
        if self._writer is None:
            problem = "opened for reading only"
        if self._writer is None or problem:
            return failed_receipt(StoreError(self.path, problem))
        return self._writer.submit(work, can_wait=can_wait)

    def _rows(self, make: type[T], statement: str, *values: str | int) -> list[T]:
        found = self._readers.rows(make, statement, *values)
        if found is None and self._writer is not None:
            raise StoreError(self.path, "was deleted while it was open")
        return found or []


def open_store(location: str, *, read_only: bool) -> Store:
    """Open the log in a file."""
    return SqliteStore(location, read_only=read_only)


def _name(topic: str) -> str:
    """Return a topic that SQLite accepts; an impossible one becomes empty, like no topic."""
    return topic if is_topic(topic) else ""


def _number(value: int) -> int:
    """Return a number that SQLite accepts, with the same meaning; negative ones become 0."""
    return min(max(value, 0), LARGEST)
