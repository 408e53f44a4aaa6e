"""The numbers of all runs, counted bit by bit so that no other reader of the log waits long."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from handrail.server.api.live_log import LiveLog
from handrail.views.run_counts import RunCounter, RunCounts

T = TypeVar("T")

_SLICE = 0.1
"""Seconds for which the reader of the log counts at a time."""


class CountedRuns:
    """Counts each event once for as long as the daemon runs."""

    def __init__(self, live: LiveLog) -> None:
        self._live = live
        self._counter = RunCounter()

    async def read(self, since: float, work: Callable[[Iterator[RunCounts]], T]) -> T:
        """Return what a function makes of the runs with events since a time."""
        counter = self._counter
        while not await self._live.read(lambda store: counter.read_on(store, since, _SLICE)):
            pass
        return await self._live.read(lambda store: work(counter.counts(store, since)))
