"""Makes, finds and removes the worktrees in which tasks are done."""

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import count

from handrail.checkpoint.git.user_repository import read_text, repository_directories
from handrail.fleet.tasks.task import is_task_id
from handrail.fleet.workspaces.file_lock import hold_lock
from handrail.fleet.workspaces.repository_git import RepositoryGit, open_repository, open_worktree
from handrail.fleet.workspaces.workspace_errors import (
    BranchTakenError,
    BrokenWorkspaceError,
    NoCommitsError,
    UnknownCommitError,
    UnsavedWorkError,
    WorkspaceError,
    WorkspaceKilledError,
    WorkspaceStorageError,
    WorkspaceTimeoutError,
)
from handrail.fleet.workspaces.workspace_loss import loss_of
from handrail.fleet.workspaces.workspace_records import (
    BRANCHES,
    Workspace,
    WorkspaceRecords,
    WorkspaceState,
)
from handrail.fleet.workspaces.worktrees import (
    add_worktree,
    delete_stubs,
    delete_worktree,
    list_worktrees,
    remove_folder,
)
from handrail.store.private_files import make_folder

MARKS = "refs/handrail/workspaces/"
"""A ref for each branch that Handrail has made, at the commit where the branch began."""
_HEADS = "refs/heads/"
_WAIT = 60.0
"""Seconds to wait for another process that makes or removes a workspace of the same task."""
_MAX_SMALL = 4096


class Workspaces:
    """The workspaces of one repository. Its methods block; several processes may call them."""

    def __init__(
        self,
        repository: str,
        root: str,
        environ: Mapping[str, str] = os.environ,
        *,
        trees: str = "",
    ) -> None:
        """`root`: a folder outside of the repository, for the records of this one alone.

        `trees`: another one for the worktrees; empty: `root`.
        """
        self.repository = repository
        self.records = WorkspaceRecords(root, trees)
        self.environ = environ

    def all(self) -> list[Workspace]:
        """Return every workspace with a record, whatever its state, by name."""
        return self.records.all()

    def of_task(self, task: str) -> list[Workspace]:
        """Return the workspaces of one task, the latest last."""
        found = [each for each in self.records.all() if each.task == task]
        return sorted(found, key=lambda each: (each.attempt, len(each.name), each.name))

    def create(self, task: str, attempt: int = 1, base: str = "HEAD") -> Workspace:
        """Make a worktree with a branch of its own at `base`; raises WorkspaceError.

        If it fails, nothing of it is left. If the process is killed, the next call cleans up.
        """
        _check_id(task)
        with self._locked(task) as git:
            commit = self._base(git, base)
            self._sweep(git, task)
            workspace = self._claim_name(git, task, attempt, commit)
            try:
                self._make(git, workspace)
                return self.records.change(workspace, state=WorkspaceState.READY)
            except BaseException:
                with suppress(WorkspaceError, OSError):  # what stays, the next call sweeps
                    self._delete(git, workspace)
                raise

    def reuse(self, task: str) -> Workspace | None:
        """Return the latest workspace of a task if it can be used, or None."""
        ready = [each for each in self.of_task(task) if each.state is WorkspaceState.READY]
        return ready[-1] if ready and not self.fault_of(ready[-1]) else None

    def fault_of(self, workspace: Workspace) -> str:
        """Return why a workspace cannot be used, or "".

        Raises WorkspaceGitError if git was killed or too slow to tell.
        """
        path = workspace.path
        if not os.path.isdir(path):
            return "its folder is gone"
        if not os.path.isfile(os.path.join(path, ".git")):
            return "its folder is no worktree any more"
        own = repository_directories(path).own
        back = os.path.join(own, read_text(os.path.join(own, "gitdir"), _MAX_SMALL).strip())
        if os.path.realpath(back) != os.path.join(os.path.realpath(path), ".git"):
            return "the repository does not know it any more"
        try:
            git = open_worktree(path, self.environ)
            return "" if git.commit_of("HEAD") else "its HEAD names no commit"
        except (WorkspaceKilledError, WorkspaceTimeoutError):
            raise
        except WorkspaceError as error:
            return str(error)

    def check(self, workspace: Workspace) -> None:
        """Raise BrokenWorkspaceError if a workspace cannot be used."""
        if fault := self.fault_of(workspace):
            raise BrokenWorkspaceError(workspace.path, fault)

    def mark_set_up(self, workspace: Workspace) -> Workspace:
        """Note that the setup commands have succeeded, so that they need not run again."""
        with self._lock(workspace.task):
            return self.records.change(workspace, is_set_up=True)

    def rebase(self, workspace: Workspace, base: str) -> Workspace:
        """Note that the work of a workspace starts at another commit."""
        if workspace.base == base:
            return workspace
        with self._lock(workspace.task):
            return self.records.change(workspace, base=base)

    def hand_over(self, workspace: Workspace, task: str) -> Workspace:
        """Let another task go on in a workspace, on its branch; nobody may work in it now."""
        _check_id(task)
        first, second = sorted((workspace.task, task))
        with self._lock(first), self._lock(second):
            return self.records.change(workspace, task=task)

    def remove(
        self, workspace: Workspace, *, keep_branch: bool = False, lose: bool = False
    ) -> None:
        """Remove a worktree, and its branch too unless `keep_branch`.

        Raises UnsavedWorkError if that loses anything, unless `lose`: a person has agreed.
        """
        with self._locked(workspace.task) as git:
            if self.records.get(workspace.name) is None:
                return  # somebody else was quicker
            if not lose and workspace.state is WorkspaceState.READY:
                loss = loss_of(git, workspace, self.environ, keep_branch=keep_branch)
                if loss:
                    raise UnsavedWorkError(workspace.path, len(loss.files), len(loss.commits))
            decided = WorkspaceState.LEAVING_BRANCH if keep_branch else WorkspaceState.REMOVING
            self._delete(git, self.records.change(workspace, state=decided))

    @contextmanager
    def _locked(self, task: str) -> Iterator[RepositoryGit]:
        try:
            with self._lock(task) as lock:
                yield open_repository(self.repository, self.environ, held=(lock,))
        except OSError as error:
            if isinstance(error, WorkspaceError):
                raise
            raise WorkspaceStorageError("worktree", str(error)) from error

    def _lock(self, task: str) -> AbstractContextManager[int]:
        return hold_lock(self.records.lock(task), f"the workspace of task {task}", wait=_WAIT)

    def _base(self, git: RepositoryGit, base: str) -> str:
        if commit := git.commit_of(base):
            return commit
        if not git.run("for-each-ref", "--count=1") and not git.commit_of("HEAD"):
            raise NoCommitsError(self.repository)
        raise UnknownCommitError(base)

    def _claim_name(self, git: RepositoryGit, task: str, attempt: int, commit: str) -> Workspace:
        """Write the record of a workspace under the first free name: TASK, TASK-2, TASK-3 …"""
        refs = git.refs(f"{_HEADS}{BRANCHES.rstrip('/')}", MARKS.rstrip("/"))
        if f"{_HEADS}{BRANCHES.rstrip('/')}" in refs:  # git allows no branch below a branch
            raise BranchTakenError(BRANCHES.rstrip("/"))
        for number in count(1):
            name = task if number == 1 else f"{task}-{number}"
            branch = f"{_HEADS}{BRANCHES}{name}"
            if branch in refs and f"{MARKS}{name}" not in refs and number == 1:
                raise BranchTakenError(f"{BRANCHES}{name}", _checkout_of(git, f"{BRANCHES}{name}"))
            if branch in refs or self.records.is_taken(name):
                continue
            workspace = self.records.workspace(name, task, attempt, commit)
            if self.records.add(workspace):
                return workspace
        raise AssertionError("unreachable: there are infinitely many names")

    def _make(self, git: RepositoryGit, workspace: Workspace) -> None:
        lines = (
            f"create {_HEADS}{workspace.branch} {workspace.base}",
            f"update {MARKS}{workspace.name} {workspace.base}",
        )
        git.change_refs(lines, f"handrail: task {workspace.task}")
        make_folder(self.records.trees)
        add_worktree(git, workspace.path, workspace.branch, _purpose(workspace))
        make_folder(workspace.temporary)

    def _sweep(self, git: RepositoryGit, task: str) -> None:
        """Remove half-made and half-removed workspaces of a task: we hold its lock."""
        for each in self.of_task(task):
            if each.state is not WorkspaceState.READY:
                self._delete(git, each)

    def _delete(self, git: RepositoryGit, workspace: Workspace) -> None:
        """Remove everything of a workspace, as its state says; its record goes last."""
        delete_worktree(git, workspace.path)
        delete_stubs(git, _purpose(workspace))
        remove_folder(workspace.temporary)
        if workspace.state is not WorkspaceState.LEAVING_BRANCH:
            self._delete_branch(git, workspace)
        self.records.forget(workspace)

    def _delete_branch(self, git: RepositoryGit, workspace: Workspace) -> None:
        branch, mark = f"{_HEADS}{workspace.branch}", f"{MARKS}{workspace.name}"
        refs = git.refs(branch, mark)
        if mark not in refs or any(workspace.branch == e.branch for e in list_worktrees(git)):
            return  # a person's branch, or one that a person has checked out
        is_new = workspace.state is WorkspaceState.MAKING
        if is_new and refs.get(branch, workspace.base) != workspace.base:
            return  # somebody has worked on it already
        lines = [f"delete {name} {refs[name]}" for name in (branch, mark) if name in refs]
        git.change_refs(lines, f"handrail: task {workspace.task}")


def _purpose(workspace: Workspace) -> str:
    return f"task {workspace.task}, workspace {workspace.name}"


def _checkout_of(git: RepositoryGit, branch: str) -> str:
    return next((each.path for each in list_worktrees(git) if each.branch == branch), "")


def _check_id(task: str) -> None:
    if not is_task_id(task):
        raise ValueError(f"{task!r} cannot be the id of a task")
