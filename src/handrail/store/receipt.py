"""The answer of the log to one call."""

import logging
import threading
from collections import deque
from collections.abc import Callable

_log = logging.getLogger(__name__)


class Receipt:
    """Resolves to the position of an entry once that entry is durable; fails with a StoreError.

    Every event has one, and `concurrent.futures.Future` costs several times as much: a lock with
    its condition for each, although hardly anybody waits. Here a deque is enough, since whoever
    takes a callback out of it calls it.
    """

    __slots__ = ("_callbacks", "_done", "_error", "_value")

    def __init__(self) -> None:
        self._callbacks: deque[Callable[[Receipt], object]] = deque()
        self._done = False
        self._error: Exception | None = None
        self._value = 0

    def done(self) -> bool:
        """Return whether the log has answered."""
        return self._done

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the answer; return False if none came in time."""
        if not self._done:
            answered = threading.Event()
            self.add_done_callback(lambda _: answered.set())
            answered.wait(timeout)
        return self._done

    def result(self, timeout: float | None = None) -> int:
        """Wait for the answer and return the position; raise the error of a failed call.

        Raises TimeoutError if no answer came in time.
        """
        error = self.exception(timeout)
        if error is not None:
            raise error
        return self._value

    def exception(self, timeout: float | None = None) -> Exception | None:
        """Wait for the answer and return the error of a failed call, or None.

        Raises TimeoutError if no answer came in time.
        """
        if not self.wait(timeout):
            raise TimeoutError
        return self._error

    def add_done_callback(self, callback: "Callable[[Receipt], object]") -> None:
        """Call a function with the receipt when the log has answered, in the log's thread.

        If it has answered already, call it at once.
        """
        self._callbacks.append(callback)
        if self._done:
            self._call_back()

    def set_result(self, position: int) -> None:
        """Confirm the call."""
        self._value = position
        self._done = True
        self._call_back()

    def set_exception(self, error: Exception) -> None:
        """Refuse the call."""
        self._error = error
        self._done = True
        self._call_back()

    def _call_back(self) -> None:
        callbacks = self._callbacks
        while callbacks:
            try:
                callback = callbacks.popleft()
            except IndexError:  # another thread was quicker
                return
            try:
                callback(self)
            except Exception:  # noqa: BLE001 - the others must hear it too
                _log.exception("a callback of a receipt failed")
