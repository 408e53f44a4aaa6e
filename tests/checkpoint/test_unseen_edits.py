"""Edits that leave size and time as they were: git sees none, a checkpoint does."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from handrail.checkpoint.save import staging

from .conftest import CheckpointProject

pytestmark = pytest.mark.slow


def edit_unseen(file: Path, content: str) -> None:
    """Change a file of the same size in place, and put its time back; until git sees nothing."""
    facts = file.stat()
    assert facts.st_size == len(content)
    file.write_text(content)
    os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def old_file(project: CheckpointProject, path: str, content: str) -> Path:
    """A file with an old time: git compares the content of files that are as new as its index."""
    file = project.write(path, content)
    os.utime(file, ns=(10**18, 10**18))
    return file


def in_one_second(file: Path, before: os.stat_result) -> bool:
    return file.stat().st_ctime_ns // 10**9 == before.st_ctime_ns // 10**9


def unseen(project: CheckpointProject, path: str, first: str, second: str) -> Path:
    """A saved file, edited in the very second of its last change, which the clock allows soon."""
    for attempt in range(50):
        _wait_for_new_second(project.tree / path)  # else the first save misses the first content
        file = old_file(project, path, first)
        before = file.stat()
        project.save(f"attempt {attempt}")
        edit_unseen(file, second)
        if in_one_second(file, before):
            return file
        project.save("too late")
    pytest.skip("this machine takes a second for a checkpoint")


def test_a_checkpoint_holds_an_edit_that_git_does_not_see(project: CheckpointProject) -> None:
    project.write("other.txt", "other")
    file = unseen(project, "a.txt", "one", "two")
    saved = project.save().record
    assert project.held(saved)["a.txt"] == b"two"
    assert file.read_text() == "two"


def test_it_is_held_when_other_files_change_too(project: CheckpointProject) -> None:
    unseen(project, "a.txt", "one", "two")
    project.write("b.txt", "new")
    assert project.held(project.save().record) == {"a.txt": b"two", "b.txt": b"new"}


def test_a_rollback_over_such_an_edit_goes_back_and_can_be_taken_back(
    project: CheckpointProject,
) -> None:
    file = unseen(project, "a.txt", "one", "two")
    start = next(
        each for each in project.checkpoints.newest_first() if project.held(each)["a.txt"] == b"one"
    )
    done = project.restore(start)
    assert file.read_text() == "one"
    assert project.held(done.undo)["a.txt"] == b"two"
    project.restore(done.undo)
    assert file.read_text() == "two"


def test_a_rollback_reads_anew_what_the_checkpoint_before_it_has_missed(
    project: CheckpointProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no memory of young files, as after thousands of changes in one second."""
    monkeypatch.setattr(staging, "MAX_YOUNG", 0)
    project.write("a.txt", "000")
    start = project.save().record
    file = unseen(project, "a.txt", "one", "two")
    missed = project.save().record
    assert project.held(missed)["a.txt"] == b"one"
    _age(file)
    done = project.restore(start)
    assert file.read_text() == "000"
    assert project.held(done.undo)["a.txt"] == b"two"


def _age(file: Path) -> None:
    """Wait until the edit is older than a step of the kernel's clock."""
    _wait(file, lambda now, then: now - then > 20_000_000)


def _wait_for_new_second(file: Path) -> None:
    """Wait until another second has begun than that of the last change of a file."""
    if file.exists():
        _wait(file, lambda now, then: now // 10**9 != then // 10**9)


def _wait(file: Path, is_over: Callable[[int, int], bool]) -> None:
    """Wait by the clock of the file system."""
    probe = file.with_name("probe")
    while True:
        probe.write_text("")
        if is_over(probe.stat().st_ctime_ns, file.stat().st_ctime_ns):
            probe.unlink()
            return


def test_a_preview_shows_such_an_edit(project: CheckpointProject) -> None:
    unseen(project, "a.txt", "one", "two")
    start = next(
        each for each in project.checkpoints.newest_first() if project.held(each)["a.txt"] == b"one"
    )
    assert [item.path for item in project.look(start).items] == ["a.txt"]
