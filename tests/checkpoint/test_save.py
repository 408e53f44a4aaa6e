"""What a checkpoint holds, and what it never does."""

import os
from pathlib import Path

import pytest

from handrail.checkpoint import (
    CheckpointInfo,
    CheckpointStore,
    LeftOut,
    checkpoint_folder,
    work_tree_of,
)
from handrail.checkpoint.errors import BusyError, FolderRefusedError, GitError, GitTooSlowError
from handrail.checkpoint.git.repository import CheckpointRepository
from handrail.checkpoint.save.size_limits import too_large
from handrail.config.checkpoints import MEGABYTE
from handrail.config.checkpoints import Checkpoints as Settings

from .conftest import CheckpointProject

pytestmark = pytest.mark.slow


def test_an_unchanged_tree_is_the_same_checkpoint(project: CheckpointProject) -> None:
    project.write("a.txt", "1")
    project.write("b/c.txt", "2")
    first = project.save()
    assert first.is_new
    assert (first.record.files, first.record.bytes) == (2, 2)
    again = project.save("for another reason")
    assert not again.is_new
    assert again.record == first.record
    project.write("a.txt", "other")
    changed = project.save()
    assert changed.record.git_commit != first.record.git_commit
    assert (changed.record.files, changed.record.bytes) == (1, 5)


def test_an_empty_folder_can_be_saved(project: CheckpointProject) -> None:
    saved = project.save().record
    assert saved.files == 0
    project.write("new.txt")
    assert project.restore(saved).files == ("new.txt",)
    assert project.content() == {}


@pytest.mark.parametrize("place", ["/", "HOME", "above HOME"])
def test_too_large_a_thing_is_refused(project: CheckpointProject, place: str) -> None:
    folder = {"/": "/", "HOME": str(project.home), "above HOME": str(project.home.parent)}[place]
    with pytest.raises(FolderRefusedError):
        project.of(Path(folder)).save(CheckpointInfo())
    assert not project.folder.exists()


def test_a_link_to_the_home_folder_is_refused_too(
    project: CheckpointProject, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(project.home)
    with pytest.raises(FolderRefusedError, match="your home folder is in it"):
        project.of(tmp_path / "link").save(CheckpointInfo())


def test_what_is_no_folder_is_refused(project: CheckpointProject) -> None:
    with pytest.raises(FolderRefusedError, match="no such folder"):
        project.of(project.tree / "gone").save(CheckpointInfo())


def test_the_users_repository_stays_as_it_is_byte_for_byte(project: CheckpointProject) -> None:
    project.repository()
    project.write("staged.txt", "staged")
    project.git("add", "staged.txt")
    project.write("README.md", "changed")
    project.write("untracked.txt", "u")
    before = repository_files(project.tree)
    saved = project.save().record
    project.write("untracked.txt", "other")
    project.write("more.txt", "more")
    project.restore(saved)
    assert repository_files(project.tree) == before


def repository_files(tree: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in (tree / ".git").rglob("*")
        if path.is_file()
    }


def test_the_private_folder_is_for_this_user_alone(project: CheckpointProject) -> None:
    project.save()
    assert project.folder.stat().st_mode & 0o777 == 0o700


def test_ignored_files_are_not_held(project: CheckpointProject) -> None:
    project.repository()
    project.write(".gitignore", "build/\n*.log\n")
    project.write(".git/info/exclude", "mine.txt\n")
    project.write("../.config/git/ignore", "*.swp\n")
    project.write("kept.txt", "k")
    project.save()
    for path in ("build/out", "x.log", "mine.txt", "x.swp"):
        project.write(path, "ignored")
    assert not project.save().is_new
    project.write("seen.txt", "s")
    assert project.save().record.files == 1


def test_the_users_own_list_of_ignored_files_counts(project: CheckpointProject) -> None:
    project.write("../.gitconfig", "[core]\n\texcludesFile = ~/my-ignores\n")
    project.write("../my-ignores", "*.tmp\n")
    project.write("x.tmp", "t")
    project.write("a.txt", "a")
    assert project.save().record.files == 1


def test_the_list_of_a_linked_work_tree_is_that_of_its_repository(
    project: CheckpointProject,
) -> None:
    project.repository()
    project.write(".git/info/exclude", "mine.txt\n")
    linked = project.home / "linked"
    project.git("worktree", "add", "-q", str(linked))
    (linked / "mine.txt").write_text("ignored")
    (linked / "yours.txt").write_text("seen")
    assert project.of(linked).save(CheckpointInfo()).record.files == 2  # README.md and yours.txt


def test_two_work_trees_do_not_get_into_each_others_way(project: CheckpointProject) -> None:
    other = project.home / "other"
    other.mkdir()
    (other / "b.txt").write_text("b")
    project.write("a.txt", "a")
    project.save()
    assert project.of(other).save(CheckpointInfo()).record.files == 1
    assert not project.save().is_new


def test_state_inside_the_work_tree_is_not_held(project: CheckpointProject) -> None:
    inside = CheckpointStore(
        str(project.tree / "my [state]"), str(project.tree), environ=project.environ
    )
    project.write("a.txt", "a")
    assert inside.save(CheckpointInfo()).record.files == 1
    assert not inside.save(CheckpointInfo()).is_new


def test_a_huge_file_is_left_out_and_never_deleted(project: CheckpointProject) -> None:
    project.write("a.txt", "a")
    saved = project.save().record
    with (project.tree / "huge.bin").open("wb") as file:
        file.truncate(Settings().max_file_mb * MEGABYTE + 1)
    restored = project.restore(saved)
    assert restored.left_out == (LeftOut("huge.bin", too_large(Settings())),)
    assert restored.files == ()
    assert (project.tree / "huge.bin").exists()


def test_pipes_and_files_that_became_pipes_do_no_harm(project: CheckpointProject) -> None:
    project.write("was.txt", "w")
    saved = project.save().record
    os.mkfifo(project.tree / "pipe")
    (project.tree / "was.txt").unlink()
    os.mkfifo(project.tree / "was.txt")
    after = project.save().record
    assert (after.files, after.coverage.complete) == (1, True)
    assert project.held(after) == {}
    (project.tree / "was.txt").unlink()
    project.restore(saved)
    assert (project.tree / "was.txt").read_text() == "w"


@pytest.mark.parametrize(
    "leftover", ["index-{key}.lock", "git/objects/ab/tmp_obj_x", "git/refs/checkpoints/x.lock"]
)
def test_what_killed_processes_left_behind_is_swept(
    project: CheckpointProject, leftover: str
) -> None:
    project.write("a.txt", "a")
    project.save()
    key = next(project.folder.glob("index-*")).name.removeprefix("index-")
    file = project.folder / leftover.format(key=key)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"")
    (project.folder / "busy").touch()  # as it is when somebody was killed
    project.write("a.txt", "b")
    assert project.of(project.tree).save(CheckpointInfo()).record.files == 1
    assert not file.exists()


def test_a_lock_that_is_left_while_it_runs_is_swept(project: CheckpointProject) -> None:
    project.write("a.txt", "a")
    project.save()
    next(project.folder.glob("index-*")).with_suffix(".lock").write_bytes(b"")
    project.write("a.txt", "b")
    assert project.save().record.files == 1


def test_a_private_directory_that_was_half_made_is_made_again(project: CheckpointProject) -> None:
    (project.folder / "git" / "refs").mkdir(parents=True)
    project.write("a.txt", "a")
    assert project.save().record.files == 1


def test_a_damaged_index_is_made_anew(project: CheckpointProject) -> None:
    project.write("a.txt", "a")
    project.save()
    next(project.folder.glob("index-*")).write_bytes(b"DIRC nonsense")
    assert not project.save().is_new


def test_git_that_takes_too_long_is_ended(project: CheckpointProject, tmp_path: Path) -> None:
    project.write("a.txt", "a")
    project.save()
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nsleep 600 &\nwait\n")
    slow.chmod(0o755)
    project.environ["PATH"] = f"{slow.parent}:/usr/bin:/bin"
    with pytest.raises(GitTooSlowError):
        project.of(project.tree).save(CheckpointInfo(), seconds=0.1)
    assert (project.folder / "busy").exists()
    slow.unlink()
    assert not project.save().is_new
    assert not (project.folder / "busy").exists()


def test_git_that_is_missing_is_said_so(project: CheckpointProject) -> None:
    nowhere = {"HOME": str(project.home), "PATH": "/nowhere"}
    with pytest.raises(GitError, match="git is not installed"):
        CheckpointStore(str(project.folder), str(project.tree), environ=nowhere).save(
            CheckpointInfo()
        )


def test_whoever_comes_second_waits_only_so_long(project: CheckpointProject) -> None:
    private = CheckpointRepository(str(project.folder), project.environ)
    with private.open(str(project.tree), 5), pytest.raises(BusyError):
        project.of(project.tree).save(CheckpointInfo(), seconds=0.05)


def test_settings_of_others_run_nothing(project: CheckpointProject, tmp_path: Path) -> None:
    project.repository()
    touch = f"touch {tmp_path}/ran"
    project.write(".gitattributes", "* filter=evil diff=evil\n")
    settings = (
        f'[filter "evil"]\n\tclean = {touch}; cat\n\tsmudge = {touch}; cat\n'
        f"[core]\n\tfsmonitor = {touch}\n\thooksPath = {tmp_path}/hooks\n"
    )
    project.write("../.gitconfig", settings)
    with (project.tree / ".git/config").open("a") as file:
        file.write(settings)
    project.write("../../hooks/reference-transaction", f"#!/bin/sh\n{touch}\n").chmod(0o755)
    saved = project.save().record
    project.write("README.md", "other")
    project.restore(saved)
    assert not (tmp_path / "ran").exists()


def test_the_work_tree_is_the_repository_around_a_folder(project: CheckpointProject) -> None:
    environ = project.environ
    (project.tree / "src").mkdir()
    assert work_tree_of(str(project.tree / "src"), environ) == str(project.tree / "src")
    project.repository()
    assert work_tree_of(str(project.tree / "src"), environ) == str(project.tree)
    (project.home / ".git").mkdir()
    (project.home / "plain").mkdir()
    assert work_tree_of(str(project.home / "plain"), environ) == str(project.home / "plain")


def test_a_private_folder_is_named_after_its_project(tmp_path: Path) -> None:
    folder = checkpoint_folder("/state", str(tmp_path / "my shop"))
    assert folder.startswith("/state/checkpoints/my_shop-")
    assert folder != checkpoint_folder("/state", str(tmp_path / "my_shop"))
