"""Whatever happens to the log: every receipt is answered, nothing is half-written, and the call
after the fault has gone works again."""

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.store.conftest import bodies, connected, fault, opened, write

from handrail.store.connection import open_for_writing
from handrail.store.errors import (
    ClosedError,
    DamagedError,
    NewerSchemaError,
    StoreError,
)
from handrail.store.port import NewEntry
from handrail.store.sqlite import SqliteStore
from handrail.store.writer import Work, WriterThread

PATIENCE = 0.05


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    with contextlib.closing(SqliteStore(path, patience=PATIENCE)) as opened_store:
        yield opened_store


def try_to_write(store: SqliteStore, body: bytes = b"no") -> StoreError:
    return fault(store.append([NewEntry("run/1", body), NewEntry("run/1", body)]))


# --- not allowed -----------------------------------------------------------------------------


@contextlib.contextmanager
def as_ordinary_user() -> Iterator[Path]:
    """A folder of somebody to whom permissions apply; that is not so for root."""
    with tempfile.TemporaryDirectory() as folder:
        root = os.geteuid() == 0
        if root:
            os.chown(folder, 65_534, 65_534)
            os.seteuid(65_534)
        try:
            yield Path(folder)
        finally:
            if root:
                os.seteuid(0)


@pytest.mark.parametrize("mode", [0o500, 0o000])
def test_a_folder_that_may_not_be_written_to_is_said(mode: int) -> None:
    with as_ordinary_user() as folder:
        folder.chmod(mode)
        with pytest.raises(StoreError, match="permission denied"):
            SqliteStore(folder / "log.db")
        with pytest.raises(StoreError, match="permission denied"):
            SqliteStore(folder / "new" / "log.db")
        folder.chmod(0o700)
        with opened(folder / "log.db") as store:
            assert write(store, b"1") == 1


def test_a_file_that_may_not_be_written_to_is_said() -> None:
    with as_ordinary_user() as folder:
        path = folder / "log.db"
        with opened(path) as store:
            write(store, b"1")
        path.chmod(0o400)
        with pytest.raises(StoreError, match="may not be written"):
            SqliteStore(path)
        with opened(path, read_only=True) as store:
            assert bodies(store) == [b"1"]


def test_a_file_that_may_not_be_read_is_said() -> None:
    with as_ordinary_user() as folder:
        path = folder / "log.db"
        with opened(path):
            pass
        path.chmod(0o000)
        for read_only in (False, True):
            with (
                pytest.raises(StoreError, match="cannot be opened"),
                opened(path, read_only=read_only) as store,
            ):
                store.topics()


@pytest.mark.parametrize("read_only", [False, True])
def test_a_folder_in_the_place_of_the_log_is_said(path: Path, read_only: bool) -> None:
    path.mkdir(parents=True, mode=0o755)
    with pytest.raises(StoreError, match="not a file"), opened(path, read_only=read_only) as store:
        store.topics()
    assert path.stat().st_mode & 0o777 == 0o755


def test_a_file_in_the_place_of_the_folder_is_said(path: Path) -> None:
    path.parent.touch()
    with pytest.raises(StoreError, match="not a directory"):
        SqliteStore(path)


# --- not a log -------------------------------------------------------------------------------


def make_text(path: Path) -> None:
    path.write_text("these are my notes, do not touch\n" * 200)


def make_other_database(path: Path) -> None:
    with connected(path) as connection:
        connection.execute("CREATE TABLE notes (text)")


def make_other_application(path: Path) -> None:
    with connected(path) as connection:
        connection.execute("PRAGMA application_id = 1")


def make_other_version(path: Path) -> None:
    with connected(path) as connection:
        connection.execute("PRAGMA user_version = 1")


def make_newer(path: Path) -> None:
    with opened(path):
        pass
    with connected(path) as connection:
        connection.execute("PRAGMA user_version = 99")


def make_short(path: Path) -> None:
    with opened(path) as store:
        write(store, b"1")
    os.truncate(path, 1_000)


def make_shorter_by_pages(path: Path) -> None:
    with opened(path) as store:
        write(store, bytes(100_000))
    os.truncate(path, 20 * 4096)


def make_garbage(path: Path) -> None:
    with opened(path) as store:
        write(store, b"1")
    path.write_bytes(b"\xa5" * path.stat().st_size)


NOT_LOGS: list[tuple[Callable[[Path], None], type[StoreError]]] = [
    (make_text, DamagedError),
    (make_other_database, DamagedError),
    (make_other_application, DamagedError),
    (make_other_version, DamagedError),
    (make_newer, NewerSchemaError),
    (make_short, DamagedError),
    (make_shorter_by_pages, DamagedError),
    (make_garbage, DamagedError),
]


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(("make", "error"), NOT_LOGS)
def test_what_is_not_a_log_of_ours_is_refused_and_left_as_it_is(
    path: Path, make: Callable[[Path], None], error: type[StoreError], read_only: bool
) -> None:
    path.parent.mkdir()
    make(path)
    path.chmod(0o640)
    before = path.read_bytes()
    with pytest.raises(error), opened(path, read_only=read_only) as store:
        store.topics()
    assert path.read_bytes() == before
    assert path.stat().st_mode & 0o777 == 0o640


# --- damage ----------------------------------------------------------------------------------


def test_broken_pages_are_said_when_they_are_read(path: Path) -> None:
    with opened(path) as store:
        for number in range(100):
            write(store, bytes(3_000), topic=f"run/{number}")
    size = path.stat().st_size
    with path.open("r+b") as file:
        for place in range(20 * 4096, size, 4096):
            file.seek(place)
            file.write(b"\xa5" * 4096)
    with opened(path) as store:
        with pytest.raises(DamagedError):
            store.read_all()
        receipts = [store.append([NewEntry(f"run/{number}", b"")]) for number in range(100)]
        assert any(isinstance(receipt.exception(), DamagedError) for receipt in receipts)


def test_a_log_that_is_damaged_while_open_works_again_when_it_is_put_back(
    path: Path, store: SqliteStore
) -> None:
    write(store, b"1")
    with connected(path) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        other.execute("PRAGMA user_version = 99")
    assert isinstance(try_to_write(store), NewerSchemaError)
    with connected(path) as other:
        other.execute("PRAGMA user_version = 1")
    assert write(store, b"2") == 2
    assert bodies(store) == [b"1", b"2"]


# --- others ----------------------------------------------------------------------------------


def test_a_log_that_others_hold_for_long_is_said_and_then_works(
    path: Path, store: SqliteStore
) -> None:
    with connected(path) as other:
        other.execute("BEGIN IMMEDIATE")
        receipts = [store.append([NewEntry("run/1", b"%d" % n)]) for n in range(50)]
        assert {fault(receipt).says[:20] for receipt in receipts} == {"another process has "}
        assert bodies(store) == []
        other.execute("COMMIT")
    assert write(store, b"now") == 1


def test_a_log_that_others_hold_cannot_be_made(path: Path) -> None:
    path.parent.mkdir()
    with connected(path) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="another process"):
            SqliteStore(path, patience=PATIENCE)


@pytest.mark.parametrize(
    "error", [KeyError("x"), OverflowError("x"), sqlite3.ProgrammingError("x")]
)
def test_work_that_fails_takes_nothing_else_down(path: Path, error: Exception) -> None:
    def fail(transactions: object) -> int:
        raise error

    def add(body: bytes) -> Work:
        return lambda write: write.append([NewEntry("run/1", body)])

    writer = WriterThread(str(path), partial(open_for_writing, str(path), 30), lambda: 0.0)
    with contextlib.closing(writer):
        with connected(path) as other:
            other.execute("BEGIN IMMEDIATE")  # so that all of them wait together
            works = [add(b"1"), add(b"2"), fail, add(b"3")]
            one, two, bad, three = [writer.submit(work) for work in works]
            other.execute("COMMIT")
        assert [receipt.result(timeout=60) for receipt in (one, two, three)] == [1, 2, 3]
        assert fault(bad).says.startswith(type(error).__name__)


def test_a_store_that_is_closed_while_a_fault_lasts_answers_everybody(path: Path) -> None:
    store = SqliteStore(path, patience=PATIENCE)
    with connected(path) as other:
        other.execute("BEGIN IMMEDIATE")
        receipts = [store.append([NewEntry("run/1", b"")]) for _ in range(10)]
        store.close()
        assert all(receipt.done() for receipt in receipts)
        assert isinstance(fault(store.append([NewEntry("run/1", b"")])), ClosedError)
        other.execute("COMMIT")
