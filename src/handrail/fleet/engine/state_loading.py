"""Load the state of a fleet: from its snapshot, its events, a backup, or what else is there.

Each rung of the ladder is checked before it counts, and the state says on which one it stands. The
events are the truth: a snapshot and a backup only save time, or a fleet whose log is damaged.
"""

import hashlib
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import NamedTuple

import msgspec

from handrail.fleet.engine.events import TaskWorkspace, event_decoder
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.tasks.task import Task, TaskStatus
from handrail.store.errors import StoreError
from handrail.store.port import Snapshot, Store
from handrail.store.private_files import make_folder, replace_file

TOPIC = "fleet:"
"""The prefix of all fleets' topics."""
BACKUPS_KEPT = 3
_PAGE = 1000
_DIGEST = 16
_BACKUP = "backup-"
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(FleetState)


class StateSource(StrEnum):
    """Where a state comes from, the best one first."""

    SNAPSHOT = "snapshot"
    EVENTS = "events"
    BACKUP = "backup"
    REBUILT = "rebuilt"
    """From the task file and the workspaces: attempts and costs are lost."""


class LoadedFleet(NamedTuple):
    """The state of a fleet, and how it was found."""

    state: FleetState
    source: StateSource
    problems: tuple[str, ...] = ()
    """Why the better sources were not used."""


def topic_of(fleet: str) -> str:
    """Return the topic of a fleet's events."""
    return TOPIC + fleet


def load_fleet(
    store: Store,
    fleet: str,
    backups: str,
    tasks: Sequence[Task] = (),
    workspaces: Iterable[tuple[str, TaskWorkspace]] = (),
) -> LoadedFleet:
    """Load the state from the best source. `backups`: their folder.

    `tasks` and `workspaces` (by task) are what remains if everything else is damaged.
    """
    problems: list[str] = []
    try:
        return _from_log(store, fleet, problems)
    except (StoreError, ValueError, RecursionError) as error:
        problems.append(f"the events cannot be read: {error}")
    for path in _backups(backups):
        try:
            with open(path, "rb") as file:
                state = unseal(file.read())
        except (OSError, ValueError) as error:
            problems.append(f"the backup {os.path.basename(path)} cannot be used: {error}")
        else:
            return LoadedFleet(_interrupted(state), StateSource.BACKUP, tuple(problems))
    return LoadedFleet(_rebuilt(tasks, workspaces), StateSource.REBUILT, tuple(problems))


def save_snapshot(store: Store, fleet: str, state: FleetState) -> None:
    """Save the state, so that the next start need not read all events."""
    store.save_snapshot(topic_of(fleet), Snapshot(state.seq, seal(state)))


def write_backup(folder: str, state: FleetState) -> str:
    """Write a backup, check it, and keep the last few; return its path."""
    make_folder(folder)
    data = seal(state)
    path = os.path.join(folder, f"{_BACKUP}{state.seq:012}.json")
    replace_file(path, data, 0o600)
    with open(path, "rb") as file:
        unseal(file.read())
    for old in _backups(folder)[BACKUPS_KEPT:]:
        with suppress(OSError):
            os.unlink(old)
    return path


def seal(state: FleetState) -> bytes:
    """Encode a state behind its checksum."""
    body = _encoder.encode(state)
    return _digest(body) + b"\n" + body


def unseal(data: bytes) -> FleetState:
    """Decode a sealed state; raises ValueError if it is damaged."""
    digest, _, body = data.partition(b"\n")
    if digest != _digest(body):
        raise ValueError("its checksum does not match")
    return _decoder.decode(body)


def _from_log(store: Store, fleet: str, problems: list[str]) -> LoadedFleet:
    topic = topic_of(fleet)
    state, source = FleetState(), StateSource.EVENTS
    snapshot = store.load_snapshot(topic)
    if snapshot is not None:
        try:
            state, source = unseal(snapshot.body), StateSource.SNAPSHOT
        except ValueError as error:
            problems.append(f"the snapshot cannot be used: {error}")
    # Begin with the snapshot's last entry: if it is missing, this is another log.
    page = store.read(topic, max(state.seq - 1, 0), _PAGE)
    if state.seq and not page:
        state, source = FleetState(), StateSource.EVENTS
        page = store.read(topic, 0, _PAGE)
    while page:
        for stored in page:
            if stored.seq > state.seq:
                state.apply(event_decoder.decode(stored.body))
                state.seq = stored.seq
        page = store.read(topic, page[-1].seq, _PAGE)
    return LoadedFleet(state, source, tuple(problems))


def _rebuilt(tasks: Sequence[Task], workspaces: Iterable[tuple[str, TaskWorkspace]]) -> FleetState:
    """Make a state of the tasks, each with its workspace; nobody works on them."""
    state = FleetState(tasks={each.id: TaskState(each) for each in tasks})
    for name, workspace in workspaces:
        if name in state.tasks:
            state.tasks[name].workspace = workspace
    return state


def _interrupted(state: FleetState) -> FleetState:
    """Return a state that is older than the log: nobody knows who worked since."""
    for task in state.active():
        task.status, task.lease, task.open_run = TaskStatus.PENDING, None, ""
        task.says = "the log was damaged while an agent worked on it"
    return state


def _backups(folder: str) -> list[str]:
    """Return the backups, the newest one first."""
    try:
        names = sorted(each for each in os.listdir(folder) if each.startswith(_BACKUP))
    except OSError:
        return []
    return [os.path.join(folder, each) for each in reversed(names)]


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_DIGEST).hexdigest().encode()
