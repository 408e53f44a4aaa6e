"""Runs slow jobs in threads: jobs with the same key one after the other."""

import logging
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

T = TypeVar("T")

_log = logging.getLogger(__name__)

_THREADS = 4
"""Several threads, so that one slow project does not keep the others waiting."""

_Job = Callable[[], None]


class KeyedExecutor:
    """A queue for each key; the queues are worked off in parallel."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="lane")
        self._lock = threading.Lock()
        self._lanes: dict[str, deque[_Job]] = {}
        """The waiting jobs of each busy lane."""

    def put(self, lane: str, work: Callable[[], T]) -> "Future[T]":
        """Run a job after all earlier jobs of the same lane."""
        done: Future[T] = Future()

        def job() -> None:
            try:
                done.set_result(work())
            except BaseException as error:  # noqa: BLE001 - whoever waits for it hears of it
                done.set_exception(error)

        with self._lock:
            waiting = self._lanes.get(lane)
            if waiting is not None:
                waiting.append(job)
                return done
            self._lanes[lane] = deque([job])
        self._pool.submit(self._work_off, lane)
        return done

    def is_busy(self, lane: str) -> bool:
        """Return whether a lane has a job under way or waiting."""
        return lane in self._lanes

    def settle(self) -> None:
        """Wait for all jobs."""
        with self._lock:
            lanes = list(self._lanes)
        wait([self.put(lane, lambda: None) for lane in lanes])

    def close(self) -> None:
        """Finish all jobs, then end the threads."""
        self._pool.shutdown(wait=True)

    def _work_off(self, lane: str) -> None:
        while True:
            with self._lock:
                waiting = self._lanes[lane]
                if not waiting:
                    del self._lanes[lane]
                    return
                job = waiting.popleft()
            job()


def log_failure(done: "Future[None]") -> None:
    """Log the failure of a job that nobody waits for."""
    error = done.exception()
    if error is not None:
        _log.error("something could not be done", exc_info=error)
