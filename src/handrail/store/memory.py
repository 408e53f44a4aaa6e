"""Keep the log in memory, for tests: the same contract, without a file."""

import threading
import time
from collections.abc import Callable, Sequence
from itertools import takewhile

from handrail.store.errors import ClosedError, StoreError, failed_receipt
from handrail.store.limits import problem_with, problem_with_entries
from handrail.store.port import NewEntry, Receipt, Snapshot, Store, StoredEntry, Topic


class MemoryStore(Store):
    """A log that lives as long as the object; its receipts are resolved at once."""

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: dict[str, list[StoredEntry]] = {}
        self._began: dict[str, float] = {}
        self._snapshots: dict[str, Snapshot] = {}
        self._position = 0
        self._closed = False

    def append(self, entries: Sequence[NewEntry]) -> Receipt:
        """Write entries, all or none; the receipt has the position of the last one, or 0."""
        return self._settle(problem_with_entries(entries), lambda: self._add(entries))

    def read(self, topic: str, after: int = 0, limit: int = 1000) -> list[StoredEntry]:
        """Return the entries of a topic after a sequence number, in order."""
        with self._lock:
            self._check_open()
            held = self._entries.get(topic, [])
            gone = held[0].seq - 1 if held else 0
            return held[max(after - gone, 0) :][: max(limit, 0)]

    def read_all(self, after: int = 0, limit: int = 1000) -> list[StoredEntry]:
        """Return the entries of the whole log after a position, in order."""
        with self._lock:
            self._check_open()
            stored = [one for topic in self._entries.values() for one in topic]
        found = [one for one in stored if one.position > after]
        return sorted(found, key=lambda one: one.position)[: max(limit, 0)]

    def topics(self, prefix: str = "") -> list[Topic]:
        """Return the topics with this prefix, the last changed one first."""
        with self._lock:
            self._check_open()
            ends = [
                (held[-1], self._began[name])
                for name, held in self._entries.items()
                if name.startswith(prefix)
            ]
        ends.sort(key=lambda end: end[0].position, reverse=True)
        return [Topic(last.topic, last.seq, began, last.at) for last, began in ends]

    def save_snapshot(self, topic: str, snapshot: Snapshot) -> Receipt:
        """Replace the topic's snapshot."""

        def keep() -> int:
            self._snapshots[topic] = snapshot
            return snapshot.seq

        return self._settle(problem_with(topic, snapshot.body), keep)

    def load_snapshot(self, topic: str) -> Snapshot | None:
        """Return the topic's snapshot, if there is one."""
        with self._lock:
            self._check_open()
            return self._snapshots.get(topic)

    def forget(self, topic: str) -> Receipt:
        """Remove a topic with its entries and its snapshot; the receipt counts the entries."""

        def remove() -> int:
            self._snapshots.pop(topic, None)
            self._began.pop(topic, None)
            return len(self._entries.pop(topic, []))

        return self._settle("", remove)

    def trim(self, topic: str, before: float) -> Receipt:
        """Remove the entries of a topic from before a time, except its last one."""

        def remove() -> int:
            held = self._entries.get(topic, [])
            old = takewhile(lambda entry: entry.at < before, held[:-1])
            many = sum(1 for _ in old)
            del held[:many]
            return many

        return self._settle("", remove)

    def size(self) -> int:
        """Return the bytes of all bodies."""
        return sum(len(stored.body) for stored in self.read_all(limit=self._position))

    def set_aside(self) -> str:
        """Drop everything; memory has no other place for it."""
        self.close()
        with self._lock:
            self._entries.clear()
            self._snapshots.clear()
        return "nowhere"

    def close(self) -> None:
        """Close the log. Twice does no harm."""
        with self._lock:
            self._closed = True

    def _add(self, entries: Sequence[NewEntry]) -> int:
        now = self._clock()
        for entry in entries:
            self._position += 1
            held = self._entries.setdefault(entry.topic, [])
            self._began.setdefault(entry.topic, now)
            seq = held[-1].seq + 1 if held else 1
            held.append(StoredEntry(self._position, entry.topic, seq, now, entry.body))
        return self._position if entries else 0

    def _settle(self, problem: str, work: Callable[[], int]) -> Receipt:
        if problem:
            return failed_receipt(StoreError("", problem))
        with self._lock:
            if self._closed:
                return failed_receipt(ClosedError())
            receipt = Receipt()
            receipt.set_result(work())
        return receipt

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError
