"""Whatever happens to the log: every receipt is answered, nothing is half-written, and the call
after the fault has gone works again."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.store.conftest import bodies, connected, is_sound, opened, write

from handrail.store.connection import open_for_writing
from handrail.store.errors import (
    ClosedError,
    DamagedError,
    DiskFullError,
    NewerSchemaError,
    StoreError,
)
from handrail.store.port import Entry, Receipt
from handrail.store.sqlite import SqliteStore
from handrail.store.writer import Work, Writer

PATIENCE = 0.05


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    with contextlib.closing(SqliteStore(path, patience=PATIENCE)) as opened_store:
        yield opened_store


def fault(receipt: Receipt) -> StoreError:
    error = receipt.exception(timeout=60)
    assert isinstance(error, StoreError)
    return error


def try_to_write(store: SqliteStore, body: bytes = b"no") -> StoreError:
    return fault(store.append([Entry("run/1", body), Entry("run/1", body)]))


# --- no room ---------------------------------------------------------------------------------


class SmallDisk:
    """A writer whose file may have only so many pages."""

    def __init__(self, path: Path, pages: int) -> None:
        self.path = path
        self.pages = pages
        self.connections: list[sqlite3.Connection] = []
        self.writer = Writer(str(path), self.open, lambda: 0.0)

    def open(self) -> sqlite3.Connection:
        connection = open_for_writing(str(self.path), 30)
        self.connections.append(connection)
        self.limit(self.pages)
        return connection

    def limit(self, pages: int) -> None:
        self.connections[-1].execute(f"PRAGMA max_page_count = {pages}").fetchone()

    def append(self, size: int) -> Receipt:
        entries = [Entry("run/1", bytes(size))]
        return self.writer.submit(lambda write: write.append(entries))


@pytest.fixture
def small_disk(path: Path) -> Iterator[SmallDisk]:
    disk = SmallDisk(path, pages=50)
    with contextlib.closing(disk.writer):
        yield disk


def sizes(path: Path) -> list[int]:
    with opened(path, read_only=True) as store:
        return [len(body) for body in bodies(store)]


def test_a_full_disk_is_said_and_nothing_is_half_written(small_disk: SmallDisk) -> None:
    small_disk.append(10).result()
    assert isinstance(fault(small_disk.append(1_000_000)), DiskFullError)
    assert sizes(small_disk.path) == [10]


def test_what_still_fits_is_written_on_a_full_disk(small_disk: SmallDisk) -> None:
    with connected(small_disk.path) as other:
        other.execute("BEGIN IMMEDIATE")  # so that all of them wait together
        receipts = [small_disk.append(size) for size in (0, 10, 1_000_000, 20)]
        other.execute("COMMIT")
    assert [receipt.exception(timeout=60) for receipt in receipts[:2]] == [None, None]
    assert isinstance(fault(receipts[2]), DiskFullError)
    assert receipts[3].result() == 3
    assert sizes(small_disk.path) == [0, 10, 20]


def test_when_there_is_room_again_the_next_call_works(small_disk: SmallDisk) -> None:
    fault(small_disk.append(1_000_000))
    small_disk.limit(10_000)
    assert small_disk.append(1_000_000).result() == 1
    assert len(small_disk.connections) == 1
    assert is_sound(small_disk.path)


LIMITED = """
import resource, sys
from handrail.store.errors import StoreError
from handrail.store.port import Entry
from handrail.store.sqlite import SqliteStore

def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

def write(count):
    failed = 0
    for number in range(count):
        receipt = store.append([Entry("run/1", bytes(5_000))] * 2)
        failed += isinstance(receipt.exception(timeout=60), StoreError)
    return failed

store = SqliteStore(sys.argv[1])
print(write(10))
limit(200_000)
failed = write(50)
print(0 < failed < 50)
limit(resource.RLIM_INFINITY)
print(write(10))
print(len(store.read("run/1", limit=1000)) == 2 * (10 + 50 - failed + 10))
store.close()
"""


def test_files_that_may_not_grow_are_a_fault_that_passes(path: Path) -> None:
    """Real errors of real writes, in a process whose files may only have a certain size."""
    command = [sys.executable, "-c", LIMITED, str(path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    assert said.split() == ["0", "True", "0", "True"]
    assert is_sound(path)


FULL = """
import os, sys
from handrail.store.errors import DiskFullError
from handrail.store.port import Entry
from handrail.store.sqlite import SqliteStore

folder = sys.argv[1]
store = SqliteStore(folder + "/state/log.db")
store.append([Entry("run/1", b"first")]).result()
with open(folder + "/other", "wb", buffering=0) as other:
    try:
        while True:
            other.write(bytes(4096))
    except OSError:
        pass
errors = [store.append([Entry("run/1", bytes(100_000))]).exception() for _ in range(3)]
print(all(isinstance(error, DiskFullError) for error in errors), errors)
print([len(one.body) for one in store.read("run/1")])
os.unlink(folder + "/other")
print(store.append([Entry("run/1", b"last")]).result())
store.close()
"""


def test_a_disk_that_is_really_full_is_a_fault_that_passes(tmp_path: Path) -> None:
    """On a small file system of its own, where the system lets us make one."""
    mounted = tmp_path / "mounted"
    mounted.mkdir()
    script = 'mount -t tmpfs -o size=1m none "$1" && exec "$2" -c "$3" "$1"'
    shell: list[str | Path] = ["unshare", "-rm", "sh", "-ec", script, "sh"]
    try:
        subprocess.run([*shell, mounted, "true", ""], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no mount namespaces here")
    command = [*shell, mounted, sys.executable, FULL]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    all_full, read, last = done.stdout.splitlines()
    assert all_full.startswith("True"), all_full
    assert read == "[5]"
    assert last == "2"


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
        receipts = [store.append([Entry(f"run/{number}", b"")]) for number in range(100)]
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


# --- files that go away ----------------------------------------------------------------------


def remove(path: Path, *endings: str) -> None:
    for ending in endings:
        path.with_name(path.name + ending).unlink()


@pytest.mark.parametrize("endings", [("",), ("", "-wal"), ("", "-wal", "-shm")])
def test_a_log_that_was_deleted_is_said_and_then_made_anew(
    path: Path, store: SqliteStore, endings: tuple[str, ...]
) -> None:
    write(store, b"old")
    bodies(store)
    remove(path, *endings)
    with pytest.raises(StoreError, match="was deleted"):
        store.read_all()
    assert "was deleted or replaced" in try_to_write(store).says
    assert write(store, b"new") == 1
    assert bodies(store) == [b"new"]
    with opened(path, read_only=True) as reader:
        assert bodies(reader) == [b"new"]
    assert is_sound(path)


@pytest.mark.parametrize("endings", [("-wal",), ("-shm",), ("-wal", "-shm")])
def test_nothing_confirmed_is_lost_with_a_companion_of_the_log(
    path: Path, store: SqliteStore, endings: tuple[str, ...]
) -> None:
    write(store, b"1")
    bodies(store)
    remove(path, *endings)
    try_to_write(store)
    assert write(store, b"2") == 2
    assert bodies(store) == [b"1", b"2"]
    with opened(path, read_only=True) as reader:
        assert bodies(reader) == [b"1", b"2"]
    store.close()
    assert is_sound(path)


def test_a_folder_that_was_deleted_is_made_anew(path: Path, store: SqliteStore) -> None:
    write(store, b"old")
    shutil.rmtree(path.parent)
    try_to_write(store)
    assert write(store, b"new") == 1
    assert bodies(store) == [b"new"]


def test_a_copy_that_is_put_back_is_gone_on_with(path: Path, store: SqliteStore) -> None:
    """SQLite by itself would mix it with the -wal of the file that it took the place of."""
    write(store, b"1")
    with connected(path) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    copy = path.with_name("copy.db")
    shutil.copyfile(path, copy)
    for number in range(50):
        write(store, bytes(5_000), topic=f"later/{number}")
    bodies(store)
    copy.replace(path)
    try_to_write(store)
    assert write(store, b"2") == 2
    assert bodies(store) == [b"1", b"2"]
    assert [topic.name for topic in store.topics()] == ["run/1"]
    assert is_sound(path)


def test_a_text_that_takes_the_place_of_the_log_is_left_alone(
    path: Path, store: SqliteStore
) -> None:
    write(store, b"1")
    kept = path.with_name("kept.db")
    path.rename(kept)
    make_text(path)
    before = path.read_bytes()
    errors = [try_to_write(store) for _ in range(3)]
    assert "deleted or replaced" in errors[0].says
    assert all(isinstance(error, DamagedError) for error in errors[1:])
    assert path.read_bytes() == before
    path.unlink()
    assert write(store, b"2") == 1


def test_closing_a_log_that_was_deleted_does_no_harm(path: Path) -> None:
    with opened(path) as store:
        write(store, b"1")
        shutil.rmtree(path.parent)
    assert not path.parent.exists()


# --- others ----------------------------------------------------------------------------------


def test_a_log_that_others_hold_for_long_is_said_and_then_works(
    path: Path, store: SqliteStore
) -> None:
    with connected(path) as other:
        other.execute("BEGIN IMMEDIATE")
        receipts = [store.append([Entry("run/1", b"%d" % n)]) for n in range(50)]
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


def test_work_that_fails_takes_nothing_else_down(path: Path) -> None:
    def fail(error: Exception, transactions: object) -> int:
        raise error

    def add(body: bytes) -> Work:
        return lambda write: write.append([Entry("run/1", body)])

    writer = Writer(str(path), partial(open_for_writing, str(path), 30), lambda: 0.0)
    with contextlib.closing(writer):
        with connected(path) as other:
            other.execute("BEGIN IMMEDIATE")  # so that all of them wait together
            good = [writer.submit(add(b"0"))]
            bad = []
            for error in (KeyError("x"), OverflowError("y"), sqlite3.ProgrammingError("z")):
                bad.append(writer.submit(partial(fail, error)))
                good.append(writer.submit(add(b"%d" % len(good))))
            other.execute("COMMIT")
        assert [receipt.result(timeout=60) for receipt in good] == [1, 2, 3, 4]
        assert [fault(receipt).says for receipt in bad] == [
            "KeyError: 'x'",
            "OverflowError: y",
            "ProgrammingError: z",
        ]


def test_a_store_that_is_closed_while_a_fault_lasts_answers_everybody(path: Path) -> None:
    store = SqliteStore(path, patience=PATIENCE)
    with connected(path) as other:
        other.execute("BEGIN IMMEDIATE")
        receipts = [store.append([Entry("run/1", b"")]) for _ in range(10)]
        store.close()
        assert all(receipt.done() for receipt in receipts)
        assert isinstance(fault(store.append([Entry("run/1", b"")])), ClosedError)
        other.execute("COMMIT")
