"""Workspaces: made, found again, and removed without losing anything."""

import os
import stat
from pathlib import Path

import pytest

from handrail.fleet.workspaces.workspace_errors import (
    BranchTakenError,
    BrokenWorkspaceError,
    NoCommitsError,
    NoRepositoryError,
    UnknownCommitError,
    UnsavedWorkError,
    WorkspaceKilledError,
    WorkspaceStorageError,
)
from handrail.fleet.workspaces.workspaces import MARKS, Workspaces
from tests.checkpoint.faults import GitFault, RiggedGit
from tests.fleet.task_repository import TaskRepository

pytestmark = pytest.mark.slow


@pytest.fixture
def shop(tmp_path: Path) -> TaskRepository:
    return TaskRepository(tmp_path)


def test_a_workspace_is_a_worktree_with_a_branch_of_its_own(shop: TaskRepository) -> None:
    made = shop.workspaces.create("fix-login", 1)
    assert made.branch == "handrail/fix-login"
    assert made.base == shop.head("main")
    assert Path(made.path, "src/till.py").read_text() == "total = 0\n"
    assert shop.git("symbolic-ref", "HEAD", at=made.path) == "refs/heads/handrail/fix-login"
    assert Path(made.temporary).is_dir()
    assert shop.workspaces.all() == [made]
    assert "Handrail works here (task fix-login" in shop.git("worktree", "list", "--porcelain")


def test_it_starts_from_the_branch_or_commit_that_is_asked_for(shop: TaskRepository) -> None:
    first = shop.head()
    shop.write("later.txt", "later")
    shop.commit("later")
    assert not Path(shop.workspaces.create("old", base=first).path, "later.txt").exists()
    assert Path(shop.workspaces.create("new", base="main").path, "later.txt").exists()


def test_the_users_checkout_and_hooks_are_left_alone(shop: TaskRepository, tmp_path: Path) -> None:
    hook = shop.write(".git/hooks/post-checkout", f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    shop.write("mine.txt", "uncommitted")
    shop.workspaces.create("a")
    assert not (tmp_path / "ran").exists()
    assert shop.git("status", "--short") == "?? mine.txt"
    assert shop.git("symbolic-ref", "HEAD") == "refs/heads/main"


def test_a_healthy_workspace_is_reused_and_a_broken_one_is_not(shop: TaskRepository) -> None:
    assert shop.workspaces.reuse("a") is None
    made = shop.workspaces.create("a")
    assert shop.workspaces.reuse("a") == made
    os.rename(Path(made.path, ".git"), Path(made.path, "git"))
    assert shop.workspaces.reuse("a") is None
    with pytest.raises(BrokenWorkspaceError, match="no worktree any more"):
        shop.workspaces.check(made)
    again = shop.workspaces.create("a", 2)
    assert again.branch == "handrail/a-2"
    assert shop.workspaces.reuse("a") == again
    assert Path(made.path).is_dir()  # its files may be somebody's only copy


@pytest.mark.parametrize("harm", ["folder", "admin", "head"])
def test_each_kind_of_damage_is_noticed(shop: TaskRepository, harm: str) -> None:
    made = shop.workspaces.create("a")
    admin = shop.tree / ".git/worktrees/a"
    if harm == "folder":
        os.rename(made.path, f"{made.path}.moved")
    elif harm == "admin":
        os.rename(admin, shop.home / "elsewhere")
    else:
        (admin / "HEAD").write_text("ref: refs/heads/nothing\n")
    assert shop.workspaces.reuse("a") is None


def test_names_of_later_attempts_never_collide_with_other_tasks(shop: TaskRepository) -> None:
    names: list[str] = []
    for task in ("fix", "fix", "fix-2", "fix"):
        names.append(shop.workspaces.create(task, len(names) + 1).name)
    assert names == ["fix", "fix-2", "fix-2-2", "fix-3"]
    assert [each.name for each in shop.workspaces.of_task("fix")] == ["fix", "fix-2", "fix-3"]
    latest = shop.workspaces.reuse("fix")
    assert latest is not None
    assert latest.name == "fix-3"


def test_a_removed_workspace_leaves_nothing(shop: TaskRepository) -> None:
    refs = shop.refs()
    made = shop.workspaces.create("a")
    shop.workspaces.remove(made)
    assert shop.refs() == refs
    assert shop.traces() == set()
    assert not Path(made.path).exists()
    shop.workspaces.remove(made)  # a second time: nothing to do


def test_a_branch_can_be_kept(shop: TaskRepository) -> None:
    made = shop.workspaces.create("a")
    shop.write("new.txt", "new", at=made.path)
    commit = shop.commit("work", at=made.path)
    shop.workspaces.remove(made, keep_branch=True)
    assert shop.head("handrail/a") == commit
    assert shop.workspaces.create("a", 2).branch == "handrail/a-2"


def test_a_removal_that_loses_work_needs_a_word(shop: TaskRepository) -> None:
    made = shop.workspaces.create("a")
    shop.write("new.txt", "new", at=made.path)
    with pytest.raises(UnsavedWorkError, match="1 uncommitted file "):
        shop.workspaces.remove(made, keep_branch=True)
    shop.commit("work", at=made.path)
    with pytest.raises(UnsavedWorkError, match="1 commit "):
        shop.workspaces.remove(made)
    assert Path(made.path, "new.txt").exists()
    shop.workspaces.remove(made, lose=True)
    assert "refs/heads/handrail/a" not in shop.refs()


def test_merged_work_may_go(shop: TaskRepository) -> None:
    made = shop.workspaces.create("a")
    shop.write("new.txt", "new", at=made.path)
    shop.commit("work", at=made.path)
    shop.git("merge", "-q", "handrail/a")
    shop.workspaces.remove(made)
    assert shop.traces() == set()


def test_commits_on_a_detached_head_count_as_work(shop: TaskRepository) -> None:
    made = shop.workspaces.create("a")
    shop.git("checkout", "-q", "--detach", at=made.path)
    shop.write("new.txt", "new", at=made.path)
    shop.commit("work", at=made.path)
    with pytest.raises(UnsavedWorkError, match="1 commit "):
        shop.workspaces.remove(made, keep_branch=True)


def test_folders_without_the_right_to_write_are_removed(
    shop: TaskRepository, no_override: None
) -> None:
    made = shop.workspaces.create("a")
    locked = Path(made.path, "cache/deep")
    locked.mkdir(parents=True)
    (locked / "file").write_text("x")
    for folder in (locked, locked.parent):
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    shop.workspaces.remove(made, lose=True)
    assert not Path(made.path).exists()


def test_a_persons_branch_of_that_name_is_never_touched(shop: TaskRepository) -> None:
    shop.git("worktree", "add", "-q", "-b", "handrail/a", str(shop.home / "mine"))
    with pytest.raises(BranchTakenError, match=r"handrail/a, checked out in .*mine"):
        shop.workspaces.create("a")
    shop.git("branch", "handrail/b")
    with pytest.raises(BranchTakenError, match="rename it"):
        shop.workspaces.create("b")
    assert shop.traces() == {"admin mine"}


def test_a_branch_in_the_place_of_all_our_branches_is_named(shop: TaskRepository) -> None:
    shop.git("branch", "handrail")
    with pytest.raises(BranchTakenError, match="branch handrail,"):
        shop.workspaces.create("a")
    assert shop.traces() == set()


def test_a_branch_that_a_person_has_checked_out_survives_the_removal(
    shop: TaskRepository,
) -> None:
    made = shop.workspaces.create("a")
    shop.git("checkout", "-q", "--detach", at=made.path)
    shop.git("checkout", "-q", "handrail/a")
    shop.workspaces.remove(made)
    assert "refs/heads/handrail/a" in shop.refs()


def test_a_repository_without_commits_is_a_clear_error(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    shop = TaskRepository(tmp_path)
    with pytest.raises(NoRepositoryError, match="git init"):
        shop.of(empty).create("a")
    shop.git("init", "-q", at=empty)
    with pytest.raises(NoCommitsError, match="commit first"):
        shop.of(empty).create("a")
    with pytest.raises(NoRepositoryError, match="no such folder"):
        shop.of(tmp_path / "nowhere").create("a")


@pytest.mark.parametrize("at", [1, 2, 3, 4])
def test_a_git_that_is_killed_gives_no_answer_about_the_repository(
    shop: TaskRepository, tmp_path: Path, at: int
) -> None:
    git = RiggedGit(tmp_path / "rigged", at, GitFault.GIT_KILLED)
    environ = {**shop.environ, "PATH": git.path}
    rigged = Workspaces(str(shop.tree), str(shop.root), environ, trees=str(shop.trees))
    with pytest.raises(WorkspaceKilledError, match="killed by signal 9"):
        rigged.create("a")
    assert git.was_reached


def test_a_git_that_is_killed_does_not_make_a_workspace_unusable(
    shop: TaskRepository, tmp_path: Path
) -> None:
    made = shop.workspaces.create("a")
    for at in (1, 2):
        git = RiggedGit(tmp_path / f"rigged{at}", at, GitFault.GIT_KILLED)
        environ = {**shop.environ, "PATH": git.path}
        rigged = Workspaces(str(shop.tree), str(shop.root), environ, trees=str(shop.trees))
        with pytest.raises(WorkspaceKilledError):
            rigged.reuse("a")
    assert shop.workspaces.reuse("a") == made


def test_an_unknown_base_is_named(shop: TaskRepository) -> None:
    for base in ("nothing", "--help", "main:README.md"):
        with pytest.raises(UnknownCommitError, match="no branch or commit"):
            shop.workspaces.create("a", base=base)
    assert shop.traces() == set()


@pytest.mark.parametrize("task", ["../up", "a/b", "", ".records", "-x", "a..b"])
def test_only_ids_of_tasks_become_paths(shop: TaskRepository, task: str) -> None:
    with pytest.raises(ValueError, match="cannot be the id"):
        shop.workspaces.create(task)


def test_a_folder_that_cannot_be_written_is_a_clear_error(
    shop: TaskRepository, tmp_path: Path, no_override: None
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0o500)
    there = Workspaces(str(shop.tree), str(closed / "root"), shop.environ)
    with pytest.raises(WorkspaceStorageError, match="cannot be written"):
        there.create("a")
    assert shop.traces() == set()


def test_a_repository_that_cannot_be_written_is_a_clear_error(
    shop: TaskRepository, no_override: None
) -> None:
    folders = [shop.tree / ".git", shop.tree / ".git/refs", shop.tree / ".git/refs/heads"]
    for folder in folders:
        folder.chmod(0o500)
    with pytest.raises(WorkspaceStorageError, match="unable to create directory"):
        shop.workspaces.create("a")
    for folder in folders:
        folder.chmod(0o700)
    assert shop.workspaces.create("a").name == "a"


def test_the_mark_tells_where_the_branch_began(shop: TaskRepository) -> None:
    made = shop.workspaces.create("a")
    assert shop.refs()[f"{MARKS}a"] == made.base


def test_another_task_goes_on_in_a_workspace_on_its_branch(shop: TaskRepository) -> None:
    made = shop.workspaces.create("a")
    given = shop.workspaces.hand_over(made, "b")
    assert shop.workspaces.reuse("a") is None
    assert shop.workspaces.reuse("b") == given
    assert (given.path, given.branch) == (made.path, made.branch)
    assert shop.workspaces.create("a", 2).path != made.path
