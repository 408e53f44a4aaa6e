"""A few changed files: what they differ in is read from them, and never believed too much."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from time import time_ns

import pytest

from handrail.checkpoint import CheckpointInfo
from handrail.checkpoint.errors import CheckpointStoreError
from handrail.checkpoint.git.commit import CommitResult
from handrail.checkpoint.git.file_content import FileContent
from handrail.checkpoint.save import fast_save, staging, work_tree_memory, writer
from handrail.checkpoint.save.fast_save import FastChanges
from handrail.checkpoint.save.size_limits import CandidateFile
from tests.checkpoint.conftest import CheckpointProject
from tests.checkpoint.git_calls import GitCalls

from .test_staging import rig

pytestmark = pytest.mark.slow

_LONG = 10**9


@pytest.fixture(autouse=True)
def _files_are_old(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every file had been changed long before it was looked at."""
    monkeypatch.setattr(fast_save, "time_ns", lambda: time_ns() + _LONG)


def _asked(commands: list[str], what: str) -> int:
    return sum(f" {what} " in f"{each} " for each in commands)


def _begun(bench: CheckpointProject, tmp_path: Path) -> GitCalls:
    """Three files are saved, and git has said that nothing else is in the index."""
    for name in ("a", "b", "c/d"):
        bench.write(name, "one")
    bench.save()
    return GitCalls(bench, tmp_path)


def test_an_unchanged_tree_needs_no_more_than_a_look_at_it(
    project: CheckpointProject, tmp_path: Path
) -> None:
    counted = _begun(project, tmp_path)
    assert not project.save().is_new
    assert len(counted.commands()) == 2


def test_git_is_not_asked_what_a_few_files_differ_in(
    project: CheckpointProject, tmp_path: Path
) -> None:
    counted = _begun(project, tmp_path)
    for number in range(3):
        project.write("a", f"changed {number}")
        project.write(f"new {number}", "new")
        (project.tree / "c/d").unlink(missing_ok=True)
        saved = project.save()
        assert project.held(saved.record) == project.content()
    assert not _asked(counted.commands(), "diff-index")


def test_a_file_that_was_only_touched_makes_no_checkpoint(
    project: CheckpointProject, tmp_path: Path
) -> None:
    counted = _begun(project, tmp_path)
    os.utime(project.tree / "a", (1, 1))
    assert not project.save().is_new
    assert not project.save().is_new
    assert not _asked(counted.commands(), "diff-index")


def _file_to_folder(bench: CheckpointProject) -> None:
    (bench.tree / "a").unlink()
    bench.write("a/b", "x")


def _folder_to_file(bench: CheckpointProject) -> None:
    shutil.rmtree(bench.tree / "c")
    bench.write("c", "x")


def _file_to_link(bench: CheckpointProject) -> None:
    (bench.tree / "a").unlink()
    (bench.tree / "a").symlink_to("b")


def _file_to_program(bench: CheckpointProject) -> None:
    (bench.tree / "a").chmod(0o755)


def _odd_names(bench: CheckpointProject) -> None:
    for name in ('q"uote', "new\nline", "back\\slash", "ünï", " "):
        bench.write(name, name)


def _nothing_left(bench: CheckpointProject) -> None:
    shutil.rmtree(bench.tree / "c")
    for name in ("a", "b"):
        (bench.tree / name).unlink()


_SHAPES = (
    _file_to_folder,
    _folder_to_file,
    _file_to_link,
    _file_to_program,
    _odd_names,
    _nothing_left,
)


@pytest.mark.parametrize("change", _SHAPES)
def test_whatever_has_changed_is_held(
    project: CheckpointProject, tmp_path: Path, change: Callable[[CheckpointProject], None]
) -> None:
    _begun(project, tmp_path)
    change(project)
    saved = project.save()
    assert saved.is_new
    assert project.held(saved.record) == project.content()
    assert not project.save().is_new


def _changing_meanwhile(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]
) -> list[FastChanges | None]:
    """Something happens between the moments when the files are read here, and by git."""
    seen: list[FastChanges | None] = []
    read = fast_save.read_fast_changes

    def read_and_change(
        top: int, files: list[CandidateFile], gone: list[str], held: dict[str, FileContent]
    ) -> FastChanges | None:
        seen.append(read(top, files, gone, held))
        change()
        return seen[-1]

    monkeypatch.setattr(staging, "read_fast_changes", read_and_change)
    return seen


@pytest.mark.parametrize("before", ["never had", "had once"])
def test_what_is_changed_while_it_is_saved_is_in_the_next_one(
    project: CheckpointProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    project.write("a", "had once")
    project.save()
    counted = _begun(project, tmp_path)
    project.write("a", before)
    with monkeypatch.context() as patch:
        _changing_meanwhile(patch, lambda: project.write("a", "afterwards"))
        then = project.save()
    assert project.held(then.record)["a"] == before.encode()
    counted.commands()
    now = project.save()
    assert project.held(now.record) == project.content()
    assert _asked(counted.commands(), "diff-index") == 1  # the index was not taken over


def test_what_comes_back_while_it_is_saved_is_in_the_next_one(
    project: CheckpointProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _begun(project, tmp_path)
    (project.tree / "a").unlink()
    with monkeypatch.context() as patch:
        _changing_meanwhile(patch, lambda: project.write("a", "one"))
        then = project.save()
    assert "a" not in project.held(then.record)
    assert project.held(project.save().record) == project.content()


def test_a_checkpoint_that_fails_leaves_no_index_that_knows_more(
    project: CheckpointProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _begun(project, tmp_path)
    project.write("a", "two")
    with monkeypatch.context() as patch:
        patch.setattr(writer, "write_commit", _broken)
        with pytest.raises(CheckpointStoreError):
            project.save()
    assert not list(project.folder.glob("*.new*"))
    saved = project.save()
    assert saved.is_new
    assert project.held(saved.record) == project.content()


def _broken(*_: object) -> CommitResult:
    raise CheckpointStoreError("fast-import", "no space left")


@pytest.mark.parametrize("failing", ["remember_tree", "replace"])
def test_a_checkpoint_is_there_even_if_nothing_can_be_remembered_of_it(
    project: CheckpointProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    _begun(project, tmp_path)
    project.write("a", "two")
    replace = os.replace

    def replace_no_index(old: str, new: str) -> None:
        if new.rpartition("/")[2].startswith("index-"):
            raise OSError(errno.ENOSPC, "No space left on device")
        replace(old, new)

    def remember_nothing(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        if failing == "replace":
            patch.setattr(os, "replace", replace_no_index)
        else:
            patch.setattr(writer, "remember_tree", remember_nothing)
        saved = project.save()
    assert project.held(saved.record) == project.content()
    assert not project.save().is_new


def test_where_no_file_can_have_two_names_it_works_the_same(
    project: CheckpointProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _begun(project, tmp_path)

    def link(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    for number in range(2):
        project.write("a", f"changed {number}")
        saved = project.save()
        assert project.held(saved.record) == project.content()


@pytest.mark.parametrize("moment", ["just now", "whole seconds"])
def test_a_time_that_says_nothing_is_not_believed(
    project: CheckpointProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    counted = _begun(project, tmp_path)
    if moment == "just now":
        monkeypatch.setattr(fast_save, "time_ns", lambda: time_ns() - _LONG)
    else:
        monkeypatch.setattr(fast_save, "_COARSE_NS", 1)
    project.write("a", "two")
    project.save()
    assert not _asked(counted.commands(), "diff-index")
    project.write("a", "three")
    project.save()
    assert _asked(counted.commands(), "diff-index") == 1


def test_what_another_process_has_taken_in_is_not_lost(
    project: CheckpointProject, tmp_path: Path
) -> None:
    _begun(project, tmp_path)
    first = project.checkpoints.find("c1")
    project.write("a", "two")
    project.of(project.tree).preview(project.look(first).way)  # takes it into the index
    project.write("b", "two")
    saved = project.save()
    assert project.held(saved.record) == project.content()


def test_what_was_taken_in_meanwhile_is_not_lost_where_times_say_nothing(
    project: CheckpointProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work_tree_memory, "file_signature", lambda path: (1, 2, 3, 4))
    _begun(project, tmp_path)
    project.write("a", "two")
    project.look(project.checkpoints.find("c1"))  # takes it into the index
    assert project.held(project.save().record) == project.content()


def _unnamable_folder(bench: CheckpointProject) -> str:
    bench.write("c/.Git/x")
    return "c/.Git/x"


def _unnamable_link(bench: CheckpointProject) -> str:
    (bench.tree / ".gitmodules").symlink_to("a")
    return ".gitmodules"


@pytest.mark.parametrize("make", [_unnamable_folder, _unnamable_link])
def test_what_git_holds_under_no_name_is_said_to_be_left_out(
    project: CheckpointProject, tmp_path: Path, make: Callable[[CheckpointProject], str]
) -> None:
    _begun(project, tmp_path)
    path = make(project)
    record = project.save().record
    assert [each.path for each in record.coverage.left_out] == [path]
    assert path not in project.held(record)
    assert not project.save().is_new


def test_many_files_are_left_to_git(project: CheckpointProject, tmp_path: Path) -> None:
    counted = _begun(project, tmp_path)
    for number in range(501):
        project.write(f"many/{number}", str(number))
    saved = project.save()
    assert project.held(saved.record) == project.content()
    assert _asked(counted.commands(), "diff-index") == 1


def test_a_memory_that_git_does_not_renew_in_time_costs_nothing(
    project: CheckpointProject, tmp_path: Path
) -> None:
    _begun(project, tmp_path)
    project.write("b", "two")
    hanging = rig(project, tmp_path / "bin", 'case "$*" in *"--info-only"*) exec sleep 600;; esac')
    saved = project.checkpoints.save(CheckpointInfo(), seconds=0.5)
    assert saved.record.coverage.complete
    assert project.held(saved.record) == project.content()
    hanging.unlink()
    assert not project.save().is_new
