"""A thread of long work that leaves the interpreter to those who answer agents."""

import time
from collections.abc import Callable

_SLICE = 0.0003
"""Seconds of work after which the others come first. A hook needs the interpreter four times, so
it waits for a slice each time: without pauses, for as long as the interpreter lets a thread run."""
_PAUSE = 0.0005
"""Seconds in which the others go on."""


class ThreadPacer:
    """Call it often in the course of long work: it sleeps a little once a slice is over."""

    def __init__(
        self,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._began = clock()

    def begin(self) -> None:
        """Count the first slice from now on."""
        self._began = self._clock()

    def rest(self) -> None:
        """Let the others go on if this thread has worked for a slice."""
        if self._clock() - self._began >= _SLICE:
            self._sleep(_PAUSE)
            self._began = self._clock()
