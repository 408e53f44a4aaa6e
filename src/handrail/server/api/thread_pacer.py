"""A thread of long work that leaves the interpreter to those who answer agents."""

import time
from collections.abc import Callable

_SLICE = 0.0003
"""Seconds of work after which the others come first. A hook needs the interpreter four times, so
it waits for a slice each time: without pauses, for as long as the interpreter lets a thread run."""
_PAUSE = 0.0005
"""Seconds in which the others go on."""


class ThreadPacer:
    """Cuts long work into slices: the work calls `rest` often, and sleeps after each slice."""

    def __init__(
        self,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._rested = clock()

    def rest(self) -> None:
        """Sleep a little if the last rest is a slice ago."""
        if self._clock() - self._rested >= _SLICE:
            self._sleep(_PAUSE)
            self._rested = self._clock()
