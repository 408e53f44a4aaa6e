"""The one thread in which every run is thought about."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from handrail.store.errors import StoreError
from handrail.supervise.pending import NotWrittenError, Pending

T = TypeVar("T")

_log = logging.getLogger(__name__)

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

    async def do(self, function: Callable[[], T]) -> T:
        """The result of a function, run in the thread."""
        work = asyncio.get_running_loop().run_in_executor(self._thread, function)
        try:
            # Shielded: what has begun goes on, and what it changes stays in order.
            return await asyncio.wait_for(asyncio.shield(work), self._think)
        except TimeoutError:
            work.add_done_callback(_swallow)
            raise TooSlowError(self._think) from None

    async def settle(self, pending: Pending[T]) -> T:
        """The value of something pending, once the log has confirmed it."""
        try:
            for receipt in pending.receipts:
                # Shielded: a receipt belongs to the log, whoever has stopped waiting for it.
                await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(receipt)), self._write)
        except StoreError as error:
            problem = error
        except TimeoutError:
            problem = NotWrittenError(self._write)
        else:
            return pending.value
        return await self.do(lambda: pending.otherwise(problem))

    def close(self) -> None:
        """Finish what was begun."""
        self._thread.shutdown(wait=True, cancel_futures=True)


def _swallow(work: "asyncio.Future[T]") -> None:
    if not work.cancelled() and work.exception() is not None:
        _log.error("a late answer failed: %s", work.exception())
