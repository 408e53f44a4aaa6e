"""Files of the log that are deleted or replaced while it is open."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.store.conftest import (
    bodies,
    connected,
    fault,
    is_sound,
    opened,
    run_child,
    start_child,
    write,
)

from handrail.store.errors import DamagedError, StoreError
from handrail.store.port import NewEntry
from handrail.store.sqlite import SqliteStore

pytestmark = pytest.mark.slow


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    with contextlib.closing(SqliteStore(path, patience=30)) as opened_store:
        yield opened_store


def try_to_write(store: SqliteStore) -> StoreError:
    return fault(store.append([NewEntry("run/1", b"no"), NewEntry("run/1", b"no")]))


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
    assert run_child(path, "write(store, 1)") == "opening\n"
    assert write(store, b"3") == 5
    assert bodies(store) == [b"1", b"2", b"3"]
    store.close()
    assert is_sound(path)


def test_a_new_log_has_nothing_to_do_with_files_that_were_left(path: Path) -> None:
    """Another process has the deleted log open: its -wal and -shm stand where the new ones go."""
    code = "write(store, 20); print('written', flush=True); sys.stdin.read()"
    with start_child(path, code) as child:
        assert child.stdout is not None
        assert [child.stdout.readline(), child.stdout.readline()] == ["opening\n", "written\n"]
        path.unlink()
        with opened(path) as store:
            assert write(store, b"new") == 1
            run_child(path, "write(store, 1)")
            assert [one.body for one in store.read_all()] == [b"new", b"child 0", b"child 0"]
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
    before = b"these are my notes, do not touch\n" * 200
    path.write_bytes(before)
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
