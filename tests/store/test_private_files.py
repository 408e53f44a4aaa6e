"""Files for this user alone, which change as a whole or not at all."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.store.private_files import (
    make_folder,
    open_private,
    replace_file,
    write_temporary_file,
)


@pytest.fixture(params=[0o000, 0o077, 0o777])
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("umask")
def test_folders_and_files_are_private_whatever_the_umask_is(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    make_folder(str(folder))
    make_folder(str(folder))
    os.close(open_private(str(folder / "file"), os.O_WRONLY))
    assert [mode(tmp_path / "a"), mode(folder), mode(folder / "file")] == [0o700, 0o700, 0o600]


@pytest.mark.usefixtures("umask")
def test_a_file_is_replaced_with_the_mode_that_is_wanted(tmp_path: Path) -> None:
    file = tmp_path / "file"
    for data in (b"one", b"two"):
        replace_file(str(file), data, 0o640)
        assert (file.read_bytes(), mode(file)) == (data, 0o640)
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_is_open_keeps_what_it_was(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    with file.open("rb") as old:
        replace_file(str(file), b"new", 0o600)
        assert old.read() == b"old"


def test_where_nothing_can_be_replaced_nothing_stays(tmp_path: Path) -> None:
    taken = tmp_path / "folder"
    (taken / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match="folder"):
        replace_file(str(taken), b"x", 0o600)
    assert list(tmp_path.iterdir()) == [taken]


def test_of_a_file_that_cannot_be_finished_nothing_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_temporary_file(str(tmp_path / "file"), b"x", 0o600)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file to somebody else")
def test_the_owner_of_a_file_stays(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    os.chown(file, 65534, 65534)
    replace_file(str(file), b"new", 0o600)
    assert (file.stat().st_uid, file.stat().st_gid) == (65534, 65534)
