"""Stops whose folder is missing, from the log: each run is read again only after new events."""

from collections.abc import Container

from handrail.intervene.incidents.record import Incident
from handrail.store.errors import DamagedError
from handrail.store.journal import Journal
from handrail.store.port import Store
from handrail.supervise.log.state_reader import read_state
from handrail.supervise.log.topics import RUNS, run_of
from handrail.supervise.state.stop_lookup import stop_of

_LATELY = 30 * 86_400.0


class UnfiledStops:
    """Used from the thread that reads the log."""

    def __init__(self) -> None:
        self._stopped: dict[str, tuple[int, str]] = {}
        """By run, its last event, and the stop that nobody has decided about."""

    def read(self, store: Store, filed: Container[str], now: float) -> list[Incident]:
        """Return the open stops of the last month that have no folder."""
        journal = Journal(store)
        found: list[Incident] = []
        for topic in store.topics(RUNS):
            if topic.changed < now - _LATELY:
                break
            run = run_of(topic.name)
            seq, stopped = self._stopped.get(run, (0, ""))
            if seq != topic.seq:
                stopped = _stopped(store, run)
                self._stopped[run] = topic.seq, stopped
            if stopped and stopped not in filed:
                found.append(stop_of(journal, run, stopped))
        return found


def _stopped(store: Store, run: str) -> str:
    try:
        return read_state(store, run, []).course.stopped
    except DamagedError:
        return ""
