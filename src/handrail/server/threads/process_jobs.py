"""Runs jobs on the processes of runs in threads: jobs of one run one after the other."""

import logging
import threading
from collections.abc import Callable

_log = logging.getLogger(__name__)

_AT_ONCE = 2
"""How many jobs look for processes at a time: that takes time from the reviews."""


class ProcessJobs:
    """Runs each job in a thread of its own, after earlier jobs of the same run."""

    def __init__(self) -> None:
        self.turns = threading.Semaphore(_AT_ONCE)
        """Hold it while looking for processes, and not while waiting for anything else."""
        self._lock = threading.Lock()
        self._under_way: dict[tuple[str, str], threading.Thread] = {}

    def begin(self, run: str, name: str, work: Callable[[], object]) -> None:
        """Start a job, unless one of that name is under way."""
        with self._lock:
            if (run, name) in self._under_way:
                return
            before = [thread for key, thread in self._under_way.items() if key[0] == run]

            def go() -> None:
                for each in before:
                    each.join()
                self._do(run, name, work)

            thread = threading.Thread(target=go, name=f"{name} {run}", daemon=True)
            self._under_way[run, name] = thread
            thread.start()

    def is_under_way(self, run: str, name: str) -> bool:
        """Return whether a job of that name is under way."""
        return (run, name) in self._under_way

    def settle(self) -> None:
        """Wait for all jobs."""
        with self._lock:
            threads = list(self._under_way.values())
        for thread in threads:
            thread.join()

    def _do(self, run: str, name: str, work: Callable[[], object]) -> None:
        try:
            work()
        except Exception:  # noqa: BLE001 - nobody else would hear of it
            _log.exception("a job failed: %s", name)
        finally:
            with self._lock:
                del self._under_way[run, name]
