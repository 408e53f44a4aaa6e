"""Both stores, with a clock that stands still."""

import contextlib
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.store.errors import StoreError
from handrail.store.memory import MemoryStore
from handrail.store.port import NewEntry, Receipt, Store
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
    return store.append([NewEntry(topic, body) for body in bodies]).result(timeout=60)


def bodies(store: Store, topic: str = "run/1") -> list[bytes]:
    return [stored.body for stored in store.read(topic)]


def fault(receipt: Receipt) -> StoreError:
    """What a receipt failed with."""
    error = receipt.exception(timeout=60)
    assert isinstance(error, StoreError)
    return error


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


CHILD = """
import os, sys
from handrail.store.port import NewEntry
from handrail.store.sqlite import SqliteStore

def write(store, count, name="child"):
    for number in range(count):
        body = f"{name} {number}".encode()
        store.append([NewEntry("shared", body), NewEntry("shared", body)]).result()

print("opening", flush=True)
store = SqliteStore(sys.argv[1], patience=30)
"""


def start_child(path: Path, code: str, *more: str) -> "subprocess.Popen[str]":
    """Another process that has the log open as `store`."""
    command = [sys.executable, "-c", CHILD + code, str(path), *more]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def run_child(path: Path, code: str, *more: str) -> str:
    """What another process says, run to its end."""
    with start_child(path, code, *more) as child:
        said, _ = child.communicate(timeout=120)
    assert child.returncode == 0
    return said
