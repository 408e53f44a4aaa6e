"""The engines of all fleets, one for each repository, while the daemon runs."""

import logging
import threading
from collections.abc import Callable

from handrail.fleet.engine.log_engine import LogEngine
from handrail.fleet.engine.state_loading import (
    TOPIC,
    LoadedFleet,
    load_fleet,
    topic_of,
    write_backup,
)
from handrail.server.fleet.places import fleet_folder
from handrail.store.port import Store

_log = logging.getLogger(__name__)


class OpenFleet:
    """The fleet of one repository while the daemon runs."""

    def __init__(self, name: str, engine: LogEngine, loaded: LoadedFleet) -> None:
        self.name = name
        self.engine = engine
        self.loaded = loaded
        """How its state was found."""
        self.backed_up = loaded.state.seq


class OpenFleets:
    """Opens each fleet once. Its methods block on the disk, unless they say otherwise."""

    def __init__(self, store: Store, home: str) -> None:
        """`home`: the state folder, for the backups."""
        self._store = store
        self._home = home
        self._fleets: dict[str, OpenFleet] = {}
        self._lock = threading.Lock()

    def open(self, name: str) -> OpenFleet:
        """Return a fleet, ready for calls."""
        with self._lock:
            fleet = self._fleets.get(name)
            if fleet is None:
                loaded = load_fleet(self._store, name, self._backups(name))
                for problem in loaded.problems:
                    _log.warning("the fleet %s: %s", name, problem)
                engine = LogEngine(self._store, name, loaded.state)
                fleet = self._fleets[name] = OpenFleet(name, engine, loaded)
            return fleet

    def known(self, name: str) -> OpenFleet | None:
        """Return a fleet that the log knows; None: it does not."""
        topic = topic_of(name)
        if any(each.name == topic for each in self._store.topics(topic)):
            return self.open(name)
        return None

    def all(self, since: float = 0.0) -> list[OpenFleet]:
        """Return every fleet in the log with news since a time."""
        topics = [each for each in self._store.topics(TOPIC) if each.changed >= since]
        return [self.open(topic.name.removeprefix(TOPIC)) for topic in topics]

    def opened(self) -> list[OpenFleet]:
        """Return the fleets that are open; does not block."""
        return list(self._fleets.values())

    def find(self, is_it: Callable[[LogEngine], bool]) -> LogEngine | None:
        """Return the engine that fits, of the open ones first."""
        return next((each.engine for each in self.opened() if is_it(each.engine)), None) or next(
            (each.engine for each in self.all() if is_it(each.engine)), None
        )

    def back_up(self) -> None:
        """Write a backup of every fleet that has changed."""
        for fleet in self.opened():
            state = fleet.engine.state()
            if state.seq == fleet.backed_up:
                continue
            try:
                write_backup(self._backups(fleet.name), state)
            except (OSError, ValueError):
                _log.exception("the backup of the fleet %s failed", fleet.name)
            else:
                fleet.backed_up = state.seq

    def _backups(self, fleet: str) -> str:
        return fleet_folder(self._home, fleet)
