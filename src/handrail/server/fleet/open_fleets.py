"""The engines of all fleets, one for each repository, while the daemon runs."""

import logging
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from time import time

import msgspec

from handrail.fleet.engine.backups import (
    TaskList,
    backups_in,
    read_task_list,
    set_backups_aside,
    write_backup,
    write_task_list,
)
from handrail.fleet.engine.events import FleetRecovered, TaskWorkspace
from handrail.fleet.engine.fleet_state import FleetState
from handrail.fleet.engine.log_engine import LogEngine
from handrail.fleet.engine.state_loading import (
    TOPIC,
    LoadedFleet,
    load_fleet,
    save_snapshot,
    topic_of,
)
from handrail.fleet.recovery.recovered_kinds import recovery_after
from handrail.server.fleet.places import fleet_folder, fleets_with_files, records_of_fleet
from handrail.store.errors import StoreError
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

    def __init__(self, store: Store, home: str, environ: Mapping[str, str] = os.environ) -> None:
        """`home`: the state folder, for the backups."""
        self._store = store
        self._home = home
        self._environ = environ
        self._fleets: dict[str, OpenFleet] = {}
        self._lock = threading.Lock()
        self._has_looked = False

    def open(self, name: str) -> OpenFleet:
        """Return a fleet, ready for calls."""
        with self._lock:
            fleet = self._fleets.get(name)
            if fleet is None:
                fleet = self._fleets[name] = self._load(name)
            return fleet

    def _load(self, name: str) -> OpenFleet:
        folder = self._folder(name)
        loaded = load_fleet(self._store, name, folder, self._workspaces(name))
        engine = LogEngine(
            self._store, name, loaded.state, keep_tasks=lambda state: _keep_tasks(folder, state)
        )
        fleet = OpenFleet(name, engine, loaded)
        if loaded.problems:
            for problem in loaded.problems:
                _log.warning("the fleet %s: %s", name, problem)
            try:
                self._write_down(fleet)
            except (StoreError, OSError, ValueError):
                _log.exception("the recovery of the fleet %s was not written down", name)
        return fleet

    def _write_down(self, fleet: OpenFleet) -> None:
        """Let the log go on from the recovered state, whatever is damaged before it."""
        recovery, loaded = recovery_after(fleet.loaded), fleet.loaded
        if recovery is None:
            return
        state = msgspec.to_builtins(loaded.state) if loaded.is_recovered else None
        fleet.engine.record(
            FleetRecovered(
                time(), recovery.source.value, recovery.problems, recovery.kinds, state=state
            )
        )
        now = fleet.engine.state()
        save_snapshot(self._store, fleet.name, now)
        folder = self._folder(fleet.name)
        if loaded.is_recovered:
            set_backups_aside(folder)
        write_backup(folder, now)
        fleet.backed_up = now.seq

    def _workspaces(self, name: str) -> Iterator[tuple[str, TaskWorkspace]]:
        """Yield the workspaces on the disk, by task; nobody looks unless the log is damaged."""
        for each in records_of_fleet(self._home, name, self._environ).all():
            yield each.task, TaskWorkspace(each.path, each.branch, each.base)

    def known(self, name: str) -> OpenFleet | None:
        """Return a fleet that the log knows; None: it does not."""
        self._find_lost()
        topic = topic_of(name)
        if any(each.name == topic for each in self._store.topics(topic)):
            return self.open(name)
        return None

    def all(self, since: float = 0.0) -> list[OpenFleet]:
        """Return every fleet in the log with news since a time."""
        self._find_lost()
        topics = [each for each in self._store.topics(TOPIC) if each.changed >= since]
        return [self.open(topic.name.removeprefix(TOPIC)) for topic in topics]

    def _find_lost(self) -> None:
        """Open, once, the fleets that only have files: the log was lost."""
        if self._has_looked:
            return
        self._has_looked = True
        known = {each.name for each in self._store.topics(TOPIC)}
        for name in fleets_with_files(self._home):
            folder = self._folder(name)
            is_lost = topic_of(name) not in known
            if is_lost and (backups_in(folder) or read_task_list(folder).tasks):
                self.open(name)

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
            folder = self._folder(fleet.name)
            try:
                write_backup(folder, state)
            except (OSError, ValueError):
                _log.exception("the backup of the fleet %s failed", fleet.name)
            else:
                fleet.backed_up = state.seq
            _keep_tasks(folder, state)  # a rollback changes them, too

    def _folder(self, fleet: str) -> str:
        return fleet_folder(self._home, fleet)


def _keep_tasks(folder: str, state: FleetState) -> None:
    tasks = tuple(each.task for each in state.tasks.values())
    try:
        write_task_list(folder, TaskList(state.folder, tasks))
    except OSError:
        _log.exception("the list of tasks in %s was not written", folder)
