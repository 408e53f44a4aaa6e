"""A log that cannot be used is tried again, and says why until then."""

import os
from pathlib import Path

import pytest

from handrail.store.errors import ClosedError, DamagedError, DiskFullError, StoreError
from handrail.store.memory import MemoryStore
from handrail.store.port import NewEntry, Receipt, Snapshot, Store
from handrail.store.reopening import ReopeningStore
from handrail.store.sqlite import SqliteStore

ENTRY = [NewEntry("run:a", b"{}")]


class ManualClock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class StoreOpener:
    """Opens a store, unless it is stuck."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.stuck: StoreError | None = None
        self.tried = 0

    def __call__(self) -> Store:
        self.tried += 1
        if self.stuck is not None:
            raise self.stuck
        return self.store


class FullStore(MemoryStore):
    """A store on a disk that is full for a while."""

    full = True

    def append(self, entries: object) -> Receipt:
        if not self.full:
            return super().append(ENTRY)
        receipt = Receipt()
        receipt.set_exception(DiskFullError("/log"))
        return receipt


def test_it_is_the_store_that_it_stands_for() -> None:
    store = ReopeningStore(MemoryStore)
    store.append(ENTRY).result(0)
    store.save_snapshot("run:a", Snapshot(1, b"s")).result(0)
    assert [stored.topic for stored in store.read("run:a")] == ["run:a"]
    assert [stored.topic for stored in store.read_all()] == ["run:a"]
    assert [topic.name for topic in store.topics("run:")] == ["run:a"]
    assert store.load_snapshot("run:a") == Snapshot(1, b"s")
    store.forget("run:a").result(0)
    assert store.topics() == []
    assert store.problem == ""


def test_what_cannot_be_opened_says_why_and_is_not_tried_at_every_call() -> None:
    now, door = ManualClock(), StoreOpener(MemoryStore())
    door.stuck = DamagedError("/log", "no database")
    store = ReopeningStore(door, now=now)
    for _ in range(3):
        with pytest.raises(DamagedError):
            store.read("run:a")
        with pytest.raises(DamagedError):
            store.append(ENTRY).result(0)
        assert "damaged" in store.problem
    assert door.tried == 1


def test_what_can_be_opened_again_is_used_again() -> None:
    now, door = ManualClock(), StoreOpener(MemoryStore())
    door.stuck = DamagedError("/log", "no database")
    store = ReopeningStore(door, now=now)
    assert store.problem
    door.stuck = None
    now.now = 1.0
    assert store.problem == ""
    store.append(ENTRY).result(0)
    assert len(store.read("run:a")) == 1


def test_why_the_last_entry_was_not_taken_is_known_until_one_is() -> None:
    full = FullStore()
    store = ReopeningStore(lambda: full)
    assert isinstance(store.append(ENTRY).exception(0), DiskFullError)
    assert store.problem == "/log: the disk is full"
    full.full = False
    store.append(ENTRY).result(0)
    assert store.problem == ""


def test_a_log_whose_file_is_gone_is_made_anew(tmp_path: Path) -> None:
    now, path = ManualClock(), str(tmp_path / "events.db")
    store = ReopeningStore(lambda: SqliteStore(path), now=now)
    store.append(ENTRY).result(10)
    for name in ("", "-wal", "-shm"):
        os.unlink(path + name)
    with pytest.raises(StoreError, match="deleted"):
        store.read("run:a")
    assert "deleted" in store.problem
    now.now = 1.0
    assert store.read("run:a") == []
    store.append(ENTRY).result(10)
    assert len(store.read("run:a")) == 1
    store.close()


def test_once_closed_it_stays_closed() -> None:
    store = ReopeningStore(MemoryStore)
    store.append(ENTRY).result(0)
    store.close()
    store.close()
    with pytest.raises(ClosedError):
        store.read("run:a")
    with pytest.raises(ClosedError):
        store.append(ENTRY).result(0)
