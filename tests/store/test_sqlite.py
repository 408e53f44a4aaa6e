"""The log in a file: what it leaves on the disk, several processes, and the end of one."""

import contextlib
import os
import stat
import threading
from pathlib import Path

import pytest
from tests.store.conftest import Clock, bodies, connected, opened, write

from handrail.store import writer as writer_module
from handrail.store.connection import open_for_writing
from handrail.store.errors import ClosedError, StoreError
from handrail.store.port import NewEntry, Snapshot, StoredEntry
from handrail.store.sqlite import SqliteStore

pytestmark = pytest.mark.slow

# --- what stands on the disk -----------------------------------------------------------------


def test_what_was_written_is_there_after_reopening(path: Path, clock: Clock) -> None:
    with contextlib.closing(SqliteStore(path, clock=clock)) as store:
        write(store, b"1", b"2")
        store.save_snapshot("run/1", Snapshot(2, b"state")).result()
    with opened(path) as store:
        assert store.read("run/1")[1] == StoredEntry(2, "run/1", 2, 1_000.0, b"2")
        assert store.load_snapshot("run/1") == Snapshot(2, b"state")
        assert write(store, b"3") == 3
        assert bodies(store) == [b"1", b"2", b"3"]


def test_closing_leaves_one_database_and_nothing_in_the_wal(path: Path) -> None:
    with opened(path) as store:
        write(store, b"1")
    assert {file.name for file in path.parent.iterdir()} == {"log.db", "log.db-lock"}


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o777])
def test_only_the_owner_may_look(tmp_path: Path, umask: int) -> None:
    path = tmp_path / "a" / "b" / "log.db"
    before = os.umask(umask)
    try:
        with opened(path) as store:
            write(store, b"1")
            bodies(store)
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(("log.db", "log.db-wal", "log.db-shm", "log.db-lock"), 0o600)
    for folder in (path.parent, path.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_log_that_others_could_read_is_made_private(path: Path) -> None:
    with opened(path):
        pass
    path.chmod(0o644)
    with opened(path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_folder_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with opened(tmp_path / "log.db"):
        assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


@pytest.mark.parametrize(
    "name",
    [
        "a b",
        "100%25",
        "what?mode=ro",
        "#1",
        "file:x",
        "ü✓",
        "a'b\"c",
        "a\\b",
        "new\nline",
        "-x",
        ":memory:",
    ],
)
def test_any_path_will_do(tmp_path: Path, name: str) -> None:
    path = tmp_path / name / name
    with opened(path) as store:
        write(store, b"1")
        assert bodies(store) == [b"1"]
    assert path.is_file()
    with opened(path, read_only=True) as store:
        assert bodies(store) == [b"1"]


def test_a_path_may_hold_bytes_that_are_not_utf_8(tmp_path: Path) -> None:
    path = os.path.join(tmp_path, os.fsdecode(b"\xff\xfe"))
    try:
        with opened(path) as store:
            write(store, b"1")
    except StoreError as error:  # not every file system has such names
        pytest.skip(str(error))
    with opened(path, read_only=True) as store:
        assert bodies(store) == [b"1"]


def test_a_path_that_is_too_long_for_sqlite_is_said_so(tmp_path: Path) -> None:
    path = tmp_path.joinpath(*["d" * 100] * 6, "log.db")
    with pytest.raises(StoreError, match=r"its path is too long \(\d+ bytes, at most 500\)"):
        SqliteStore(path)
    assert list(tmp_path.iterdir()) == []


def test_a_long_path_works(tmp_path: Path) -> None:
    folder = tmp_path
    while len(str(folder)) < 380:
        folder /= "d" * 30
    path = folder / ("f" * (499 - len(str(folder))))
    with opened(path) as store:
        assert write(store, b"1") == 1


def test_a_relative_path_stays_what_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with opened("log.db") as store:
        monkeypatch.chdir("/")
        write(store, b"1")
        assert bodies(store) == [b"1"]
    assert (tmp_path / "log.db").is_file()


def test_a_link_to_the_log_is_the_log(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "real" / "log.db")
    with opened(tmp_path / "link.db") as store:
        write(store, b"1")
        assert write(store, b"2") == 2
    assert (tmp_path / "real" / "log.db").is_file()
    assert (tmp_path / "link.db").is_symlink()


def test_the_log_can_be_read_with_the_sqlite_tool(path: Path) -> None:
    with opened(path) as store:
        write(store, '{"says": "grüß dich"}'.encode())
        with connected(path) as connection:
            rows = connection.execute(
                "SELECT position, topic, seq, json_extract(body, '$.says') FROM log"
            ).fetchall()
    assert rows == [(1, "run/1", 1, "grüß dich")]


# --- reading only ----------------------------------------------------------------------------


def test_a_log_that_does_not_exist_reads_as_empty(path: Path) -> None:
    with opened(path, read_only=True) as store:
        assert store.topics() == []
        assert store.read("run/1") == []
        assert store.read_all() == []
        assert store.load_snapshot("run/1") is None
    assert not path.parent.exists()


def test_a_reader_sees_a_log_that_comes_later(path: Path) -> None:
    with opened(path, read_only=True) as reader:
        assert bodies(reader) == []
        with opened(path) as store:
            write(store, b"1")
            assert bodies(reader) == [b"1"]
            write(store, b"2")
            assert bodies(reader) == [b"1", b"2"]
        assert bodies(reader) == [b"1", b"2"]


def test_an_empty_file_reads_as_empty(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    with opened(path, read_only=True) as store:
        assert store.topics() == []


def test_a_reader_cannot_write(path: Path) -> None:
    with opened(path):
        pass
    with opened(path, read_only=True) as store:
        for receipt in (
            store.append([NewEntry("run/1", b"1")]),
            store.save_snapshot("run/1", Snapshot(1, b"")),
            store.forget("run/1"),
        ):
            with pytest.raises(StoreError, match="opened for reading only"):
                receipt.result()


def test_a_reader_does_not_keep_the_writer_waiting(path: Path) -> None:
    with opened(path) as store, connected(path) as reader:
        write(store, b"1")
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM entries").fetchone() == (1,)
        assert write(store, b"2") == 2
        assert reader.execute("SELECT count(*) FROM entries").fetchone() == (1,)
        reader.execute("ROLLBACK")


# --- the writer ------------------------------------------------------------------------------


def test_what_waits_together_is_committed_together(path: Path) -> None:
    commits = []

    def clock() -> float:  # is asked once for every transaction
        commits.append(1)
        return 0.0

    with contextlib.closing(SqliteStore(path, patience=30, clock=clock)) as store:
        with connected(path) as other:
            other.execute("BEGIN IMMEDIATE")
            receipts = [store.append([NewEntry("run/1", b"%d" % n)]) for n in range(100)]
            other.execute("COMMIT")
        assert [receipt.result() for receipt in receipts] == list(range(1, 101))
    assert len(commits) <= 2  # the thread may have begun with the first alone


def test_the_wal_is_emptied_while_nobody_waits(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer_module, "_WAL_ENOUGH", 0)
    with opened(path) as store:
        small = path.stat().st_size
        write(store, bytes(1_000_000))
        write(store, b"")  # is taken up after the thread has tidied up
        assert path.stat().st_size > small + 1_000_000


def test_the_wal_does_not_grow_for_ever_under_constant_load(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "_WAL_ENOUGH", 0)
    monkeypatch.setattr(writer_module, "_WAL_TOO_LARGE", 100_000)
    monkeypatch.setattr(writer_module, "_MOST_CALLS", 100)
    with opened(path) as store:
        with connected(path) as other:
            other.execute("BEGIN IMMEDIATE")
            receipts = [store.append([NewEntry("run/1", bytes(4_000))]) for _ in range(2_000)]
            other.execute("COMMIT")
        for receipt in receipts:
            receipt.result()
        assert path.with_name("log.db-wal").stat().st_size < 2_000_000  # of 8 MB


def test_a_reader_that_stays_does_not_stop_the_writer_from_tidying_up(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "_WAL_ENOUGH", 0)
    monkeypatch.setattr(writer_module, "_WAL_TOO_LARGE", 100_000)
    monkeypatch.setattr(writer_module, "_MOST_CALLS", 100)
    with contextlib.closing(SqliteStore(path, patience=0.01)) as store, connected(path) as reader:
        write(store, b"1")
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM entries").fetchone()
        receipts = [store.append([NewEntry("run/1", bytes(4_000))]) for _ in range(1_000)]
        assert [receipt.result() for receipt in receipts] == list(range(2, 1_002))
        assert reader.execute("SELECT count(*) FROM entries").fetchone() == (1,)
        reader.execute("ROLLBACK")


def test_a_commit_is_on_the_disk_before_it_is_confirmed(path: Path) -> None:
    with contextlib.closing(open_for_writing(str(path), 30)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
        assert connection.execute("PRAGMA wal_autocheckpoint").fetchone() == (0,)


def test_a_receipt_may_close_the_store(path: Path) -> None:
    done = threading.Event()

    def close(receipt: object) -> None:
        store.close()
        done.set()

    store = SqliteStore(path)
    store.append([NewEntry("run/1", b"1")]).add_done_callback(close)
    assert done.wait(60)
    store.close()  # waits for the thread
    with pytest.raises(ClosedError):
        write(store, b"2")


def test_closing_finishes_what_was_handed_over(path: Path) -> None:
    store = SqliteStore(path)
    receipts = [store.append([NewEntry("run/1", b"%d" % n)]) for n in range(500)]
    store.close()
    assert [receipt.result(timeout=0) for receipt in receipts] == list(range(1, 501))


def test_threads_that_append_while_it_closes_all_get_an_answer(path: Path) -> None:
    store = SqliteStore(path)
    started = threading.Barrier(5)
    confirmed: list[int] = []

    def work() -> None:
        started.wait()
        with contextlib.suppress(ClosedError):
            while True:
                confirmed.append(store.append([NewEntry("run/1", b"")]).result(timeout=60))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    started.wait()
    store.close()
    for thread in threads:
        thread.join()
    with opened(path) as store:
        assert [one.seq for one in store.read("run/1", limit=10**6)] == sorted(confirmed)


def test_threads_that_read_while_it_closes_leave_nothing_open(path: Path) -> None:
    store = SqliteStore(path)
    started = threading.Barrier(5)

    def work() -> None:
        started.wait()
        with contextlib.suppress(ClosedError):
            while True:
                store.read_all()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    started.wait()
    store.close()
    for thread in threads:
        thread.join()
    with connected(path) as other:  # works only if nobody else has it open
        assert other.execute("PRAGMA journal_mode = DELETE").fetchone() == ("delete",)
