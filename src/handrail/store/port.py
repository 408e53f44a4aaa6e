"""The contract of a store; `tests/store/test_contract.py` checks every implementation."""

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Protocol

import msgspec

Receipt = Future[int]
"""Resolves to the position of an entry once that entry is durable; fails with a StoreError."""


class NewEntry(msgspec.Struct, frozen=True):
    """A new entry: a topic, and a body that the store does not read.

    A topic is valid Unicode without NUL, from 1 to 1,000 bytes long in UTF-8; a body has up to 64
    MiB of anything. The store refuses others with a StoreError, together with the whole call.
    Asking for an impossible topic is no error: nothing is found.
    """

    topic: str
    body: bytes


class StoredEntry(msgspec.Struct, frozen=True):
    """An entry of the log."""

    position: int
    """Its place in the whole log, growing, from 1."""
    topic: str
    seq: int
    """Its place in the topic: 1, 2, 3 … without gaps, but where the beginning was trimmed."""
    at: float
    """When it was written, in seconds since 1970."""
    body: bytes


class Topic(msgspec.Struct, frozen=True):
    """One topic and how far it goes."""

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

    Safe to use from several threads. An append never waits: entries are written in the order
    of the calls, all of one call or none of them, and the receipt tells when that is durable.
    What was durable once is there after a crash. Reads see everything that is durable. A
    receipt cannot be cancelled: what was handed over is written. One that fails says that the
    entries are not known to be durable; the call after it tries again.

    Faults come with the receipt, or are raised by a read, as a StoreError.
    """

    def append(self, entries: Sequence[NewEntry]) -> Receipt:
        """Write entries, all or none; the receipt has the position of the last one, or 0."""
        ...

    def read(self, topic: str, after: int = 0, limit: int = 1000) -> list[StoredEntry]:
        """Entries of a topic, in order, that come after a sequence number; at most `limit`."""
        ...

    def read_all(self, after: int = 0, limit: int = 1000) -> list[StoredEntry]:
        """Entries of the whole log, in order, that come after a position; at most `limit`."""
        ...

    def topics(self, prefix: str = "") -> list[Topic]:
        """Topics whose name starts with the prefix, the last changed one first."""
        ...

    def save_snapshot(self, topic: str, snapshot: Snapshot) -> Receipt:
        """Keep a snapshot in place of the topic's older one; the receipt has its number."""
        ...

    def load_snapshot(self, topic: str) -> Snapshot | None:
        """The topic's snapshot, if there is one."""
        ...

    def forget(self, topic: str) -> Receipt:
        """Remove a topic with its entries and its snapshot; the receipt counts the entries.

        Written to again, the topic begins at 1; positions are never given twice.
        """
        ...

    def trim(self, topic: str, before: float) -> Receipt:
        """Remove the first entries of a topic, written before a time; its last one stays.

        The numbers of the others stay, and go on. The receipt counts the removed entries.
        """
        ...

    def size(self) -> int:
        """How many bytes the log takes up; 0 where nothing was written yet."""
        ...

    def set_aside(self) -> str:
        """Move the whole log aside, say where it is now, and close the store.

        No other process may have it open. The next opening finds an empty log.
        """
        ...

    @property
    def problem(self) -> str:
        """Why it cannot be used, or did not take the last entry; empty: all is well."""
        return ""

    def close(self) -> None:
        """Finish pending writes, and close everything. Twice does no harm."""
        ...
