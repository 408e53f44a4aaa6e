"""A log that fails when it is told to."""

from typing import Any

from handrail.store.errors import StoreError
from handrail.store.memory import MemoryStore
from handrail.store.port import Receipt, Snapshot, Store


class Failing(Store):
    """A log that fails where it is told to, and works again when it is told so."""

    def __init__(self) -> None:
        self.inner = MemoryStore()
        self.on_read: StoreError | None = None
        self.on_write: StoreError | None = None

    def append(self, entries: Any) -> Receipt:
        return self._write(lambda: self.inner.append(entries))

    def save_snapshot(self, topic: str, snapshot: Snapshot) -> Receipt:
        return self._write(lambda: self.inner.save_snapshot(topic, snapshot))

    def forget(self, topic: str) -> Receipt:
        return self._write(lambda: self.inner.forget(topic))

    def trim(self, topic: str, before: float) -> Receipt:
        return self._write(lambda: self.inner.trim(topic, before))

    def read(self, topic: str, after: int = 0, limit: int = 1000) -> Any:
        return self._read(lambda: self.inner.read(topic, after, limit))

    def read_all(self, after: int = 0, limit: int = 1000) -> Any:
        return self._read(lambda: self.inner.read_all(after, limit))

    def topics(self, prefix: str = "") -> Any:
        return self._read(lambda: self.inner.topics(prefix))

    def load_snapshot(self, topic: str) -> Any:
        return self._read(lambda: self.inner.load_snapshot(topic))

    def size(self) -> int:
        return self.inner.size()

    def set_aside(self) -> str:
        return self.inner.set_aside()

    def close(self) -> None:
        self.inner.close()

    def _read(self, read: Any) -> Any:
        if self.on_read is not None:
            raise self.on_read
        return read()

    def _write(self, write: Any) -> Receipt:
        if self.on_write is None:
            return write()  # type: ignore[no-any-return]
        receipt: Receipt = Receipt()
        receipt.set_exception(self.on_write)
        return receipt
