"""A change is noticed in named files, and in every file of some folders."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import IO

import pytest

from handrail.server.integrity.inotify import Inotify
from handrail.server.integrity.watcher import Watcher, changed_at

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has notifications")


@pytest.fixture
def watcher() -> Iterator[Watcher]:
    with closing(Watcher(Inotify())) as made:
        yield made


def test_every_file_in_a_watched_folder_counts(watcher: Watcher, tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("A = 1\n")
    watcher.name([], [str(tmp_path)])
    assert not watcher.look()
    module.write_text("A = 2\n")
    assert watcher.look()
    assert watcher.take() == {str(module)}
    new = tmp_path / "zz.pth"
    new.touch()
    assert watcher.look()
    assert watcher.take() == {str(new)}


def test_other_files_beside_a_named_one_do_not_count(watcher: Watcher, tmp_path: Path) -> None:
    named = tmp_path / "settings.json"
    named.touch()
    watcher.name([str(named)])
    (tmp_path / "other.json").touch()
    assert not watcher.look()


def _write_by_another_name(named: Path) -> None:
    os.link(named, named.parent.parent / "twin")
    (named.parent.parent / "twin").write_text("{}")


def _write_and_keep_open(named: Path) -> None:
    _OPEN.append(named.open("a"))
    _OPEN[-1].write("{}")
    _OPEN[-1].flush()


def _replace(named: Path) -> None:
    (named.parent / "new").write_text("{}")
    (named.parent / "new").rename(named)


def _replace_folder(named: Path) -> None:
    named.parent.rename(named.parent.parent / "moved")
    named.parent.mkdir()


_OPEN: list[IO[str]] = []
_CHANGES: dict[str, Callable[[Path], object]] = {
    "written": lambda named: named.write_text("{}"),
    "written and kept open": _write_and_keep_open,
    "written by another name": _write_by_another_name,
    "replaced": _replace,
    "removed": Path.unlink,
    "opened for others": lambda named: named.chmod(0o666),
    "moved with its folder": _replace_folder,
}


@pytest.mark.parametrize("change", _CHANGES)
def test_a_change_of_a_named_file_is_noticed(watcher: Watcher, tmp_path: Path, change: str) -> None:
    named = tmp_path / "settings" / "settings.json"
    named.parent.mkdir()
    named.write_text("{ }")
    watcher.name([str(named)])
    assert not watcher.look()
    _CHANGES[change](named)
    try:
        assert watcher.look()
    finally:
        while _OPEN:
            _OPEN.pop().close()
    assert str(named) in watcher.take()


def test_a_change_behind_a_link_is_noticed(watcher: Watcher, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles"
    target.write_text("{ }")
    (tmp_path / "home").mkdir()
    link = tmp_path / "home" / "settings.json"
    link.symlink_to(target)
    watcher.name([str(link)])
    target.write_text("{}")
    assert watcher.look()
    assert watcher.take() == {str(link)}


def test_a_file_in_a_new_folder_is_noticed(watcher: Watcher, tmp_path: Path) -> None:
    named = tmp_path / "project" / ".agent" / "settings.json"
    (tmp_path / "project").mkdir()
    watcher.name([str(named)])
    (tmp_path / "project" / "src").mkdir()
    assert not watcher.look()
    named.parent.mkdir()
    named.write_text("{}")
    assert watcher.look()
    assert watcher.take() == {str(named)}


def test_every_later_change_of_a_replaced_file_is_noticed(watcher: Watcher, tmp_path: Path) -> None:
    named = tmp_path / "settings.json"
    named.touch()
    for text in ("{}", "{ }", "[]"):
        watcher.name([str(named)])
        watcher.look_at_all()
        watcher.take()
        (tmp_path / "new").write_text(text)
        (tmp_path / "new").rename(named)
        assert watcher.look(), text


def test_files_with_notifications_are_not_looked_at_after_each_call(tmp_path: Path) -> None:
    looked: list[str] = []

    def look(path: str) -> os.stat_result:
        looked.append(path)
        return os.stat(path)

    names = ["there.json", "missing.json", "missing/settings.json"]
    (tmp_path / "there.json").touch()
    with closing(Watcher(Inotify(), look=look)) as watcher:
        watcher.name(str(tmp_path / name) for name in names)
        looked.clear()
        watcher.look()
        assert looked == []
        watcher.look_at_all()
        assert looked == [str(tmp_path / name) for name in names]


def test_a_file_below_a_linked_folder_is_looked_at_after_each_call(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "settings.json").touch()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "one")
    with closing(Watcher(Inotify())) as watcher:
        watcher.name([str(link / "settings.json")])
        link.unlink()
        link.symlink_to(tmp_path / "two")
        assert watcher.look()


def test_a_folder_that_was_closed_tells_when(tmp_path: Path) -> None:
    """Its files cannot be asked, and its own time of the last write stays."""
    folder = tmp_path / "closed"
    folder.mkdir()
    gone = folder / "settings.json"
    folder.chmod(0o500)
    assert changed_at(str(gone)) == folder.stat().st_ctime
