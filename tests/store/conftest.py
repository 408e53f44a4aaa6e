"""Both stores, with a clock that stands still."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.store.memory import MemoryStore
from handrail.store.port import Entry, Store
from handrail.store.sqlite import SqliteStore


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["sqlite", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[Store]:
    """Every test that takes it runs over both implementations."""
    opened: Store = (
        SqliteStore(tmp_path / "log.db", clock=clock)
        if request.param == "sqlite"
        else MemoryStore(clock=clock)
    )
    yield opened
    opened.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "log.db"


def write(store: Store, *bodies: bytes, topic: str = "run/1") -> int:
    """Append in one call, and wait."""
    return store.append([Entry(topic, body) for body in bodies]).result(timeout=60)


def bodies(store: Store, topic: str = "run/1") -> list[bytes]:
    return [stored.body for stored in store.read(topic)]


@contextlib.contextmanager
def opened(path: Path | str, *, read_only: bool = False) -> Iterator[SqliteStore]:
    """A store that is closed at the end."""
    with contextlib.closing(SqliteStore(path, read_only=read_only, patience=30)) as store:
        yield store


@contextlib.contextmanager
def connected(path: Path) -> Iterator[sqlite3.Connection]:
    """The file as another program sees it."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def is_sound(path: Path) -> bool:
    """Whether SQLite finds nothing to complain about."""
    with connected(path) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
