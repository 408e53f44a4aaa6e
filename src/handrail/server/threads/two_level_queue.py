"""A queue with two priorities: agents wait for the first, nobody for the second."""

from collections import deque
from collections.abc import Callable
from queue import SimpleQueue

_MAX_IN_A_ROW = 16
"""Urgent items in a row; then one of the others has its turn."""

Work = Callable[[], None]


class TwoLevelQueue:
    """Filled from any thread, emptied by one. Items of the same priority stay in order."""

    def __init__(self) -> None:
        self._urgent: deque[Work | None] = deque()
        self._others: deque[Work | None] = deque()
        self._ready: SimpleQueue[None] = SimpleQueue()
        """One token for each waiting item."""
        self._in_a_row = 0

    def put(self, work: Work | None, *, urgent: bool = True) -> None:
        """Add an item; None is the end."""
        (self._urgent if urgent else self._others).append(work)
        self._ready.put(None)

    def get(self) -> Work | None:
        """Wait for the next item, and return it."""
        self._ready.get()
        hurries = self._urgent and (self._in_a_row < _MAX_IN_A_ROW or not self._others)
        self._in_a_row = self._in_a_row + 1 if hurries else 0
        return self._urgent.popleft() if hurries else self._others.popleft()
