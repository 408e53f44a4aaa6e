"""Worktrees and branches of Handrail that no task uses any more, and what each still holds."""

import os
from collections.abc import Collection
from enum import StrEnum

import msgspec

from handrail.fleet.workspaces.file_lock import lock_holder
from handrail.fleet.workspaces.repository_git import RepositoryGit, open_repository
from handrail.fleet.workspaces.workspace_loss import WorkspaceLoss, loss_of, unmerged_commits
from handrail.fleet.workspaces.workspace_records import BRANCHES, Workspace, WorkspaceState
from handrail.fleet.workspaces.workspaces import MARKS, Workspaces
from handrail.fleet.workspaces.worktrees import delete_worktree, list_worktrees

_HEADS = "refs/heads/"


class OrphanKind(StrEnum):
    """Why nobody uses it."""

    NO_TASK = "no_task"
    """There is no such task."""
    UNUSABLE = "unusable"
    """Its folder is gone, or is no worktree any more."""
    HALF_MADE = "half_made"
    """The process that made or removed it has ended."""
    NO_RECORD = "no_record"
    """A worktree with Handrail's mark in this folder, and Handrail does not know its task."""
    BRANCH = "branch"
    """A branch of Handrail without a workspace."""


class Orphan(msgspec.Struct, frozen=True):
    """One leftover."""

    name: str
    kind: OrphanKind
    why: str
    branch: str
    task: str = ""
    path: str = ""
    """Its folder, if it has one."""
    loss: WorkspaceLoss = WorkspaceLoss()
    """What its removal would lose."""


def find_orphans(workspaces: Workspaces, tasks: Collection[str]) -> list[Orphan]:
    """Return all leftovers; `tasks`: the ids of all tasks whose workspaces are wanted."""
    git = open_repository(workspaces.repository, workspaces.environ)
    known = workspaces.all()
    found = [orphan for each in known if (orphan := _of_record(workspaces, git, each, tasks))]
    names = {each.name for each in known}
    for worktree in list_worktrees(git):
        name = os.path.basename(worktree.path)
        beside = os.path.dirname(os.path.realpath(worktree.path)) == workspaces.records.trees
        if worktree.is_ours and beside and name not in names:
            names.add(name)
            workspace = workspaces.records.workspace(name, "", 0, worktree.head)
            loss = loss_of(git, workspace, workspaces.environ)
            why = "Handrail has no record of it"
            found.append(
                Orphan(name, OrphanKind.NO_RECORD, why, worktree.branch, "", worktree.path, loss)
            )
    return found + _branches(git, names)


def remove_orphan(workspaces: Workspaces, orphan: Orphan) -> None:
    """Remove a leftover with everything in it: a person has agreed to lose it."""
    if workspace := workspaces.records.get(orphan.name):
        workspaces.remove(workspace, lose=True)
        return
    git = open_repository(workspaces.repository, workspaces.environ)
    if orphan.path:
        delete_worktree(git, orphan.path)
    branch, mark = f"{_HEADS}{BRANCHES}{orphan.name}", f"{MARKS}{orphan.name}"
    refs = git.refs(branch, mark)
    if mark in refs:
        lines = [f"delete {name} {commit}" for name, commit in refs.items()]
        git.change_refs(lines, f"handrail: leftover {orphan.name}")


def _of_record(
    workspaces: Workspaces, git: RepositoryGit, workspace: Workspace, tasks: Collection[str]
) -> Orphan | None:
    kind, why = OrphanKind.NO_TASK, f"there is no task {workspace.task}"
    if workspace.state is not WorkspaceState.READY:
        if lock_holder(workspaces.records.lock(workspace.task)):
            return None  # it is being made, or removed, right now
        kind, why = OrphanKind.HALF_MADE, f"a process that was {workspace.state} it has ended"
    elif fault := workspaces.fault_of(workspace):
        kind, why = OrphanKind.UNUSABLE, fault
    elif workspace.task in tasks:
        return None
    return Orphan(
        workspace.name,
        kind,
        why,
        workspace.branch,
        workspace.task,
        workspace.path if os.path.lexists(workspace.path) else "",
        loss_of(git, workspace, workspaces.environ),
    )


def _branches(git: RepositoryGit, names: Collection[str]) -> list[Orphan]:
    refs = git.refs(MARKS.rstrip("/"), f"{_HEADS}{BRANCHES.rstrip('/')}")
    found = []
    for mark in (ref for ref in refs if ref.startswith(MARKS)):
        name = mark.removeprefix(MARKS)
        branch = f"{_HEADS}{BRANCHES}{name}"
        if name in names:
            continue
        lost = unmerged_commits(git, [refs.get(branch, "")], branch)
        why = "its workspace was removed" if branch in refs else "its branch was deleted"
        short = f"{BRANCHES}{name}" if branch in refs else ""
        loss = WorkspaceLoss(commits=lost)
        found.append(Orphan(name, OrphanKind.BRANCH, why, short, loss=loss))
    return found
