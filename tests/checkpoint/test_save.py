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

from .conftest import Bench


def test_an_unchanged_tree_is_the_same_checkpoint(bench: Bench) -> None:
    bench.write("a.txt", "1")
    bench.write("b/c.txt", "2")
    first = bench.save()
    assert first.is_new
    assert (first.record.files, first.record.bytes) == (2, 2)
    again = bench.save("for another reason")
    assert not again.is_new
    assert again.record == first.record
    bench.write("a.txt", "other")
    changed = bench.save()
    assert changed.record.git_commit != first.record.git_commit
    assert (changed.record.files, changed.record.bytes) == (1, 5)


def test_an_empty_folder_can_be_saved(bench: Bench) -> None:
    saved = bench.save().record
    assert saved.files == 0
    bench.write("new.txt")
    assert bench.restore(saved).files == ("new.txt",)
    assert bench.content() == {}


@pytest.mark.parametrize("place", ["/", "HOME", "above HOME"])
def test_too_large_a_thing_is_refused(bench: Bench, place: str) -> None:
    folder = {"/": "/", "HOME": str(bench.home), "above HOME": str(bench.home.parent)}[place]
    with pytest.raises(FolderRefusedError):
        bench.of(Path(folder)).save(CheckpointInfo())
    assert not bench.folder.exists()


def test_a_link_to_the_home_folder_is_refused_too(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(bench.home)
    with pytest.raises(FolderRefusedError, match="your home folder is in it"):
        bench.of(tmp_path / "link").save(CheckpointInfo())


def test_what_is_no_folder_is_refused(bench: Bench) -> None:
    with pytest.raises(FolderRefusedError, match="no such folder"):
        bench.of(bench.tree / "gone").save(CheckpointInfo())


def test_the_users_repository_stays_as_it_is_byte_for_byte(bench: Bench) -> None:
    bench.repository()
    bench.write("staged.txt", "staged")
    bench.git("add", "staged.txt")
    bench.write("README.md", "changed")
    bench.write("untracked.txt", "u")
    before = repository_files(bench.tree)
    saved = bench.save().record
    bench.write("untracked.txt", "other")
    bench.write("more.txt", "more")
    bench.restore(saved)
    assert repository_files(bench.tree) == before


def repository_files(tree: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in (tree / ".git").rglob("*")
        if path.is_file()
    }


def test_the_private_folder_is_for_this_user_alone(bench: Bench) -> None:
    bench.save()
    assert bench.folder.stat().st_mode & 0o777 == 0o700


def test_ignored_files_are_not_held(bench: Bench) -> None:
    bench.repository()
    bench.write(".gitignore", "build/\n*.log\n")
    bench.write(".git/info/exclude", "mine.txt\n")
    bench.write("../.config/git/ignore", "*.swp\n")
    bench.write("kept.txt", "k")
    bench.save()
    for path in ("build/out", "x.log", "mine.txt", "x.swp"):
        bench.write(path, "ignored")
    assert not bench.save().is_new
    bench.write("seen.txt", "s")
    assert bench.save().record.files == 1


def test_the_users_own_list_of_ignored_files_counts(bench: Bench) -> None:
    bench.write("../.gitconfig", "[core]\n\texcludesFile = ~/my-ignores\n")
    bench.write("../my-ignores", "*.tmp\n")
    bench.write("x.tmp", "t")
    bench.write("a.txt", "a")
    assert bench.save().record.files == 1


def test_the_list_of_a_linked_work_tree_is_that_of_its_repository(bench: Bench) -> None:
    bench.repository()
    bench.write(".git/info/exclude", "mine.txt\n")
    linked = bench.home / "linked"
    bench.git("worktree", "add", "-q", str(linked))
    (linked / "mine.txt").write_text("ignored")
    (linked / "yours.txt").write_text("seen")
    assert bench.of(linked).save(CheckpointInfo()).record.files == 2  # README.md and yours.txt


def test_two_work_trees_do_not_get_into_each_others_way(bench: Bench) -> None:
    other = bench.home / "other"
    other.mkdir()
    (other / "b.txt").write_text("b")
    bench.write("a.txt", "a")
    bench.save()
    assert bench.of(other).save(CheckpointInfo()).record.files == 1
    assert not bench.save().is_new


def test_state_inside_the_work_tree_is_not_held(bench: Bench) -> None:
    inside = CheckpointStore(str(bench.tree / "my [state]"), str(bench.tree), environ=bench.environ)
    bench.write("a.txt", "a")
    assert inside.save(CheckpointInfo()).record.files == 1
    assert not inside.save(CheckpointInfo()).is_new


def test_a_huge_file_is_left_out_and_never_deleted(bench: Bench) -> None:
    bench.write("a.txt", "a")
    saved = bench.save().record
    with (bench.tree / "huge.bin").open("wb") as file:
        file.truncate(Settings().max_file_mb * MEGABYTE + 1)
    restored = bench.restore(saved)
    assert restored.left_out == (LeftOut("huge.bin", too_large(Settings())),)
    assert restored.files == ()
    assert (bench.tree / "huge.bin").exists()


def test_pipes_and_files_that_became_pipes_do_no_harm(bench: Bench) -> None:
    bench.write("was.txt", "w")
    saved = bench.save().record
    os.mkfifo(bench.tree / "pipe")
    (bench.tree / "was.txt").unlink()
    os.mkfifo(bench.tree / "was.txt")
    after = bench.save().record
    assert (after.files, after.coverage.complete) == (1, True)
    assert bench.held(after) == {}
    (bench.tree / "was.txt").unlink()
    bench.restore(saved)
    assert (bench.tree / "was.txt").read_text() == "w"


@pytest.mark.parametrize(
    "leftover", ["index-{key}.lock", "git/objects/ab/tmp_obj_x", "git/refs/checkpoints/x.lock"]
)
def test_what_killed_processes_left_behind_is_swept(bench: Bench, leftover: str) -> None:
    bench.write("a.txt", "a")
    bench.save()
    key = next(bench.folder.glob("index-*")).name.removeprefix("index-")
    file = bench.folder / leftover.format(key=key)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"")
    (bench.folder / "busy").touch()  # as it is when somebody was killed
    bench.write("a.txt", "b")
    assert bench.of(bench.tree).save(CheckpointInfo()).record.files == 1
    assert not file.exists()


def test_a_lock_that_is_left_while_it_runs_is_swept(bench: Bench) -> None:
    bench.write("a.txt", "a")
    bench.save()
    next(bench.folder.glob("index-*")).with_suffix(".lock").write_bytes(b"")
    bench.write("a.txt", "b")
    assert bench.save().record.files == 1


def test_a_private_directory_that_was_half_made_is_made_again(bench: Bench) -> None:
    (bench.folder / "git" / "refs").mkdir(parents=True)
    bench.write("a.txt", "a")
    assert bench.save().record.files == 1


def test_a_damaged_index_is_made_anew(bench: Bench) -> None:
    bench.write("a.txt", "a")
    bench.save()
    next(bench.folder.glob("index-*")).write_bytes(b"DIRC nonsense")
    assert not bench.save().is_new


def test_git_that_takes_too_long_is_ended(bench: Bench, tmp_path: Path) -> None:
    bench.write("a.txt", "a")
    bench.save()
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nsleep 600 &\nwait\n")
    slow.chmod(0o755)
    bench.environ["PATH"] = f"{slow.parent}:/usr/bin:/bin"
    with pytest.raises(GitTooSlowError):
        bench.of(bench.tree).save(CheckpointInfo(), seconds=0.1)
    assert (bench.folder / "busy").exists()
    slow.unlink()
    assert not bench.save().is_new
    assert not (bench.folder / "busy").exists()


def test_git_that_is_missing_is_said_so(bench: Bench) -> None:
    nowhere = {"HOME": str(bench.home), "PATH": "/nowhere"}
    with pytest.raises(GitError, match="git is not installed"):
        CheckpointStore(str(bench.folder), str(bench.tree), environ=nowhere).save(CheckpointInfo())


def test_whoever_comes_second_waits_only_so_long(bench: Bench) -> None:
    private = CheckpointRepository(str(bench.folder), bench.environ)
    with private.open(str(bench.tree), 5), pytest.raises(BusyError):
        bench.of(bench.tree).save(CheckpointInfo(), seconds=0.05)


def test_settings_of_others_run_nothing(bench: Bench, tmp_path: Path) -> None:
    bench.repository()
    touch = f"touch {tmp_path}/ran"
    bench.write(".gitattributes", "* filter=evil diff=evil\n")
    settings = (
        f'[filter "evil"]\n\tclean = {touch}; cat\n\tsmudge = {touch}; cat\n'
        f"[core]\n\tfsmonitor = {touch}\n\thooksPath = {tmp_path}/hooks\n"
    )
    bench.write("../.gitconfig", settings)
    with (bench.tree / ".git/config").open("a") as file:
        file.write(settings)
    bench.write("../../hooks/reference-transaction", f"#!/bin/sh\n{touch}\n").chmod(0o755)
    saved = bench.save().record
    bench.write("README.md", "other")
    bench.restore(saved)
    assert not (tmp_path / "ran").exists()


def test_the_work_tree_is_the_repository_around_a_folder(bench: Bench) -> None:
    environ = bench.environ
    (bench.tree / "src").mkdir()
    assert work_tree_of(str(bench.tree / "src"), environ) == str(bench.tree / "src")
    bench.repository()
    assert work_tree_of(str(bench.tree / "src"), environ) == str(bench.tree)
    (bench.home / ".git").mkdir()
    (bench.home / "plain").mkdir()
    assert work_tree_of(str(bench.home / "plain"), environ) == str(bench.home / "plain")


def test_a_private_folder_is_named_after_its_project(tmp_path: Path) -> None:
    folder = checkpoint_folder("/state", str(tmp_path / "my shop"))
    assert folder.startswith("/state/checkpoints/my_shop-")
    assert folder != checkpoint_folder("/state", str(tmp_path / "my_shop"))
