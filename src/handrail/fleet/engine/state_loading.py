"""Load the state of a fleet: from its snapshot, its events, a backup, or what else is there.

Each rung of the ladder is checked before it counts, and the state says on which one it stands. The
events are the truth: a snapshot and a backup only save time, or a fleet whose log is damaged. What
can still be read after a backup is read.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from handrail.fleet.engine.backups import (
    TaskList,
    backups_in,
    last_of_backup,
    read_task_list,
    seal,
    unseal,
)
from handrail.fleet.engine.events import (
    FleetEvent,
    FleetRecovered,
    TaskWorkspace,
    event_decoder,
)
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.tasks.task import OPEN, TaskStatus
from handrail.store.errors import StoreError
from handrail.store.port import Snapshot, Store

TOPIC = "fleet:"
"""The prefix of all fleets' topics."""
_PAGE = 1000
_SKIPPED_ATTEMPTS = 10
"""Nobody knows which attempts began after a backup: their drivers may live, and stay fenced."""
_REBUILT = (
    "the log was lost, so nobody knows what became of it; look at its branch, then run "
    "handrail task retry"
)
_FAULTS = (StoreError, ValueError, RecursionError)


class StateSource(StrEnum):
    """Where a state comes from, the best one first."""

    SNAPSHOT = "snapshot"
    EVENTS = "events"
    BACKUP = "backup"
    REBUILT = "rebuilt"
    """From the task list, the workspaces, and the events before the damage."""


class LoadedFleet(NamedTuple):
    """The state of a fleet, and how it was found."""

    state: FleetState
    source: StateSource
    problems: tuple[str, ...] = ()
    """Why the better sources were not used."""
    is_whole: bool = True
    """Nothing was lost."""

    @property
    def is_recovered(self) -> bool:
        """Return whether the log alone does not tell this state."""
        return self.source in (StateSource.BACKUP, StateSource.REBUILT)


def topic_of(fleet: str) -> str:
    """Return the topic of a fleet's events."""
    return TOPIC + fleet


def save_snapshot(store: Store, fleet: str, state: FleetState) -> None:
    """Save the state, so that the next start need not read all events."""
    store.save_snapshot(topic_of(fleet), Snapshot(state.seq, seal(state)))


def load_fleet(
    store: Store,
    fleet: str,
    folder: str,
    workspaces: Iterable[tuple[str, TaskWorkspace]] = (),
) -> LoadedFleet:
    """Load the state from the best source.

    `folder`: of its backups and its task list; empty: a reader, who sees what comes before damage.
    `workspaces`, by task, are what remains beside the task list if everything else is damaged.
    """
    problems: list[str] = []
    found, broken = _from_log(store, fleet, problems)
    last = _last_event(store, fleet)
    backups = backups_in(folder)
    if not broken and backups and last_of_backup(backups[0]) > last:
        broken = f"the log ends at event {last}, and a backup knows more"
    if not broken:
        listed = read_task_list(folder) if not last and not found.state.tasks else TaskList()
        if not listed.tasks:
            return found
        broken = "the log has no events of this fleet"
    problems.append(broken)
    if not folder:
        return found._replace(problems=tuple(problems), is_whole=False)
    return _damaged(store, fleet, found.state, last, folder, workspaces, problems)


def _damaged(
    store: Store,
    fleet: str,
    prefix: FleetState,
    last: int,
    folder: str,
    workspaces: Iterable[tuple[str, TaskWorkspace]],
    problems: list[str],
) -> LoadedFleet:
    """Load a fleet whose log cannot be read. `prefix`: its state before the damage."""
    for path in backups_in(folder):
        try:
            with open(path, "rb") as file:
                state = unseal(file.read())
        except (OSError, ValueError) as error:
            problems.append(f"a backup cannot be used: {error}")
            continue
        is_whole = state.seq <= last and not _read_on(store, fleet, state)
        state = state if is_whole else _interrupted(state)
        state.seq = last
        return LoadedFleet(state, StateSource.BACKUP, tuple(problems), is_whole)
    state = _rebuilt(_interrupted(prefix), read_task_list(folder), workspaces)
    state.seq = last
    return LoadedFleet(state, StateSource.REBUILT, tuple(problems), is_whole=False)


def _from_log(store: Store, fleet: str, problems: list[str]) -> tuple[LoadedFleet, str]:
    """Return what the log tells, and why it does not tell all; "": it does."""
    state, source = FleetState(), StateSource.EVENTS
    try:
        snapshot = store.load_snapshot(topic_of(fleet))
        if snapshot is not None:
            try:
                state, source = unseal(snapshot.body), StateSource.SNAPSHOT
            except ValueError as error:
                problems.append(f"the snapshot cannot be used: {error}")
        # Begin with the snapshot's last entry: if it is missing, this is another log.
        if state.seq and not store.read(topic_of(fleet), state.seq - 1, 1):
            state, source = FleetState(), StateSource.EVENTS
        broken = _read_on(store, fleet, state)
    except _FAULTS as error:
        broken = f"the events cannot be read: {error}"
    return LoadedFleet(state, source, tuple(problems)), broken


def _read_on(store: Store, fleet: str, state: FleetState) -> str:
    """Apply the events after a state, up to the first damaged one; return what is wrong with it.

    If the fleet was recovered after that damage, it goes on from there.
    """
    broken, topic, after = "", topic_of(fleet), state.seq
    try:
        while page := store.read(topic, after, _PAGE):
            for stored in page:
                event = _event(stored.body)
                if event is None:
                    broken = broken or f"the events cannot be read: number {stored.seq} is damaged"
                elif not broken or (isinstance(event, FleetRecovered) and event.state is not None):
                    broken = ""
                    state.apply(event)
                    state.seq = stored.seq
            after = page[-1].seq
    except _FAULTS as error:
        broken = broken or f"the events cannot be read: {error}"
    return broken


def _event(body: bytes) -> FleetEvent | None:
    try:
        return event_decoder.decode(body)
    except (ValueError, RecursionError):
        return None


def _last_event(store: Store, fleet: str) -> int:
    topic = topic_of(fleet)
    try:
        return next((each.seq for each in store.topics(topic) if each.name == topic), 0)
    except StoreError:
        return 0


def _rebuilt(
    state: FleetState, listed: TaskList, workspaces: Iterable[tuple[str, TaskWorkspace]]
) -> FleetState:
    """Add the tasks and workspaces that a state does not know; all of it waits for a person."""
    state.folder = state.folder or listed.folder
    for task in listed.tasks:
        state.tasks.setdefault(task.id, TaskState(task, attempt=_SKIPPED_ATTEMPTS))
    for each in state.tasks.values():
        if each.status is TaskStatus.PENDING:
            each.held, each.says = True, _REBUILT
    for name, workspace in workspaces:
        if name in state.tasks and state.tasks[name].workspace is None:
            state.tasks[name].workspace = workspace
    return state


def _interrupted(state: FleetState) -> FleetState:
    """Return a state that is older than the log: nobody knows who worked since."""
    for task in state.tasks.values():
        if task.status in OPEN:
            task.attempt += _SKIPPED_ATTEMPTS
        if task.status is TaskStatus.ACTIVE:
            task.lost = task.lost or task.lease
            task.status, task.lease, task.open_run = TaskStatus.PENDING, None, ""
            task.says = "the log was damaged while an agent worked on it"
    return state
