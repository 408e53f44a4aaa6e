"""The one thread in which every run is thought about."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from handrail.store.errors import StoreError
from handrail.supervise.pending import NotWrittenError, Pending

T = TypeVar("T")

THINK_SECONDS = 5.0
"""A review has its own deadline far below; this one is for a disk that does not answer."""
WRITE_SECONDS = 5.0


class TooSlowError(TimeoutError):
    """The brain did not answer in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"it did not come to an answer within {seconds:g} s")


class Brain:
    """Runs one thing after the other in its own thread, so that the event loop never waits.

    States of runs are touched in that thread only: there is nothing to lock.
    """

    def __init__(self, *, think: float = THINK_SECONDS, write: float = WRITE_SECONDS) -> None:
        self._thread = ThreadPoolExecutor(1, "brain")
        self._think = think
        self._write = write

    async def do(self, function: Callable[[], T], seconds: float = 0.0) -> T:
        """The result of a function, run in the thread; raises TooSlowError and what it raises."""
        patience = seconds or self._think
        work = self._thread.submit(function)
        result = asyncio.wrap_future(work)
        result.add_done_callback(_take_note)
        try:
            await asyncio.wait({result}, timeout=patience)
        finally:
            # What has begun goes on, and what it changes stays in order.
            work.cancel()
        if not result.done() or result.cancelled():
            raise TooSlowError(patience)
        return result.result()

    async def settle(self, pending: Pending[T]) -> T:
        """The value of something pending, once the log has confirmed it."""
        problem = await self._problem_with(pending)
        if problem is None:
            return pending.value
        return await self.do(lambda: pending.otherwise(problem))

    def close(self) -> None:
        """Finish what was begun."""
        self._thread.shutdown(wait=True, cancel_futures=True)

    async def _problem_with(self, pending: Pending[T]) -> StoreError | None:
        if not pending.receipts:
            return None
        written = [asyncio.wrap_future(receipt) for receipt in pending.receipts]
        for each in written:
            each.add_done_callback(_take_note)
        # Never cancelled: a receipt belongs to the log, whoever has stopped waiting for it.
        done, late = await asyncio.wait(written, timeout=self._write)
        problem: StoreError | None = NotWrittenError(self._write) if late else None
        for each in done:
            error = each.exception()
            if isinstance(error, StoreError):
                problem = error
            elif error is not None:
                raise error
        return problem


def _take_note(result: "asyncio.Future[T]") -> None:
    """An error that nobody waits for any more has been seen here."""
    if not result.cancelled():
        result.exception()
