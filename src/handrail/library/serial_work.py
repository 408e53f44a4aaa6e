"""One lock around a supervisor, and a queue of work for the next holder of the lock."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_log = logging.getLogger(__name__)


class SerialWork:
    """Run one piece of work at a time, in any thread."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        """The lock; everything that happens wakes the threads that wait for it."""
        self._queue: deque[Callable[[], object]] = deque()
        self._wake = threading.Event()
        self._is_closed = False
        self._thread = threading.Thread(target=self._serve, name="handrail-later", daemon=True)
        self._thread.start()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold the lock. Do postponed work first, and new work at the end."""
        with self.changed:
            self._work_off()
            yield
            self._work_off()

    def later(self, function: Callable[[], object]) -> None:
        """Run a function under the lock soon; never waits."""
        self._queue.append(function)
        self._wake.set()

    def close(self) -> None:
        """Do the remaining work, and end the thread."""
        self._is_closed = True
        self._wake.set()
        self._thread.join()

    def _serve(self) -> None:
        while not self._is_closed or self._queue:
            self._wake.wait()
            self._wake.clear()
            with self.changed:
                self._work_off()

    def _work_off(self) -> None:
        while self._queue:
            function = self._queue.popleft()
            try:
                function()
            except Exception:  # noqa: BLE001 - nobody waits for it, and the rest has to be done
                _log.exception("something that nobody waits for went wrong")
        self.changed.notify_all()
