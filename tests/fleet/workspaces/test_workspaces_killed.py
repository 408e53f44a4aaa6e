"""Whoever is killed while it makes or removes a workspace: the next one cleans up."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.fleet.workspaces.workspace_orphans import OrphanKind, find_orphans
from tests.checkpoint.faults import GitFault, RiggedGit
from tests.fleet.task_repository import TaskRepository
from tests.fleet.workspace_faults import KILLS, WorkspaceWorker, moments

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def worker() -> Iterator[WorkspaceWorker]:
    worker = WorkspaceWorker()
    yield worker
    worker.close()


@pytest.fixture
def shop(tmp_path: Path) -> TaskRepository:
    return TaskRepository(tmp_path)


def check_and_remove(shop: TaskRepository, refs: dict[str, str]) -> None:
    """The task gets one workspace that works, and nothing else is there."""
    made = shop.workspaces.reuse("a") or shop.workspaces.create("a", 2)
    assert made.name == "a"
    assert shop.git("status", "--short", at=made.path) == ""
    assert shop.worktrees() == [made.path]
    assert find_orphans(shop.workspaces, {"a"}) == []
    shop.workspaces.remove(made)
    assert shop.refs() == refs
    assert shop.traces() == set()


@pytest.mark.parametrize("fault", KILLS, ids=lambda fault: fault.name)
def test_a_creation_that_is_killed_around_any_git_is_made_good(
    worker: WorkspaceWorker, shop: TaskRepository, tmp_path: Path, fault: GitFault
) -> None:
    refs = shop.refs()
    for moment in moments():
        git = RiggedGit(tmp_path / f"bin{moment}", moment, fault)
        killed = worker.run("create", shop, git=git) == "killed"
        check_and_remove(shop, refs)
        if not killed:
            break
    assert moment > 4


@pytest.mark.parametrize("part", [0, 1])
def test_a_creation_that_is_killed_at_any_change_of_its_own_is_made_good(
    worker: WorkspaceWorker, shop: TaskRepository, part: int
) -> None:
    refs = shop.refs()
    for moment in moments():
        if moment % 2 != part:
            continue
        killed = worker.run("create", shop, at=moment) == "killed"
        check_and_remove(shop, refs)
        if not killed:
            break
    assert moment > 10


@pytest.mark.parametrize("keep_branch", [False, True])
def test_a_removal_that_is_killed_is_finished_and_keeps_the_branch_if_it_was_to_stay(
    worker: WorkspaceWorker, shop: TaskRepository, keep_branch: bool
) -> None:
    refs = shop.refs()
    for moment in moments():
        made = shop.workspaces.create("a")
        shop.write("new.txt", "new", at=made.path)
        commit = shop.commit("work", at=made.path)
        options: dict[str, object] = {"keep_branch": keep_branch, "lose": True}
        killed = worker.run("remove", shop, at=moment, options=options) == "killed"
        if shop.workspaces.reuse("a") is None:
            again = shop.workspaces.create("a", 2)
            if keep_branch:
                assert shop.head("handrail/a") == commit
            else:
                assert again.name == "a"
        for each in shop.workspaces.all():
            shop.workspaces.remove(each, lose=True)
        if keep_branch:
            shop.git("update-ref", "-d", "refs/heads/handrail/a")
            shop.git("update-ref", "-d", "refs/handrail/workspaces/a")
        assert shop.refs() == refs
        assert shop.traces() == set()
        if not killed:
            break
    assert moment > 8


def test_a_git_that_was_killed_while_it_made_the_worktree_is_noticed(
    shop: TaskRepository,
) -> None:
    """As `git worktree add` leaves it: after its first files, and before the checkout."""
    made = shop.workspaces.create("a")
    admin = shop.tree / ".git/worktrees/a"
    record = shop.root / ".records/a.json"
    record.write_text(record.read_text().replace('"ready"', '"making"'))
    (orphan,) = find_orphans(shop.workspaces, {"a"})
    assert orphan.kind is OrphanKind.HALF_MADE
    for name in ("gitdir", "HEAD", "commondir", "index"):
        (admin / name).unlink()
    again = shop.workspaces.create("a", 2)
    assert (again.name, again.path) == (made.name, made.path)
    assert shop.worktrees() == [made.path]
    assert [path.name for path in admin.parent.iterdir()] == ["a"]
