"""The one thread that touches the states of runs."""

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Generic, TypeVar

from handrail.server.threads.two_level_queue import TwoLevelQueue
from handrail.server.threads.wake_up import call_in_loop
from handrail.store.errors import StoreError
from handrail.store.port import Receipt
from handrail.supervise.decision.decision_progress import NotWrittenError, Ready

_log = logging.getLogger(__name__)

T = TypeVar("T")

CALL_SECONDS = 5.0
"""A review has its own deadline far below; this one is for a disk that does not answer."""
WRITE_SECONDS = 5.0


class SupervisionTimeoutError(TimeoutError):
    """The supervision thread did not answer in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"it did not come to an answer within {seconds:g} s")


class _Job(Generic[T]):
    """One job, and the future of whoever waits for its result."""

    def __init__(self, function: Callable[[], T]) -> None:
        self.loop = asyncio.get_running_loop()
        self.result: asyncio.Future[T] = self.loop.create_future()
        self.wanted = True
        self._function = function

    def run(self) -> None:
        """Do it; called in the supervision thread."""
        if not self.wanted:
            return
        try:
            value = self._function()
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever asked
            call_in_loop(self.loop, self.fail, error)
        else:
            self.done(value)

    def done(self, value: T) -> None:
        """Called in the supervision thread."""
        call_in_loop(self.loop, self.give, value)

    def give(self, value: T) -> None:
        """Called in the loop."""
        if not self.result.done():
            self.result.set_result(value)

    def fail(self, error: BaseException) -> None:
        """Called in the loop."""
        if not self.result.done():
            self.result.set_exception(error)


class _WrittenJob(_Job[T]):
    """One whose result, if it is ready, is of use only when it is on the disk.

    The loop hears of it once, from the thread that writes: to wake the loop for every job
    and again for every commit is a good part of what a hook costs.
    """

    value: T | None = None

    def done(self, value: T) -> None:
        self.value = value
        receipts = value.receipts if isinstance(value, Ready) else ()
        _when_written(iter(receipts), _Once(partial(super().done, value)))


class SupervisionThread:
    """Runs one thing after the other in its own thread, so that the event loop never waits.

    States of runs are touched in that thread only: there is nothing to lock.
    """

    def __init__(self, *, call: float = CALL_SECONDS, write: float = WRITE_SECONDS) -> None:
        self._queue = TwoLevelQueue()
        self._patience = call
        self._write = write
        self._closing = False
        self.jobs_done = 0
        """How many jobs were done so far."""
        self._thread = threading.Thread(target=self._run, name="supervision", daemon=True)
        self._thread.start()
        self.thread_id = self._thread.native_id or 0
        """What the system calls the thread."""

    async def call(self, function: Callable[[], T], seconds: float = 0.0) -> T:
        """Run a function in the thread and return its result; it may take so many seconds.

        Raises SupervisionTimeoutError, and whatever the function raises.
        """
        patience = seconds or self._patience
        job = _Job(function)
        return await self._wait(job, patience, lambda: job.fail(SupervisionTimeoutError(patience)))

    async def answer(self, function: Callable[[], Ready[T]]) -> T:
        """What a function, run in the thread, gives, once the log has confirmed it."""
        return await self.settle(await self.call_written(function))

    async def call_written(self, function: Callable[[], T], *, urgent: bool = True) -> T:
        """What a function, run in the thread, comes to.

        If that is something ready, it is given once the log has answered, or takes too long.
        """
        job = _WrittenJob(function)

        def is_late() -> None:
            if job.value is None:
                job.fail(SupervisionTimeoutError(self._patience))
            else:
                job.give(job.value)

        return await self._wait(job, self._patience, is_late, urgent=urgent)

    async def settle(self, ready: Ready[T]) -> T:
        """The value of something ready, once the log has confirmed it."""
        if all(map(_is_written, ready.receipts)):
            return ready.value
        problem = await self._problem_with(ready)
        if problem is None:
            return ready.value
        return await self.call(lambda: ready.otherwise(problem))

    def submit(self, function: Callable[[], object]) -> None:
        """Have something done that nobody waits for. May be called in any thread."""

        def work() -> None:
            try:
                function()
            except Exception:  # noqa: BLE001 - the thread goes on
                _log.exception("something that nobody waits for went wrong")

        self._queue.put(work)

    def close(self) -> None:
        """Finish what was begun; what waits is not begun any more."""
        self._closing = True
        self._queue.put(None)
        self._thread.join()

    async def _wait(
        self, job: _Job[T], patience: float, is_late: Callable[[], None], *, urgent: bool = True
    ) -> T:
        self._queue.put(job.run, urgent=urgent)
        timer = job.loop.call_later(patience, is_late)
        try:
            return await job.result
        finally:
            # What has begun goes on, and what it changes stays in order.
            job.wanted = False
            timer.cancel()

    def _run(self) -> None:
        while (work := self._queue.get()) is not None and not self._closing:
            work()
            self.jobs_done += 1

    async def _problem_with(self, ready: Ready[T]) -> StoreError | None:
        written = [asyncio.wrap_future(receipt) for receipt in ready.receipts]
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


class _Once:
    """A function that is let go when it was called: a receipt keeps its callbacks for ever.

    What waits for a receipt leads to that receipt. Without this, every answer would be a circle,
    which only the garbage collector can take apart.
    """

    def __init__(self, function: Callable[[], None]) -> None:
        self._function: Callable[[], None] | None = function

    def __call__(self) -> None:
        function, self._function = self._function, None
        if function is not None:
            function()


def _when_written(receipts: Iterator[Receipt], then: _Once) -> None:
    """Call it when the log has answered to all of them, in whatever thread that is."""
    for receipt in receipts:
        if not receipt.done():
            receipt.add_done_callback(lambda _: _when_written(receipts, then))
            return
    then()


def _is_written(receipt: Receipt) -> bool:
    return receipt.done() and receipt.exception() is None


def _take_note(result: "asyncio.Future[T]") -> None:
    """An error that nobody waits for any more has been seen here."""
    if not result.cancelled():
        result.exception()
