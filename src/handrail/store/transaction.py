"""Write to the log inside transactions, on one connection."""

import sqlite3
from collections.abc import Sequence

import msgspec

from handrail.store.port import NewEntry, Snapshot
from handrail.store.schema import version_of

_FIND_TOPIC = "SELECT id, seq FROM topics WHERE name = ?"
_ADD_TOPIC = "INSERT INTO topics (name, seq, position, began, changed) VALUES (?, 0, 0, ?, ?)"
_MOVE_TOPIC = "UPDATE topics SET seq = ?, position = ?, changed = ? WHERE id = ?"
_ADD_ENTRY = "INSERT INTO entries (topic, seq, at, body) VALUES (?, ?, ?, ?)"
_PUT_SNAPSHOT = "INSERT OR REPLACE INTO snapshots (topic, seq, body) VALUES (?, ?, ?)"
_FORGET_SNAPSHOT = "DELETE FROM snapshots WHERE topic = ?"
_FORGET_ENTRIES = "DELETE FROM entries WHERE topic = ?"
_FIRST_SINCE = "SELECT seq FROM entries WHERE topic = ? AND at >= ? ORDER BY seq LIMIT 1"
_TRIM_ENTRIES = "DELETE FROM entries WHERE topic = ? AND seq < ?"
_FORGET_TOPIC = "DELETE FROM topics WHERE id = ?"

_MOST_TOPICS = 10_000
"""Topics to remember between transactions."""


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
        self._version = -1
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
            self._version = version

    def append(self, entries: Sequence[NewEntry]) -> int:
        """Add entries; return the position of the last one."""
        position = 0
        for entry in entries:
            topic = self._changed.get(entry.topic)
            if topic is None:
                topic = self._topics.get(entry.topic) or self._load(entry.topic)
                self._changed[entry.topic] = topic
            topic.seq += 1
            row = (topic.id, topic.seq, self._now, entry.body)
            position = topic.position = self._execute(_ADD_ENTRY, row).lastrowid or 0
            self.size += len(entry.body)
        return position

    def save_snapshot(self, topic: str, snapshot: Snapshot) -> int:
        """Replace the snapshot; return its number."""
        self._execute(_PUT_SNAPSHOT, (topic, snapshot.seq, snapshot.body))
        self.size += len(snapshot.body)
        return snapshot.seq

    def forget(self, topic: str) -> int:
        """Remove a topic, its entries and its snapshot; return the number of entries."""
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
        found = self._execute(_FIND_TOPIC, (topic,)).fetchone()
        if found is None:
            return 0
        (first,) = self._execute(_FIRST_SINCE, (found[0], before)).fetchone() or (found[1],)
        return self._execute(_TRIM_ENTRIES, (found[0], min(first, found[1]))).rowcount

    def commit(self) -> None:
        """Make the transaction durable."""
        for topic in self._changed.values():
            self._execute(_MOVE_TOPIC, (topic.seq, topic.position, self._now, topic.id))
        self._execute("COMMIT")
        self._changed.clear()

    def roll_back(self) -> None:
        """Undo the transaction."""
        self._topics.clear()
        self._changed.clear()
        if self._connection.in_transaction:  # SQLite has rolled back some errors already
            self._execute("ROLLBACK")

    def _load(self, name: str) -> _TopicPosition:
        found = self._execute(_FIND_TOPIC, (name,)).fetchone()
        if found is None:
            id_ = self._execute(_ADD_TOPIC, (name, self._now, self._now)).lastrowid or 0
            found = (id_, 0)
        if len(self._topics) >= _MOST_TOPICS:
            self._topics.clear()
        topic = self._topics[name] = _TopicPosition(*found)
        return topic
