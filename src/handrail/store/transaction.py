"""Write to the log inside transactions, on one connection.

New entries are collected, and one statement writes many of them: most of an INSERT is the call.
"""

import sqlite3
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from handrail.store.port import NewEntry, Snapshot
from handrail.store.schema import version_of

_FIND_TOPIC = "SELECT id, seq FROM topics WHERE name = ?"
_ADD_TOPIC = "INSERT INTO topics (name, seq, position, began, changed) VALUES (?, 0, 0, ?, ?)"
_MOVE_TOPIC = "UPDATE topics SET seq = ?, position = ?, changed = ? WHERE id = ?"
_ADD_ENTRIES = "INSERT INTO entries (at, position, topic, seq, body) VALUES "
_LAST_POSITION = """
    SELECT max(ifnull((SELECT max(position) FROM entries), 0),
               ifnull((SELECT max(seq) FROM sqlite_sequence WHERE name = 'entries'), 0))
"""
"""The same that AUTOINCREMENT goes on from."""
_PUT_SNAPSHOT = "INSERT OR REPLACE INTO snapshots (topic, seq, body) VALUES (?, ?, ?)"
_FORGET_SNAPSHOT = "DELETE FROM snapshots WHERE topic = ?"
_FORGET_ENTRIES = "DELETE FROM entries WHERE topic = ?"
_FIRST_SINCE = "SELECT seq FROM entries WHERE topic = ? AND at >= ? ORDER BY seq LIMIT 1"
_TRIM_ENTRIES = "DELETE FROM entries WHERE topic = ? AND seq < ?"
_FORGET_TOPIC = "DELETE FROM topics WHERE id = ?"

_MOST_TOPICS = 10_000
"""Topics to remember between transactions."""
_MOST_ROWS = 32
"""Entries in one statement; every number of them is a statement of its own in sqlite3's cache."""
_MOST_BYTES = 1_000_000
"""Bodies in one statement, except a larger one alone: the sqlite3 module copies all of them."""
_ROW = 4
"""Values of a new entry: its position, topic, sequence number and body."""
_UNKNOWN = -1
"""Not a data version."""


class _TopicPosition(msgspec.Struct, gc=False):
    """The end of a topic; written once for all of its entries in a transaction."""

    id: int
    seq: int
    position: int = 0


class Transactions:
    """Run one transaction after the other: `begin`, then any work, then `commit` or `roll_back`."""

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._path = path
        self._now = 0.0
        self._topics: dict[str, _TopicPosition] = {}
        self._changed: dict[str, _TopicPosition] = {}
        self._version = _UNKNOWN
        self._position = 0
        """The last position, with the entries of this transaction."""
        self._rows: list[int | bytes] = []
        """The values of new entries that are not in the database yet."""
        self._bytes = 0
        """The size of their bodies."""
        self.size = 0
        """Bytes written in this transaction, without SQLite's own."""

    def begin(self, now: float) -> None:
        """Begin a transaction; no other process can write during it."""
        self._execute("BEGIN IMMEDIATE")
        self._now = now
        self.size = 0
        (version,) = self._execute("PRAGMA data_version").fetchone()
        if version != self._version:  # another process wrote, perhaps a newer Handrail
            version_of(self._connection, self._path)
            self._topics.clear()
            (self._position,) = self._execute(_LAST_POSITION).fetchone()
            self._version = version

    def append(self, entries: Sequence[NewEntry]) -> int:
        """Add entries; return the position of the last one."""
        for entry in entries:
            topic = self._changed.get(entry.topic)
            if topic is None:
                topic = self._topics.get(entry.topic) or self._load(entry.topic)
                self._changed[entry.topic] = topic
            size = len(entry.body)
            if len(self._rows) == _ROW * _MOST_ROWS or self._bytes + size > _MOST_BYTES:
                self._add_entries()
            topic.seq += 1
            self._position += 1
            topic.position = self._position
            self._rows += (topic.position, topic.id, topic.seq, entry.body)
            self._bytes += size
        return self._position if entries else 0

    def save_snapshot(self, topic: str, snapshot: Snapshot) -> int:
        """Replace the snapshot; return its number."""
        self._execute(_PUT_SNAPSHOT, (topic, snapshot.seq, snapshot.body))
        self.size += len(snapshot.body)
        return snapshot.seq

    def forget(self, topic: str) -> int:
        """Remove a topic, its entries and its snapshot; return the number of entries."""
        self._add_entries()
        self._topics.pop(topic, None)
        self._changed.pop(topic, None)
        self._execute(_FORGET_SNAPSHOT, (topic,))
        found = self._execute(_FIND_TOPIC, (topic,)).fetchone()
        if found is None:
            return 0
        removed = self._execute(_FORGET_ENTRIES, found[:1]).rowcount
        self._execute(_FORGET_TOPIC, found[:1])
        return removed

    def trim(self, topic: str, before: float) -> int:
        """Remove the first entries of a topic, up to a time; return their number."""
        self._add_entries()
        found = self._execute(_FIND_TOPIC, (topic,)).fetchone()
        if found is None:
            return 0
        (first,) = self._execute(_FIRST_SINCE, (found[0], before)).fetchone() or (found[1],)
        return self._execute(_TRIM_ENTRIES, (found[0], min(first, found[1]))).rowcount

    def commit(self) -> None:
        """Make the transaction durable."""
        self._add_entries()
        ends = [(end.seq, end.position, self._now, end.id) for end in self._changed.values()]
        self._connection.executemany(_MOVE_TOPIC, ends)
        self._execute("COMMIT")
        self._changed.clear()

    def roll_back(self) -> None:
        """Undo the transaction."""
        self._topics.clear()
        self._changed.clear()
        self._rows.clear()
        self._bytes = 0
        self._version = _UNKNOWN  # the last position is not the log's any more
        if self._connection.in_transaction:  # SQLite has rolled back some errors already
            self._execute("ROLLBACK")

    def _add_entries(self) -> None:
        """Write the entries that were collected."""
        if self._rows:
            statement = _insert(len(self._rows) // _ROW)
            self._execute(statement, [self._now, *self._rows])
            self._rows.clear()
            self.size += self._bytes
            self._bytes = 0

    def _load(self, name: str) -> _TopicPosition:
        found = self._execute(_FIND_TOPIC, (name,)).fetchone()
        if found is None:
            id_ = self._execute(_ADD_TOPIC, (name, self._now, self._now)).lastrowid or 0
            found = (id_, 0)
        if len(self._topics) >= _MOST_TOPICS:
            self._topics.clear()
        topic = self._topics[name] = _TopicPosition(*found)
        return topic


@lru_cache
def _insert(rows: int) -> str:
    return _ADD_ENTRIES + ", ".join(["(?1, ?, ?, ?, ?)"] * rows)
