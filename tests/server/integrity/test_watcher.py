"""A change is noticed in named files, and in every file of some folders."""

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

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


def test_a_folder_that_was_closed_tells_when(tmp_path: Path) -> None:
    """Its files cannot be asked, and its own time of the last write stays."""
    folder = tmp_path / "closed"
    folder.mkdir()
    gone = folder / "settings.json"
    folder.chmod(0o500)
    assert changed_at(str(gone)) == folder.stat().st_ctime
