"""The contract of a store; `tests/store/test_contract.py` checks every implementation."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from handrail.store.receipt import Receipt

__all__ = ["NewEntry", "Receipt", "Snapshot", "Store", "StoredEntry", "Topic"]


class NewEntry(msgspec.Struct, frozen=True):
    """A new entry: a topic, and a body that the store does not read.

    A topic is valid Unicode without NUL, from 1 to 1,000 bytes long in UTF-8; a body has up to 64
    MiB of anything. The store refuses others with a StoreError, together with the whole call.
    Reading an impossible topic is no error: it finds nothing.
    """

    topic: str
    body: bytes
    can_wait: bool = False
    """A store may write it a moment later, together with other entries."""


class StoredEntry(msgspec.Struct, frozen=True):
    """An entry of the log."""

    position: int
    """Its place in the whole log: a growing number, from 1."""
    topic: str
    seq: int
    """Its place in the topic: 1, 2, 3 … without gaps, except a trimmed beginning."""
    at: float
    """The time of writing, in seconds since 1970."""
    body: bytes


class Topic(msgspec.Struct, frozen=True):
    """One topic, and its last entry."""

    name: str
    seq: int
    """The number of its last entry."""
    began: float
    changed: float


class Snapshot(msgspec.Struct, frozen=True):
    """The state after one entry of a topic, so that a reader can start there."""

    seq: int
    body: bytes


class Store(Protocol):
    """An ordered log of entries in topics, and one snapshot for each topic.

    Safe to use from several threads. An append never waits: the store writes the entries in the
    order of the calls, all of one call or none, and the receipt tells when they are durable.
    Durable entries survive a crash, and reads see all of them. A receipt cannot be cancelled: the
    store writes all that it was given. After a failed receipt the entries may not be durable; the
    next call tries again.

    A StoreError comes with the receipt, or from a read.
    """

    def append(self, entries: Sequence[NewEntry]) -> Receipt:
        """Write entries, all or none; the receipt has the position of the last one, or 0."""
        ...

    def read(self, topic: str, after: int = 0, limit: int = 1000) -> list[StoredEntry]:
        """Return at most `limit` entries of a topic after a sequence number, in order."""
        ...

    def read_all(self, after: int = 0, limit: int = 1000) -> list[StoredEntry]:
        """Return at most `limit` entries of the whole log after a position, in order."""
        ...

    def topics(self, prefix: str = "") -> list[Topic]:
        """Return the topics with this prefix, the last changed one first."""
        ...

    def save_snapshot(self, topic: str, snapshot: Snapshot) -> Receipt:
        """Replace the topic's snapshot; the receipt has its number."""
        ...

    def load_snapshot(self, topic: str) -> Snapshot | None:
        """Return the topic's snapshot, if there is one."""
        ...

    def forget(self, topic: str) -> Receipt:
        """Remove a topic with its entries and its snapshot; the receipt counts the entries.

        A topic with new entries begins at 1 again; no position is given twice.
        """
        ...

    def trim(self, topic: str, before: float) -> Receipt:
        """Remove the entries of a topic from before a time, except its last one.

        The other entries keep their numbers. The receipt counts the removed entries.
        """
        ...

    def size(self) -> int:
        """Return the bytes of the log; 0 before the first entry."""
        ...

    def set_aside(self) -> str:
        """Move the whole log aside, say where it is now, and close the store.

        No other process may have it open. The next opening finds an empty log.
        """
        ...

    @property
    def problem(self) -> str:
        """Return why the log cannot be used, or refused the last entry; "" if all is well."""
        return ""

    def close(self) -> None:
        """Finish pending writes, and close everything. Twice does no harm."""
        ...
