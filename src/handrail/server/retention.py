"""Runs of long ago are forgotten, a few at a time."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from time import time

from handrail.config import ConfigError, load_settings
from handrail.server.brain import Brain, TooSlowError
from handrail.store.errors import StoreError
from handrail.store.port import Store
from handrail.store.topics import RUNS, run_of
from handrail.supervise.pending import Pending
from handrail.supervise.runs import Runs

_log = logging.getLogger(__name__)

DAY = 86_400.0
BITE = 5
"""Runs that are forgotten at once: whoever wants to write waits for all of them."""
PAUSE = 0.2


def keep_days(environ: Mapping[str, str]) -> int:
    """How long the user wants runs to be kept; 0: for ever."""
    return load_settings(environ.get("HOME") or "/", environ=environ).config.log.keep_days


class Retention:
    """Knows which runs are to be forgotten. Used in the brain's thread."""

    def __init__(
        self,
        store: Store,
        runs: Runs,
        days: Callable[[], int],
        *,
        clock: Callable[[], float] = time,
    ) -> None:
        self._store = store
        self._runs = runs
        self._days = days
        self._clock = clock

    def forget_some(self) -> Pending[int]:
        """Forget the oldest runs that nobody works with, a few of them; says how many."""
        due = self._due()[:BITE]
        receipts = [self._store.forget(topic) for topic in due]
        return Pending(len(due), receipts, lambda error: 0)

    def _due(self) -> list[str]:
        days = self._days()
        if not days:
            return []
        before = self._clock() - days * DAY
        return [
            topic.name
            for topic in reversed(self._store.topics(RUNS))
            if topic.changed < before and run_of(topic.name) not in self._runs
        ]


async def tidy_daily(
    brain: Brain,
    retention: Retention,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> None:
    """Forget what is due, now and once a day, for ever."""
    while True:
        try:
            while await brain.settle(await brain.do(retention.forget_some)):
                await sleep(PAUSE)
        except (ConfigError, OSError, StoreError, TooSlowError) as error:
            _log.warning("old runs were not forgotten: %s", error)
        await sleep(DAY)
