"""The one thread that touches the states of runs."""

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Generic, Protocol, TypeVar

from handrail.server.threads.two_level_queue import TwoLevelQueue
from handrail.server.threads.wake_up import call_in_loop, wait_for_ring
from handrail.store.errors import StoreError
from handrail.store.port import Receipt
from handrail.supervise.decision.decision_progress import NotWrittenError, Ready

_log = logging.getLogger(__name__)

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)

CALL_SECONDS = 5.0
"""A review has its own deadline, far below; this one covers a disk that does not answer."""
WRITE_SECONDS = 5.0


class SupervisionTimeoutError(TimeoutError):
    """The supervision thread did not answer in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"it did not come to an answer within {seconds:g} s")


class JobResult(Protocol[T_contra]):
    """Takes the result of a job in the event loop, as a future does."""

    def done(self) -> bool:
        """Return whether it has a result."""
        ...

    def set_result(self, result: T_contra) -> None:
        """Take the value."""
        ...

    def set_exception(self, exception: BaseException) -> None:
        """Take the error."""
        ...


class _Job(Generic[T]):
    """One job, and who takes its result."""

    def __init__(self, function: Callable[[], T], result: JobResult[T]) -> None:
        self.loop = asyncio.get_running_loop()
        self.wanted = True
        self._function = function
        self._result = result
        self._timer: asyncio.TimerHandle | None = None

    def limit(self, patience: float, is_late: Callable[[], None]) -> None:
        """Call a function if the job has no result after so many seconds."""
        self._timer = self.loop.call_later(patience, is_late)

    def close(self) -> None:
        """Nobody waits for it any more; what has begun goes on, so its changes stay in order."""
        self.wanted = False
        timer, self._timer = self._timer, None  # it holds the job, and the job held it
        if timer is not None:
            timer.cancel()

    def run(self) -> None:
        """Run the job; called in the supervision thread."""
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
        """Hand over the result; called in the event loop."""
        self.close()
        if not self._result.done():
            self._result.set_result(value)

    def fail(self, error: BaseException) -> None:
        """Hand over the error; called in the event loop."""
        self.close()
        if not self._result.done():
            self._result.set_exception(error)


class _WrittenJob(_Job[T]):
    """A job whose ready result counts only once it is on the disk.

    The log writer tells the event loop once. Waking the loop for every job and again for every
    commit would be a good part of the cost of a hook.
    """

    value: T | None = None

    def done(self, value: T) -> None:
        self.value = value
        receipts = value.receipts if isinstance(value, Ready) else ()
        _when_written(iter(receipts), partial(super().done, value))


class SupervisionThread:
    """Runs jobs one after the other in its own thread, so that the event loop never waits.

    Only this thread touches the states of runs, so they need no locks.
    """

    def __init__(self, *, call: float = CALL_SECONDS, write: float = WRITE_SECONDS) -> None:
        self._queue = TwoLevelQueue()
        self._patience = call
        self._write = write
        self._closing = False
        self.jobs_done = 0
        """The number of jobs done so far."""
        self._thread = threading.Thread(target=self._run, name="supervision", daemon=True)
        self._thread.start()
        self.thread_id = self._thread.native_id or 0
        """The system's id of the thread."""

    async def call(self, function: Callable[[], T], seconds: float = 0.0) -> T:
        """Run a function in the thread and return its result, within so many seconds.

        Raises SupervisionTimeoutError, and whatever the function raises.
        """
        patience = seconds or self._patience
        result: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        job = _Job(function, result)
        job.limit(patience, lambda: job.fail(SupervisionTimeoutError(patience)))
        self._queue.put(job.run)
        try:
            return await result
        finally:
            job.close()

    async def answer(self, function: Callable[[], Ready[T]]) -> T:
        """Run a function in the thread, and return its value once the log has confirmed it."""
        return await self.settle(await self.call_written(function))

    async def call_written(self, function: Callable[[], T], *, urgent: bool = True) -> T:
        """Run a function in the thread, and return its result.

        If that is a ready decision, return it once the log has answered or takes too long.
        """
        result: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        job = self.begin_written(function, result, urgent=urgent)
        try:
            return await result
        finally:
            job.close()

    def begin_written(
        self, function: Callable[[], T], result: JobResult[T], *, urgent: bool = True
    ) -> _Job[T]:
        """Run a function like `call_written`, without a task that waits for the result."""
        job = _WrittenJob(function, result)

        def is_late() -> None:
            if job.value is None:
                job.fail(SupervisionTimeoutError(self._patience))
            else:
                job.give(job.value)

        job.limit(self._patience, is_late)
        self._queue.put(job.run, urgent=urgent)
        return job

    async def settle(self, ready: Ready[T]) -> T:
        """Return the value of a ready decision, once the log has confirmed it."""
        if is_written(ready):
            return ready.value
        problem = await self._problem_with(ready)
        if problem is None:
            return ready.value
        return await self.call(lambda: ready.otherwise(problem))

    def submit(self, function: Callable[[], object]) -> None:
        """Run a job that nobody waits for; callable from any thread."""

        def work() -> None:
            try:
                function()
            except Exception:  # noqa: BLE001 - the thread goes on
                _log.exception("something that nobody waits for went wrong")

        self._queue.put(work)

    def close(self) -> None:
        """Finish the job under way; waiting jobs are not started any more."""
        self._closing = True
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (work := self._queue.get()) is not None and not self._closing:
            work()
            self.jobs_done += 1

    async def _problem_with(self, ready: Ready[T]) -> StoreError | None:
        written = asyncio.Event()
        loop = asyncio.get_running_loop()
        _when_written(iter(ready.receipts), lambda: call_in_loop(loop, written.set))
        in_time = await wait_for_ring(written, self._write)
        problem: StoreError | None = None if in_time else NotWrittenError(self._write)
        for receipt in ready.receipts:
            error = receipt.exception() if receipt.done() else None
            if isinstance(error, StoreError):
                problem = error
            elif error is not None:
                raise error
        return problem


def _when_written(receipts: Iterator[Receipt], then: Callable[[], None]) -> None:
    """Call a function when the log has answered all receipts, in whatever thread that is."""
    for receipt in receipts:
        if not receipt.done():
            receipt.add_done_callback(lambda _: _when_written(receipts, then))
            return
    then()


def is_written(ready: Ready[T]) -> bool:
    """Return whether the log has confirmed all that a ready decision waits for."""
    return all(receipt.done() and receipt.exception() is None for receipt in ready.receipts)
