"""The files of a log that are deleted or replaced, seen by a look at their folder."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.store.conftest import opened, write

from handrail.store import replacement_check
from handrail.store.replacement_check import ReplacementCheck


@pytest.fixture
def log(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir()
    for name in ("log.db", "log.db-wal", "log.db-shm", "other"):
        (folder / name).write_bytes(b"")
    return folder / "log.db"


@pytest.fixture
def check(log: Path, monkeypatch: pytest.MonkeyPatch) -> ReplacementCheck:
    """A check that relies on the folder, however new that is."""
    monkeypatch.setattr(replacement_check, "_SETTLED_NS", -(10**12))
    check = ReplacementCheck(str(log))
    assert not check.is_replaced()
    return check


def delete(path: Path) -> None:
    path.unlink()


def rename_away(path: Path) -> None:
    path.rename(path.with_name("away"))


def replace(path: Path) -> None:
    path.with_name("other").replace(path)


@pytest.mark.parametrize("change", [delete, rename_away, replace])
@pytest.mark.parametrize("ending", ["", "-wal", "-shm"])
def test_every_file_is_missed(
    log: Path, check: ReplacementCheck, ending: str, change: Callable[[Path], None]
) -> None:
    assert not check.is_replaced()
    before = log.parent.stat().st_ctime_ns
    change(log.with_name(log.name + ending))
    while log.parent.stat().st_ctime_ns == before:  # a clock that ticks slowly
        log.parent.chmod(0o700)
    assert check.is_replaced()


def test_a_folder_that_was_replaced_is_noticed(log: Path, check: ReplacementCheck) -> None:
    log.parent.rename(log.parent.with_name("old"))
    assert check.is_replaced()
    log.parent.mkdir()
    assert check.is_replaced()


def test_other_files_in_the_folder_may_come_and_go(log: Path, check: ReplacementCheck) -> None:
    log.with_name("other").unlink()
    log.with_name("new").write_bytes(b"")
    assert not check.is_replaced()


def test_a_second_change_within_one_tick_of_the_clock_is_noticed(log: Path) -> None:
    """Right after a change, the time of the folder proves nothing."""
    check = ReplacementCheck(str(log))
    log.with_name("other").unlink()
    assert not check.is_replaced()
    log.unlink()
    assert check.is_replaced()


def test_the_folder_alone_is_looked_at_while_it_does_not_change(
    check: ReplacementCheck, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: str) -> None:
        raise AssertionError(path)

    monkeypatch.setattr(replacement_check, "file_identity", fail)
    assert not check.is_replaced()


def test_a_time_that_was_set_back_hides_nothing(log: Path, check: ReplacementCheck) -> None:
    before = log.parent.stat()
    log.unlink()
    os.utime(log.parent, ns=(before.st_atime_ns, before.st_mtime_ns))
    while log.parent.stat().st_ctime_ns == before.st_ctime_ns:
        log.parent.chmod(0o700)
    assert check.is_replaced()


def test_a_log_that_is_written_to_is_not_taken_for_another(path: Path) -> None:
    with opened(path) as store:
        write(store, b"1")
        check = ReplacementCheck(str(path))
        for number in range(5):
            write(store, bytes(100_000), topic=f"run/{number}")
            assert not check.is_replaced()
