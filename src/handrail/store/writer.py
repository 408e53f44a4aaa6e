"""The one thread that writes: it makes all pending work durable together, with one fsync.

A commit costs one fsync, however large it is. So callers queue their work, and the thread takes
all of it into one transaction. Work that can wait does not make a commit of its own right after
another one: it waits a moment for work that cannot. The thread also moves the -wal file into the
database (a checkpoint) when nobody waits for it; SQLite itself would do that inside a commit.
"""

import os
import queue
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic

import msgspec

from handrail.store.connection import file_identity, remove_orphans
from handrail.store.errors import ClosedError, StoreError, failed_receipt
from handrail.store.port import Receipt
from handrail.store.replacement_check import ReplacementCheck
from handrail.store.sqlite_errors import as_store_error, concerns_one_call, leaves_connection_usable
from handrail.store.transaction import Transactions

Work = Callable[[Transactions], int]

_MOST_CALLS = 1_000
"""Calls in one transaction at most, so that the first one need not wait long."""
_SHARE_SECONDS = 0.002
"""For so long after a commit, work that can wait waits for other work to share the next one."""
_COMMIT_BYTES = 20_000
"""Bytes that a small commit adds to the -wal: one page of each tree."""
_WAL_ENOUGH = 1_000_000
"""From this size on the -wal is worth a checkpoint when nobody waits."""
_WAL_TOO_LARGE = 64_000_000
"""From this size on the -wal is emptied although calls wait."""


class _WriteJob(msgspec.Struct, frozen=True):
    work: Work
    receipt: Receipt
    can_wait: bool


class WriterThread:
    """Run work in transactions, in the order of the calls."""

    def __init__(
        self,
        path: str,
        connect: Callable[[], sqlite3.Connection],
        clock: Callable[[], float],
        *,
        share: float = _SHARE_SECONDS,
    ) -> None:
        """`share`: for so long after a commit, work that can wait waits for other work."""
        self._path = path
        self._connect = connect
        self._clock = clock
        self._share = share
        self._committed = float("-inf")
        """The time of the last commit."""
        self._queue: queue.SimpleQueue[_WriteJob | None] = queue.SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        self._connection: sqlite3.Connection | None = None
        self._unmoved = 0
        """Approximate bytes of the -wal that are not in the database yet."""
        self._wal_limit = _WAL_TOO_LARGE
        try:
            self._open()
        except (sqlite3.Error, OSError) as error:
            raise as_store_error(path, error) from error
        self._thread = threading.Thread(target=self._run, name="handrail-log", daemon=True)
        self._thread.start()

    def submit(self, work: Work, *, can_wait: bool = False) -> Receipt:
        """Queue work; the receipt resolves when it is durable.

        `can_wait`: it may wait a moment, to share a commit with later work.
        """
        receipt = Receipt()
        with self._closing:
            if not self._closed:
                self._queue.put(_WriteJob(work, receipt, can_wait))
                return receipt
        return failed_receipt(ClosedError(self._path))

    def close(self) -> None:
        """Finish all pending work, and end the thread."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        if threading.current_thread() is not self._thread:  # a receipt's callback may close
            self._thread.join()

    def _run(self) -> None:
        going = True
        while going:
            calls, going = self._take()
            if calls:
                self._write(calls)
            with suppress(sqlite3.Error, OSError):  # the written data is safe without it
                self._tidy_up(idle=self._queue.empty())
        self._finish()

    def _take(self) -> tuple[list[_WriteJob], bool]:
        """Take all pending jobs; return them, and whether more may come."""
        calls: list[_WriteJob] = []
        can_wait = True
        call = self._queue.get()
        while call is not None:
            calls.append(call)
            can_wait = can_wait and call.can_wait
            if len(calls) == _MOST_CALLS:
                return calls, True
            if self._queue.empty():
                left = self._committed + self._share - monotonic() if can_wait else 0.0
                if left <= 0:
                    return calls, True
                try:
                    call = self._queue.get(timeout=left)
                except queue.Empty:
                    return calls, True
            else:
                call = self._queue.get()
        return calls, False

    def _write(self, calls: list[_WriteJob]) -> None:
        try:
            results = self._commit(calls)
        except Exception as error:  # noqa: BLE001 - a thread that dies would leave all waiting
            self._recover(error)
            if len(calls) > 1 and concerns_one_call(error):
                for call in calls:
                    self._write([call])
                return
            fault = as_store_error(self._path, error)
            for call in calls:
                call.receipt.set_exception(fault)
        else:
            for call, result in zip(calls, results, strict=True):
                call.receipt.set_result(result)

    def _commit(self, calls: list[_WriteJob]) -> list[int]:
        connection = self._connection or self._open()
        if self._files.is_replaced():
            self._abandon(connection)
            raise StoreError(self._path, "was deleted or replaced while it was open")
        write = self._transactions
        write.begin(self._clock())
        results = [call.work(write) for call in calls]
        write.commit()
        self._committed = monotonic()
        self._unmoved += write.size + _COMMIT_BYTES
        return results

    def _open(self) -> sqlite3.Connection:
        connection = self._connection = self._connect()
        self._transactions = Transactions(connection, self._path)
        self._files = ReplacementCheck(self._path)
        return connection

    def _recover(self, error: Exception) -> None:
        """Roll back; if that is not enough, the next call opens the log anew."""
        connection = self._connection
        if connection is None:
            return
        with suppress(sqlite3.Error):
            self._transactions.roll_back()
            if leaves_connection_usable(error):
                return
        self._drop(connection)

    def _abandon(self, connection: sqlite3.Connection) -> None:
        """Give up a log whose files were deleted or replaced."""
        if file_identity(self._path)[0] == self._files.opened[0]:
            # Only its companions are gone, and the content of the -wal can still be saved.
            with suppress(sqlite3.Error):
                connection.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()
        self._drop(connection)
        remove_orphans(self._path, self._files.opened)

    def _drop(self, connection: sqlite3.Connection) -> None:
        self._connection = None
        self._unmoved = 0
        with suppress(sqlite3.Error):
            connection.close()

    def _tidy_up(self, *, idle: bool) -> None:
        """Move the -wal into the database when it is time."""
        if self._connection is None or self._unmoved < _WAL_ENOUGH:
            return
        large = os.path.getsize(self._path + "-wal") > self._wal_limit
        if not (idle or large):
            return
        self._unmoved = 0
        how = "TRUNCATE" if large else "PASSIVE"
        (blocked, _, _) = self._connection.execute(f"PRAGMA wal_checkpoint({how})").fetchone()
        if large:  # a reader may block it: do not try again at every commit
            self._wal_limit = 2 * self._wal_limit if blocked else _WAL_TOO_LARGE

    def _finish(self) -> None:
        if self._connection is None:
            return
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self._drop(self._connection)
