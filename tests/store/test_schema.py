"""Versions of the log: every older one opens, a newer one is left alone."""

import shutil
import sqlite3
from pathlib import Path

import pytest
from tests.store.conftest import bodies, connected, is_sound, opened, write

from handrail.store.errors import NewerSchemaError
from handrail.store.port import Snapshot, StoredEntry, Topic
from handrail.store.schema import APPLICATION_ID, STEPS, migrate
from handrail.store.sqlite import SqliteStore

GOLDEN = Path(__file__).parent / "data"


def write_golden(store: SqliteStore) -> None:
    """What the files in data/ hold, for the file of the next version."""
    write(store, b'{"n":1}', b'{"n":2}')
    write(store, "ü\0".encode(), topic="läuft")
    store.save_snapshot("run/1", Snapshot(2, b"state")).result()
    write(store, b"gone", topic="forgotten")
    store.forget("forgotten").result()


@pytest.mark.parametrize("version", range(1, len(STEPS) + 1))
def test_a_log_of_every_version_opens_today(version: int, path: Path) -> None:
    path.parent.mkdir()
    shutil.copyfile(GOLDEN / f"schema-{version}.db", path)
    with opened(path) as store:
        assert store.read_all() == [
            StoredEntry(1, "run/1", 1, 1_000.0, b'{"n":1}'),
            StoredEntry(2, "run/1", 2, 1_000.0, b'{"n":2}'),
            StoredEntry(3, "läuft", 1, 1_000.0, "ü\0".encode()),
        ]
        assert store.topics() == [
            Topic("läuft", 1, 1_000.0, 1_000.0),
            Topic("run/1", 2, 1_000.0, 1_000.0),
        ]
        assert store.load_snapshot("run/1") == Snapshot(2, b"state")
        assert write(store, b"new", topic="läuft") == 5
    assert is_sound(path)


def test_a_released_step_was_not_edited(tmp_path: Path) -> None:
    def tables(path: Path) -> list[object]:
        with connected(path) as connection:
            return connection.execute("SELECT name, sql FROM sqlite_master ORDER BY 1").fetchall()

    for version in range(1, len(STEPS) + 1):
        with connected(tmp_path / f"{version}.db") as connection:
            migrate(connection, "", STEPS[:version])
        golden = shutil.copy(GOLDEN / f"schema-{version}.db", tmp_path)
        assert tables(tmp_path / f"{version}.db") == tables(Path(golden))


def test_a_migration_runs_only_the_steps_that_are_missing(tmp_path: Path) -> None:
    with connected(tmp_path / "log.db") as connection:
        migrate(connection, "")
        migrate(connection, "", (*STEPS, ["CREATE TABLE second (x)"]))
        migrate(connection, "", (*STEPS, ["CREATE TABLE second (x)"], ["CREATE TABLE third (x)"]))
        assert connection.execute("PRAGMA user_version").fetchone() == (len(STEPS) + 2,)
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)


def test_a_migration_that_fails_changes_nothing(path: Path) -> None:
    with opened(path) as store:
        write(store, b"1")
    with connected(path) as connection, pytest.raises(sqlite3.OperationalError):
        migrate(connection, "", (*STEPS, ["CREATE TABLE second (x)", "CREATE TABLE second (x)"]))
    with opened(path) as store:
        assert bodies(store) == [b"1"]


def test_a_newer_log_is_left_alone(path: Path) -> None:
    with opened(path):
        pass
    with connected(path) as connection:
        migrate(connection, "", (*STEPS, ["CREATE TABLE second (x)"]))
    with pytest.raises(NewerSchemaError) as caught:
        SqliteStore(path)
    assert (caught.value.found, caught.value.known) == (len(STEPS) + 1, len(STEPS))
    with opened(path, read_only=True) as store, pytest.raises(NewerSchemaError):
        store.topics()
