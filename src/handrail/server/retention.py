"""Forgets old runs, pipelines, requests and incidents, a few at a time."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from time import time

from handrail.config import ConfigError
from handrail.control.topics import CONTROL, CURRENT
from handrail.fleet.pipeline.events import PIPELINES
from handrail.intervene.incidents.folders import IncidentFolders
from handrail.server.threads.supervision_thread import SupervisionThread, SupervisionTimeoutError
from handrail.store.errors import StoreError
from handrail.store.port import Receipt, Store, Topic
from handrail.supervise.decision.decision_progress import Ready
from handrail.supervise.log.topics import RUNS, run_of
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.runs.settings_trust import trusted_settings

_log = logging.getLogger(__name__)

DAY = 86_400.0
BITE = 5
"""How many runs to forget in one transaction: writers wait for it."""
PAUSE = 0.2
PROTOCOL = (CONTROL, CURRENT)
"""The topics of the control protocol: Handrail shortens them, and never forgets them."""


def keep_days(environ: Mapping[str, str]) -> int:
    """Return how many days the user keeps runs; 0 means for ever."""
    return trusted_settings(environ.get("HOME") or "/", environ).config.log.keep_days


def remove_incidents(folder: str, environ: Mapping[str, str]) -> None:
    """Remove the incidents that are older than the user's setting."""
    settings = trusted_settings(environ.get("HOME") or "/", environ).config
    days = settings.interventions.emergency_stop.preserve_incident_data_days
    for name in IncidentFolders(folder).remove_old(days, time()):
        _log.info("incident %s was removed: it is older than %d days", name, days)


class Retention:
    """Chooses the runs to forget. Used in the supervision thread."""

    def __init__(
        self,
        store: Store,
        runs: RunRegistry,
        days: Callable[[], int],
        *,
        clock: Callable[[], float] = time,
    ) -> None:
        self._store = store
        self._runs = runs
        self._days = days
        self._clock = clock
        self._due: list[Topic] = []
        """The runs and pipelines to forget, the last changed one first."""

    def look(self) -> None:
        """Collect the runs to forget, and drop states that nobody needed for a day from memory."""
        self._runs.let_idle_go(self._clock() - DAY)
        days = self._days()
        before = self._clock() - days * DAY
        topics = self._store.topics(RUNS) + self._store.topics(PIPELINES) if days else []
        due = [topic for topic in topics if topic.changed < before]
        self._due = sorted(due, key=lambda topic: topic.changed, reverse=True)
        for topic in PROTOCOL if days else ():
            self._store.trim(topic, before)

    def forget_some(self) -> Ready[int]:
        """Forget a few of the oldest runs that are due; return how many."""
        receipts: list[Receipt] = []
        while self._due and len(receipts) < BITE:
            topic = self._due.pop()
            if not self._is_used(topic):
                receipts.append(self._store.forget(topic.name))
        return Ready(len(receipts), receipts, lambda error: 0)

    def _is_used(self, topic: Topic) -> bool:
        """Return whether somebody uses a run, or used it since the last look."""
        return run_of(topic.name) in self._runs or bool(self._store.read(topic.name, topic.seq, 1))


async def tidy_daily(
    supervision: SupervisionThread,
    retention: Retention,
    remove: Callable[[], None] = lambda: None,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> None:
    """Forget what is due, now and once a day; `remove` deletes data outside the log."""
    while True:
        try:
            await asyncio.to_thread(remove)
            await supervision.call(retention.look)
            while await supervision.settle(await supervision.call(retention.forget_some)):
                await sleep(PAUSE)
        except (ConfigError, OSError, StoreError, SupervisionTimeoutError) as error:
            _log.warning("old runs were not forgotten: %s", error)
        await sleep(DAY)
