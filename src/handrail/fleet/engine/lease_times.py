"""When the process of each attempt was last heard of: in memory, and counted anew after a start."""

from collections.abc import Callable, Iterable

PRESENCE_SECONDS = 1.0
"""Seconds between two calls of `LeaseTimes.note_presence`."""


class LeaseTimes:
    """Tells which attempts are silent for longer than their lease. The engine holds its lock."""

    def __init__(self, clock: Callable[[], float], active: Iterable[str]) -> None:
        """`active`: the tasks that somebody may work on; they have one lease from now."""
        self._clock = clock
        self._heard = {task: clock() for task in active}
        self._spoke: set[str] = set()
        """The tasks whose process was heard of at all since the start."""
        self._present = 0.0
        """When this process last said that it runs; 0: nobody asks it to."""
        self._returned = 0.0
        """When it said so again after a gap."""

    def hear(self, task: str) -> None:
        """Count the lease of a task from now."""
        self._heard[task] = self._clock()
        self._spoke.add(task)

    def was_heard(self, task: str) -> bool:
        """Return whether the process of a task was heard of since the start."""
        return task in self._spoke

    def is_over(self, task: str, seconds: float) -> bool:
        """Return whether nothing was heard for longer than a lease."""
        heard = self._heard.setdefault(task, self._clock())
        silent = self._clock() - max(heard, self._returned)
        return silent > seconds and not self._is_absent(seconds)

    def note_presence(self, seconds: float) -> None:
        """Say, every PRESENCE_SECONDS, that this process runs; `seconds`: of a lease.

        If it was stopped, or slept with its machine, it has not heard those who worked on: their
        leases count from its return.
        """
        if self._is_absent(seconds):
            self._returned = self._clock()
        self._present = self._clock()

    def _is_absent(self, seconds: float) -> bool:
        """Return whether this process has just come back and does not know it yet."""
        gap = PRESENCE_SECONDS + seconds / 4
        return self._present > 0 and self._clock() - self._present > gap
