"""One lock around a supervisor, and a queue of work for whoever has the lock next."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_log = logging.getLogger(__name__)


class SerialWork:
    """Runs one thing at a time, in whichever thread it comes up."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        """The lock; whoever waits for it is woken after everything that happens."""
        self._queue: deque[Callable[[], object]] = deque()
        self._wake = threading.Event()
        self._is_closed = False
        self._thread = threading.Thread(target=self._serve, name="handrail-later", daemon=True)
        self._thread.start()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold the lock. What was put off is done first, and what comes up meanwhile at the end."""
        with self.changed:
            self._work_off()
            yield
            self._work_off()

    def later(self, function: Callable[[], object]) -> None:
        """Have something done under the lock soon; never waits, whoever calls it."""
        self._queue.append(function)
        self._wake.set()

    def close(self) -> None:
        """Do what is left, and end the thread."""
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
