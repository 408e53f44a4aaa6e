"""A log that can be held back, break and come back, and a clock that is set by hand."""

from collections import Counter
from collections.abc import Callable, Sequence
from time import time

from handrail.store.errors import StoreError
from handrail.store.memory import MemoryStore
from handrail.store.port import NewEntry, Receipt, Snapshot, Store, StoredEntry, Topic


class Clock:
    """Shows what it was set to."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


class FaultyLog(Store):
    """A store in memory whose faults and delays are switched by hand."""

    def __init__(self, clock: Callable[[], float] = time) -> None:
        self.inner = MemoryStore(clock=clock)
        self.refuses: StoreError | None = None
        """What every write fails with."""
        self.unreadable: StoreError | None = None
        """What every read fails with."""
        self.held = False
        """Writes wait for `release`."""
        self.calls: Counter[str] = Counter()
        self._waiting: list[tuple[Callable[[], Receipt], Receipt]] = []

    def append(self, entries: Sequence[NewEntry]) -> Receipt:
        kept = tuple(entries)
        return self._write("append", lambda: self.inner.append(kept))

    def save_snapshot(self, topic: str, snapshot: Snapshot) -> Receipt:
        return self._write("save_snapshot", lambda: self.inner.save_snapshot(topic, snapshot))

    def forget(self, topic: str) -> Receipt:
        return self._write("forget", lambda: self.inner.forget(topic))

    def trim(self, topic: str, before: float) -> Receipt:
        return self._write("forget", lambda: self.inner.trim(topic, before))

    def read(self, topic: str, after: int = 0, limit: int = 1000) -> list[StoredEntry]:
        self._look("read")
        return self.inner.read(topic, after, limit)

    def read_all(self, after: int = 0, limit: int = 1000) -> list[StoredEntry]:
        self._look("read_all")
        return self.inner.read_all(after, limit)

    def topics(self, prefix: str = "") -> list[Topic]:
        self._look("topics")
        return self.inner.topics(prefix)

    def load_snapshot(self, topic: str) -> Snapshot | None:
        self._look("load_snapshot")
        return self.inner.load_snapshot(topic)

    def size(self) -> int:
        return self.inner.size()

    def set_aside(self) -> str:
        return self.inner.set_aside()

    def close(self) -> None:
        self.inner.close()

    def release(self, count: int | None = None) -> None:
        """Let writes through that were held back, the oldest first."""
        ready, self._waiting = self._waiting[:count], self._waiting[len(self._waiting[:count]) :]
        for work, receipt in ready:
            _settle(receipt, self.refuses, work)

    @property
    def bodies(self) -> bytes:
        """Everything that was written, events and snapshots."""
        topics = self.inner.topics()
        events = [stored.body for stored in self.inner.read_all(limit=100_000)]
        saved = [self.inner.load_snapshot(topic.name) for topic in topics]
        return b"\n".join(events + [snapshot.body for snapshot in saved if snapshot])

    def _write(self, name: str, work: Callable[[], Receipt]) -> Receipt:
        self.calls[name] += 1
        receipt = Receipt()
        if self.held:
            self._waiting.append((work, receipt))
        else:
            _settle(receipt, self.refuses, work)
        return receipt

    def _look(self, name: str) -> None:
        self.calls[name] += 1
        if self.unreadable is not None:
            raise self.unreadable


def _settle(receipt: Receipt, error: StoreError | None, work: Callable[[], Receipt]) -> None:
    if error is not None:
        receipt.set_exception(error)
    else:
        receipt.set_result(work().result())
