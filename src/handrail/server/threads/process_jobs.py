"""Work on the processes of runs, in threads: that of one run one after the other."""

import logging
import threading
from collections.abc import Callable

_log = logging.getLogger(__name__)

_AT_ONCE = 2
"""Looking for processes is work; other runs have to be reviewed meanwhile."""


class ProcessJobs:
    """Each is done in a thread of its own, after those of the same run that were begun before."""

    def __init__(self) -> None:
        self.turns = threading.Semaphore(_AT_ONCE)
        """To be held while one looks for processes, and not while one waits for anything else."""
        self._lock = threading.Lock()
        self._under_way: dict[tuple[str, str], threading.Thread] = {}

    def begin(self, run: str, name: str, work: Callable[[], object]) -> None:
        """Begin a job, unless one of that name is under way."""
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
        """Whether a job of that name was begun and is not done."""
        return (run, name) in self._under_way

    def settle(self) -> None:
        """Wait until everything that was begun is done."""
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
