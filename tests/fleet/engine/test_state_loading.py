"""The ladder: snapshot, events, backup, what is left. Each rung is tried with that rung damaged."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from handrail.fleet.engine.backups import (
    BACKUPS_KEPT,
    TaskList,
    backups_in,
    read_task_list,
    seal,
    unseal,
    write_backup,
    write_task_list,
)
from handrail.fleet.engine.engine import Claim
from handrail.fleet.engine.events import TaskWorkspace
from handrail.fleet.engine.fleet_state import FleetState
from handrail.fleet.engine.log_engine import LogEngine
from handrail.fleet.engine.state_loading import StateSource, load_fleet, save_snapshot
from handrail.fleet.tasks.task import Task, TaskStatus
from handrail.store.memory import MemoryStore
from handrail.store.port import NewEntry, Snapshot, Store
from handrail.store.sqlite import SqliteStore
from tests.fleet.conftest import worker

TASKS = [Task(id="a", prompt="do a"), Task(id="b", prompt="do b")]


def fill(store: Store) -> LogEngine:
    engine = LogEngine(store, "shop", FleetState())
    engine.submit(TASKS)
    assert isinstance(engine.claim(worker()), Claim)
    return engine


def test_a_snapshot_saves_reading_all_events(store: Store, tmp_path: Path) -> None:
    engine = fill(store)
    save_snapshot(store, "shop", engine.state())
    engine.cancel("b")
    loaded = load_fleet(store, "shop", str(tmp_path))
    assert loaded == (engine.state(), StateSource.SNAPSHOT, (), True)


@pytest.mark.parametrize("harm", [b"", b"no checksum", b"0" * 32 + b"\n{}", None])
def test_a_damaged_snapshot_is_not_believed(
    store: Store, tmp_path: Path, harm: bytes | None
) -> None:
    engine = fill(store)
    body = seal(engine.state())[:-9] + b"x" * 9 if harm is None else harm
    store.save_snapshot("fleet:shop", Snapshot(3, body)).result()
    loaded = load_fleet(store, "shop", str(tmp_path))
    assert loaded.state == engine.state()
    assert loaded.source is StateSource.EVENTS
    assert "snapshot" in loaded.problems[0]


def test_the_snapshot_of_another_log_is_not_believed(store: Store, tmp_path: Path) -> None:
    store.save_snapshot("fleet:shop", Snapshot(9, seal(FleetState(seq=9)))).result()
    loaded = load_fleet(store, "shop", str(tmp_path))
    assert loaded.state == FleetState()


def test_a_damaged_event_sends_it_to_the_newest_backup(store: Store, tmp_path: Path) -> None:
    engine = fill(store)
    write_backup(str(tmp_path), engine.state())
    store.append([NewEntry("fleet:shop", b'{"event":')]).result()
    loaded = load_fleet(store, "shop", str(tmp_path))
    assert loaded.source is StateSource.BACKUP
    found = loaded.state.tasks["a"]
    assert found.status is TaskStatus.PENDING, "nobody knows who worked on it since"
    assert found.attempt > 1, "late words of all attempts since stay fenced"
    assert found.lost is not None, "and its agent is ended before the next one starts"
    assert not loaded.is_whole


def test_a_damaged_backup_is_passed_over_for_an_older_one(store: Store, tmp_path: Path) -> None:
    engine = fill(store)
    write_backup(str(tmp_path), engine.state())
    engine.submit([Task(id="c", prompt="do c")])
    newest = write_backup(str(tmp_path), engine.state())
    with open(newest, "r+b") as file:
        file.seek(40)
        file.write(b"???")
    store.append([NewEntry("fleet:shop", b"?")]).result()
    loaded = load_fleet(store, "shop", str(tmp_path))
    assert loaded.source is StateSource.BACKUP
    assert "its checksum does not match" in loaded.problems[-1]
    assert list(loaded.state.tasks) == ["a", "b", "c"], "the events after the older one are read"


def test_events_after_a_backup_are_read_so_that_nothing_is_lost(
    store: Store, tmp_path: Path
) -> None:
    engine = LogEngine(store, "shop", FleetState())
    engine.submit(TASKS[:1])
    store.append([NewEntry("fleet:shop", b"?")]).result()
    engine = LogEngine(store, "shop", FleetState(seq=2, tasks=engine.state().tasks))
    engine.submit(TASKS[1:])
    write_backup(str(tmp_path), engine.state())
    engine.cancel("b")
    loaded = load_fleet(store, "shop", str(tmp_path))
    assert (loaded.source, loaded.is_whole) == (StateSource.BACKUP, True)
    assert "number 2 is damaged" in loaded.problems[0]
    assert loaded.state.tasks["b"].status is TaskStatus.FAILED, "it was cancelled after the backup"
    assert loaded.state == engine.state()


def test_events_between_a_backup_and_the_damage_are_read(store: Store, tmp_path: Path) -> None:
    engine = fill(store)
    write_backup(str(tmp_path), engine.state())
    engine.cancel("b")
    store.append([NewEntry("fleet:shop", b"?"), NewEntry("fleet:shop", b"?")]).result()
    loaded = load_fleet(store, "shop", str(tmp_path))
    assert loaded.state.tasks["b"].status is TaskStatus.FAILED
    assert loaded.state.seq == engine.state().seq + 2, "the next event comes after the damage"
    assert not loaded.is_whole


def test_a_log_that_ends_before_a_backup_is_another_one(store: Store, tmp_path: Path) -> None:
    engine = fill(store)
    write_backup(str(tmp_path), engine.state())
    store.forget("fleet:shop").result()
    loaded = load_fleet(store, "shop", str(tmp_path))
    assert (loaded.source, loaded.is_whole) == (StateSource.BACKUP, False)
    assert loaded.problems == ("the log ends at event 0, and a backup knows more",)
    assert list(loaded.state.tasks) == ["a", "b"]
    assert loaded.state.seq == 0


def test_without_any_backup_the_state_is_rebuilt_from_tasks_and_workspaces(
    store: Store, tmp_path: Path
) -> None:
    LogEngine(store, "shop", FleetState()).submit(TASKS[:1])
    store.append([NewEntry("fleet:shop", b"?")]).result()
    write_task_list(str(tmp_path), TaskList("/shop", tuple(TASKS)))
    place = TaskWorkspace("/w/a", "handrail/a", "abc")
    loaded = load_fleet(store, "shop", str(tmp_path), [("a", place), ("gone", place)])
    assert loaded.source is StateSource.REBUILT
    assert list(loaded.state.tasks) == ["a", "b"]
    assert loaded.state.tasks["a"].workspace == place
    assert loaded.state.folder == "/shop"
    for task in loaded.state.tasks.values():
        assert task.held, "nobody knows whether it was done: no agent does it again by itself"
        assert "handrail task retry" in task.says


@pytest.mark.parametrize("harm", [None, b"", b'{"tasks": 3}'])
def test_without_a_list_of_tasks_the_events_before_the_damage_remain(
    store: Store, tmp_path: Path, harm: bytes | None
) -> None:
    fill(store)
    store.append([NewEntry("fleet:shop", b"?")]).result()
    if harm is not None:
        (tmp_path / "tasks.json").write_bytes(harm)
    loaded = load_fleet(store, "shop", str(tmp_path))
    assert loaded.source is StateSource.REBUILT
    assert {name: each.held for name, each in loaded.state.tasks.items()} == {"a": True, "b": True}


def test_a_log_without_events_beside_a_list_of_tasks_was_lost(store: Store, tmp_path: Path) -> None:
    write_task_list(str(tmp_path), TaskList("/shop", tuple(TASKS)))
    loaded = load_fleet(store, "shop", str(tmp_path))
    assert loaded.source is StateSource.REBUILT
    assert list(loaded.state.tasks) == ["a", "b"]


def test_an_engine_keeps_the_list_of_tasks(store: Store, tmp_path: Path) -> None:
    def keep(state: FleetState) -> None:
        write_task_list(str(tmp_path), TaskList("", tuple(t.task for t in state.tasks.values())))

    engine = LogEngine(store, "shop", FleetState(), keep_tasks=keep)
    engine.submit(TASKS[:1])
    engine.submit(TASKS)
    assert read_task_list(str(tmp_path)).tasks == tuple(TASKS)


def test_a_torn_database_is_noticed_and_the_backup_counts(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    with closing(SqliteStore(path)) as store:
        engine = fill(store)
        write_backup(str(tmp_path), engine.state())
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE entries SET body = x'00' WHERE seq = 2")
        connection.commit()
    with closing(SqliteStore(path, read_only=True)) as store:
        assert load_fleet(store, "shop", str(tmp_path)).source is StateSource.BACKUP


def test_only_the_last_backups_are_kept(tmp_path: Path) -> None:
    for seq in range(6):
        write_backup(str(tmp_path), FleetState(seq=seq))
    assert len(os.listdir(tmp_path)) == BACKUPS_KEPT
    newest = backups_in(str(tmp_path))[0]
    assert unseal(Path(newest).read_bytes()).seq == 5


def test_an_empty_fleet_loads(tmp_path: Path) -> None:
    loaded = load_fleet(MemoryStore(), "shop", str(tmp_path))
    assert loaded == (FleetState(), StateSource.EVENTS, (), True)
