"""Where the workspace of a task starts: at HEAD, with the work of the tasks that it depends on."""

import os
from collections.abc import Sequence

from handrail.checkpoint.git.user_repository import repository_directories
from handrail.fleet.merges.merge_scratch import unmerged_files
from handrail.fleet.tasks.task import Task
from handrail.fleet.workspaces.repository_git import RepositoryGit, failure, open_worktree
from handrail.fleet.workspaces.workspace_errors import WorkspaceError
from handrail.fleet.workspaces.workspace_records import Workspace
from handrail.fleet.workspaces.workspaces import Workspaces

_MAX_NAMED = 5


class DependencyConflictError(WorkspaceError):
    """The work of a task's dependencies cannot be put together without a person."""

    def __init__(self, task: Task, files: Sequence[str]) -> None:
        others = " ".join(task.depends_on)
        named = ", ".join(files[:_MAX_NAMED])
        super().__init__(
            f"the work it depends on conflicts in {named}; merge it first: handrail merge {others}"
        )
        self.files = tuple(files)


def add_dependencies(
    workspaces: Workspaces, workspace: Workspace, task: Task, commits: Sequence[str]
) -> Workspace:
    """Merge commits into a workspace that no agent has used; its base is the result.

    A merged dependency is part of HEAD already. Safe to repeat after a kill. Raises
    DependencyConflictError.
    """
    if workspace.is_set_up:
        return workspace
    git = open_worktree(workspace.path, workspaces.environ)
    _forget_merge(git, workspace)
    for commit in commits:
        # A commit that git does not know any more was merged and rewritten by a person.
        if git.commit_of(commit) and not git.is_ancestor(commit, "HEAD"):
            _merge(git, task, commit)
    return workspaces.rebase(workspace, git.commit_of("HEAD"))


def _merge(git: RepositoryGit, task: Task, commit: str) -> None:
    options = ("--no-edit", "--no-verify", "--no-stat", "--quiet")
    message = f"Start task {task.id} from the work that it depends on"
    reply = git.call("merge", *options, "-m", message, commit)
    if reply.code == 0:
        return
    files = unmerged_files(git)
    git.call("merge", "--abort")
    raise DependencyConflictError(task, files) if files else failure("merge", reply)


def _forget_merge(git: RepositoryGit, workspace: Workspace) -> None:
    """Undo a merge that a killed process has left half-made."""
    own = repository_directories(workspace.path).own
    if os.path.exists(os.path.join(own, "MERGE_HEAD")):
        git.call("merge", "--abort")
