"""Logs that can be watched, held back, and made to fail."""

from collections.abc import Callable, Sequence

from handrail.store.errors import StoreError
from handrail.store.memory import MemoryStore
from handrail.store.port import NewEntry, Receipt, StoredEntry


class WatchedStore(MemoryStore):
    """Remembers what was written together; can take nothing, read nothing, or answer late."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(clock=clock)
        self.appends: list[list[NewEntry]] = []
        self.takes = True
        self.takes_yet: int | None = None
        """How many calls it still takes; None: no end is in sight."""
        self.reads = True
        self.is_late = False
        self._late: list[tuple[Receipt, int]] = []

    def append(self, entries: Sequence[NewEntry]) -> Receipt:
        if self.takes_yet is not None:
            self.takes = self.takes_yet > 0
            self.takes_yet = self.takes_yet - 1 if self.takes else None
        if not self.takes:
            receipt: Receipt = Receipt()
            receipt.set_exception(StoreError("", "the disk is full"))
            return receipt
        written = super().append(entries)
        if entries:
            self.appends.append(list(entries))
        if not self.is_late:
            return written
        late: Receipt = Receipt()
        self._late.append((late, written.result()))
        return late

    def read(self, topic: str, after: int = 0, limit: int = 1000) -> list[StoredEntry]:
        if not self.reads:
            raise StoreError("", "the disk does not answer")
        return super().read(topic, after, limit)

    def confirm(self) -> None:
        """All that was written is on the disk now."""
        self.is_late = False
        late, self._late = self._late, []
        for receipt, position in late:
            receipt.set_result(position)
