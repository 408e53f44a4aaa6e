"""What a checkpoint holds, and what it never does."""

import os
from pathlib import Path

import pytest

from handrail.checkpoint import Checkpoints, checkpoint_folder, work_tree_of
from handrail.checkpoint.errors import BusyError, GitError, GitTooSlowError, RefusedError
from handrail.checkpoint.private import Private
from handrail.checkpoint.staging import MAX_BYTES, NESTED, TOO_LARGE, LeftOut

from .conftest import Bench


def test_an_unchanged_tree_is_the_same_checkpoint(bench: Bench) -> None:
    bench.write("a.txt", "1")
    bench.write("b/c.txt", "2")
    first = bench.save()
    assert first.files == 2
    again = bench.save("for another reason")
    assert (again.commit, again.files) == (first.commit, 0)
    bench.write("a.txt", "other")
    changed = bench.save()
    assert changed.commit != first.commit
    assert changed.files == 1


def test_an_empty_folder_can_be_saved(bench: Bench) -> None:
    saved = bench.save()
    bench.write("new.txt")
    assert bench.restore(saved).deleted == ("new.txt",)


@pytest.mark.parametrize("place", ["/", "HOME", "above HOME"])
def test_too_large_a_thing_is_refused(bench: Bench, place: str) -> None:
    folder = {"/": "/", "HOME": str(bench.home), "above HOME": str(bench.home.parent)}[place]
    with pytest.raises(RefusedError):
        bench.checkpoints.save(folder, "no")
    assert not bench.folder.exists()


def test_a_link_to_the_home_folder_is_refused_too(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(bench.home)
    with pytest.raises(RefusedError, match="your home folder is in it"):
        bench.checkpoints.save(str(tmp_path / "link"), "no")


def test_what_is_no_folder_is_refused(bench: Bench) -> None:
    with pytest.raises(RefusedError, match="no such folder"):
        bench.checkpoints.save(str(bench.tree / "gone"), "no")


def test_the_users_repository_stays_as_it_is_byte_for_byte(bench: Bench) -> None:
    bench.repository()
    bench.write("staged.txt", "staged")
    bench.git("add", "staged.txt")
    bench.write("README.md", "changed")
    bench.write("untracked.txt", "u")
    before = repository_files(bench.tree)
    saved = bench.save()
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
    saved = bench.save()
    for path in ("build/out", "x.log", "mine.txt", "x.swp"):
        bench.write(path, "ignored")
    assert bench.save().commit == saved.commit
    bench.write("seen.txt", "s")
    assert bench.save().files == 1


def test_the_users_own_list_of_ignored_files_counts(bench: Bench) -> None:
    bench.write("../.gitconfig", "[core]\n\texcludesFile = ~/my-ignores\n")
    bench.write("../my-ignores", "*.tmp\n")
    bench.write("x.tmp", "t")
    bench.write("a.txt", "a")
    assert bench.save().files == 1


def test_the_list_of_a_linked_work_tree_is_that_of_its_repository(bench: Bench) -> None:
    bench.repository()
    bench.write(".git/info/exclude", "mine.txt\n")
    linked = bench.home / "linked"
    bench.git("worktree", "add", "-q", str(linked))
    (linked / "mine.txt").write_text("ignored")
    (linked / "yours.txt").write_text("seen")
    assert bench.checkpoints.save(str(linked), "linked").files == 2  # README.md and yours.txt


def test_two_work_trees_do_not_get_into_each_others_way(bench: Bench) -> None:
    other = bench.home / "other"
    other.mkdir()
    (other / "b.txt").write_text("b")
    bench.write("a.txt", "a")
    first = bench.save()
    assert bench.checkpoints.save(str(other), "other").files == 1
    assert bench.save().commit == first.commit


def test_state_inside_the_work_tree_is_not_held(bench: Bench) -> None:
    inside = Checkpoints(str(bench.tree / "my [state]"), bench.environ)
    bench.write("a.txt", "a")
    first = inside.save(str(bench.tree), "one")
    assert first.files == 1
    assert inside.save(str(bench.tree), "two").commit == first.commit


def test_repositories_inside_are_left_out_and_said_so(bench: Bench) -> None:
    bench.repository()
    bench.write("lib/inner/x.txt", "x")
    bench.git("init", "-q", at=bench.tree / "lib" / "inner")
    bench.write("born/y.txt", "y")
    bench.git("init", "-q", at=bench.tree / "born")
    bench.git("add", ".", at=bench.tree / "born")
    bench.git("commit", "-q", "-m", "y", at=bench.tree / "born")
    saved = bench.save()
    assert saved.left_out == (LeftOut("born/", NESTED), LeftOut("lib/inner/", NESTED))
    bench.write("lib/inner/x.txt", "other")
    assert bench.restore(saved).files == ()
    assert (bench.tree / "lib/inner/x.txt").read_text() == "other"


def test_a_huge_file_is_left_out_and_never_deleted(bench: Bench) -> None:
    bench.write("a.txt", "a")
    saved = bench.save()
    with (bench.tree / "huge.bin").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    restored = bench.restore(saved)
    assert restored.left_out == (LeftOut("huge.bin", TOO_LARGE),)
    assert restored.deleted == ()
    assert (bench.tree / "huge.bin").exists()


def test_pipes_and_files_that_became_pipes_do_no_harm(bench: Bench) -> None:
    bench.write("was.txt", "w")
    saved = bench.save()
    os.mkfifo(bench.tree / "pipe")
    (bench.tree / "was.txt").unlink()
    os.mkfifo(bench.tree / "was.txt")
    assert bench.save().files == 1
    bench.restore(saved)
    assert (bench.tree / "was.txt").read_text() == "w"


@pytest.mark.parametrize(
    "leftover", ["index-{key}.lock", "git/objects/ab/tmp_obj_x", "git/refs/last/x.lock"]
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
    fresh = Checkpoints(str(bench.folder), bench.environ)
    assert fresh.save(str(bench.tree), "after a crash").files == 1
    assert not file.exists()


def test_a_lock_that_is_left_while_it_runs_is_swept(bench: Bench) -> None:
    bench.write("a.txt", "a")
    bench.save()
    next(bench.folder.glob("index-*")).with_suffix(".lock").write_bytes(b"")
    bench.write("a.txt", "b")
    assert bench.save().files == 1


def test_a_private_directory_that_was_half_made_is_made_again(bench: Bench) -> None:
    (bench.folder / "git" / "refs").mkdir(parents=True)
    bench.write("a.txt", "a")
    assert bench.save().files == 1


def test_a_damaged_index_is_made_anew(bench: Bench) -> None:
    bench.write("a.txt", "a")
    first = bench.save()
    next(bench.folder.glob("index-*")).write_bytes(b"DIRC nonsense")
    assert bench.save().commit == first.commit


def test_git_that_takes_too_long_is_ended(bench: Bench, tmp_path: Path) -> None:
    bench.write("a.txt", "a")
    bench.save()
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nsleep 600 &\nwait\n")
    slow.chmod(0o755)
    environ = {"HOME": str(bench.home), "PATH": f"{slow.parent}:/usr/bin:/bin"}
    with pytest.raises(GitTooSlowError):
        Checkpoints(str(bench.folder), environ, seconds=0.2).save(str(bench.tree), "slow")
    assert (bench.folder / "busy").exists()
    assert bench.save().files == 0
    assert not (bench.folder / "busy").exists()


def test_git_that_is_missing_is_said_so(bench: Bench) -> None:
    nowhere = {"HOME": str(bench.home), "PATH": "/nowhere"}
    with pytest.raises(GitError, match="git is not installed"):
        Checkpoints(str(bench.folder), nowhere).save(str(bench.tree), "none")


def test_whoever_comes_second_waits_only_so_long(bench: Bench) -> None:
    private = Private(str(bench.folder), bench.environ)
    quick = Checkpoints(str(bench.folder), bench.environ, seconds=0.05)
    with private.open(str(bench.tree), 5), pytest.raises(BusyError):
        quick.save(str(bench.tree), "at the same time")


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
    saved = bench.save()
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
