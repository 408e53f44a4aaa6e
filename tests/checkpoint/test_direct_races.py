"""What moves for a moment while a few files are saved: whatever git has seen, nothing is missed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import time_ns

import pytest

from handrail.checkpoint.save import fast_save, staging
from handrail.checkpoint.save.changed_paths import ChangedPaths, list_changed_paths
from tests.checkpoint.save.test_staging import rig

from .conftest import CheckpointProject

pytestmark = pytest.mark.slow

_LONG = 10**9


@pytest.fixture(autouse=True)
def _files_are_old(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every file had been changed long before it was looked at."""
    monkeypatch.setattr(fast_save, "time_ns", lambda: time_ns() + _LONG)


@contextmanager
def _while_git_looks(
    bench: CheckpointProject, folder: Path, before: str, after: str
) -> Iterator[None]:
    """Shell commands in the work tree, around git's own look at the files."""
    real = bench.environ["PATH"]
    looks = f'{before}; PATH={real} git "$@"; said=$?; {after}; exit $said'
    program = rig(bench, folder, f'case "$*" in *"--info-only"*) {looks};; esac')
    yield
    program.unlink()


def test_a_deleted_file_that_was_there_for_a_moment_is_missed_by_no_later_one(
    project: CheckpointProject, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        project.write(name, name)
    project.save()
    (project.tree / "a").unlink()
    with _while_git_looks(project, tmp_path / "bin", "printf a > a", "rm a"):
        project.save()
    project.write("a", "a")
    assert project.held(project.save().record) == project.content()


def test_a_folder_that_was_away_for_a_moment_is_known_to_be_gone_later(
    project: CheckpointProject, tmp_path: Path
) -> None:
    for name in ("a", "d/e/b"):
        project.write(name, name)
    project.save()
    project.write("d/e/b", "other")
    with _while_git_looks(project, tmp_path / "bin", "mv d x", "mv x d"):
        project.save()
    (project.tree / "d/e/b").unlink()
    assert project.held(project.save().record) == project.content()


def test_a_folder_that_was_another_for_a_moment_and_then_for_good_is_held(
    project: CheckpointProject, tmp_path: Path
) -> None:
    for name in ("d/b", "other/b"):
        project.write(name, name)
    project.save()
    project.write("d/b", "changed")
    swap, swap_back = "mv d x; mv other d", "mv d other; mv x d"
    with _while_git_looks(project, tmp_path / "bin", swap, swap_back):
        project.save()
    for old, new in (("d", "x"), ("other", "d")):
        (project.tree / old).rename(project.tree / new)
    assert project.held(project.save().record) == project.content()


def test_permissions_that_change_before_a_file_is_read_are_in_the_next_one(
    project: CheckpointProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("a", "one")
    project.save()
    project.write("a", "two")
    os.utime(project.tree / "a", (1, 1))
    read = fast_save.read_fast_changes

    def hide_and_read(*arguments: object) -> fast_save.FastChanges | None:
        (project.tree / "a").chmod(0o600)
        return read(*arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(staging, "YOUNG", -_LONG)
        patch.setattr(staging, "read_fast_changes", hide_and_read)
        project.save()
    assert project.save().record.modes == {"a": 0o600}


def test_a_file_that_became_a_program_while_files_were_listed_can_be_gone_back_to(
    project: CheckpointProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = project.write("a", "one")
    project.save()
    project.write("b", "so there is something to save")

    def list_and_change(*arguments: object) -> ChangedPaths:
        listed = list_changed_paths(*arguments)  # type: ignore[arg-type]
        file.chmod(0o700)
        return listed

    with monkeypatch.context() as patch:
        patch.setattr(staging, "list_changed_paths", list_and_change)
        torn = project.save().record
    file.write_text("two")
    assert project.restore(torn).files == ("a",)
    assert project.content() == {"a": b"one", "b": b"so there is something to save"}
