"""Open the log at its first use, and again after a fault."""

import logging
import threading
from collections.abc import Callable, Sequence
from time import monotonic
from typing import TypeVar

from handrail.store.errors import ClosedError, StoreError, failed_receipt
from handrail.store.port import NewEntry, Receipt, Snapshot, Store, StoredEntry, Topic

T = TypeVar("T")

_log = logging.getLogger(__name__)

_RETRY_SECONDS = 1.0


class ReopeningStore(Store):
    """Stand in for a store, so that the daemon can start before its log is usable.

    Until the log opens, every read raises the reason, and every receipt fails with it. A log that
    can no longer be read (deleted or damaged) is opened again a little later.
    """

    def __init__(
        self, open_store: Callable[[], Store], *, now: Callable[[], float] = monotonic
    ) -> None:
        self._open = open_store
        self._now = now
        self._opening = threading.Lock()
        self._store: Store | None = None
        self._error: StoreError | None = None
        self._tried = float("-inf")
        self._closed = False
        self._refused = ""
        """The reason why the log refused the last entry."""

    @property
    def problem(self) -> str:
        """Return why the log cannot be used, or refused the last entry; "" if all is well."""
        try:
            self._use()
        except StoreError as error:
            return str(error)
        return self._refused

    def append(self, entries: Sequence[NewEntry]) -> Receipt:
        """As in the port."""
        return self._write(lambda store: store.append(entries))

    def save_snapshot(self, topic: str, snapshot: Snapshot) -> Receipt:
        """As in the port."""
        return self._write(lambda store: store.save_snapshot(topic, snapshot))

    def forget(self, topic: str) -> Receipt:
        """As in the port."""
        return self._write(lambda store: store.forget(topic))

    def read(self, topic: str, after: int = 0, limit: int = 1000) -> list[StoredEntry]:
        """As in the port."""
        return self._read(lambda store: store.read(topic, after, limit))

    def read_all(self, after: int = 0, limit: int = 1000) -> list[StoredEntry]:
        """As in the port."""
        return self._read(lambda store: store.read_all(after, limit))

    def topics(self, prefix: str = "") -> list[Topic]:
        """As in the port."""
        return self._read(lambda store: store.topics(prefix))

    def load_snapshot(self, topic: str) -> Snapshot | None:
        """As in the port."""
        return self._read(lambda store: store.load_snapshot(topic))

    def trim(self, topic: str, before: float) -> Receipt:
        """As in the port."""
        return self._write(lambda store: store.trim(topic, before))

    def size(self) -> int:
        """As in the port."""
        return self._read(lambda store: store.size())

    def set_aside(self) -> str:
        """As in the port."""
        return self._read(lambda store: store.set_aside())

    def close(self) -> None:
        """As in the port."""
        self._closed = True
        if self._store is not None:
            self._store.close()

    def _read(self, read: Callable[[Store], T]) -> T:
        store = self._use()
        try:
            return read(store)
        except StoreError as error:
            self._give_up(store, error)
            raise

    def _write(self, write: Callable[[Store], Receipt]) -> Receipt:
        try:
            receipt = write(self._use())
        except StoreError as error:
            receipt = failed_receipt(error)
        receipt.add_done_callback(self._note)
        return receipt

    def _note(self, receipt: Receipt) -> None:
        """Note the result of a write; runs in the writer's thread."""
        problem = str(receipt.exception() or "")
        if problem and problem != self._refused:
            _log.error("the log takes no entries: %s", problem)
        elif self._refused and not problem:
            _log.info("the log takes entries again")
        self._refused = problem

    def _use(self) -> Store:
        with self._opening:
            if self._closed:
                raise ClosedError
            if self._store is not None:
                return self._store
            if self._error is None or self._now() - self._tried >= _RETRY_SECONDS:
                self._tried = self._now()
                try:
                    self._store = self._open()
                except StoreError as error:
                    self._error = error
                else:
                    return self._store
            assert self._error is not None
            raise self._error

    def _give_up(self, store: Store, error: StoreError) -> None:
        with self._opening:
            if self._store is not store:
                return
            self._store, self._error, self._tried = None, error, self._now()
        store.close()  # pending work is written, or its receipts fail
