"""The work in a workspace: what is uncommitted, what is committed, and a commit of all of it."""

import os
from collections.abc import Mapping

import msgspec

from handrail.checkpoint.git.runner import split_paths
from handrail.checkpoint.git.user_repository import repository_directories
from handrail.fleet.tasks.task import Task
from handrail.fleet.workspaces.repository_git import RepositoryGit, failure, open_worktree
from handrail.fleet.workspaces.workspace_records import Workspace
from handrail.fleet.workspaces.worktrees import remove_stale_lock

_HEADS = "refs/heads/"
_LABEL = 60
_FORMAT = "--format=%H%x09%s"
_STATUS = (
    *("status", "--porcelain=2", "-z", "--no-renames"),
    "--ignore-submodules=dirty",
)
_WORDS_BEFORE_PATH = {"1": 8, "u": 10, "?": 1}
"""For each kind of line of `git status --porcelain=2`, the words before its path."""


class CommitLine(msgspec.Struct, frozen=True):
    """One commit: its hash and the first line of its message."""

    hash: str
    subject: str


class WorkspaceStatus(msgspec.Struct, frozen=True):
    """The work in a workspace."""

    uncommitted: tuple[str, ...] = ()
    """Changed, new and deleted files, without ignored ones."""
    last: CommitLine | None = None
    """The commit at its HEAD."""
    commits: int = 0
    """Commits since its base."""
    changed: tuple[str, ...] = ()
    """Files that differ between its base and its last commit."""
    branch: str = ""
    """The branch that is checked out now; empty: none."""


def workspace_status(
    workspace: Workspace, environ: Mapping[str, str] = os.environ
) -> WorkspaceStatus:
    """Return what was done in a workspace; raises WorkspaceError."""
    git = open_worktree(workspace.path, environ)
    base = workspace.base
    changed = git.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", base, "HEAD", "--")
    head = git.call("symbolic-ref", "--quiet", "HEAD")
    return WorkspaceStatus(
        uncommitted=uncommitted_files(git),
        last=next(iter(commit_lines(git, "HEAD", most=1)), None),
        commits=int(git.text("rev-list", "--count", f"{base}..HEAD", "--")),
        changed=tuple(map(as_text, split_paths(changed))),
        branch=os.fsdecode(head.out).strip().removeprefix(_HEADS),
    )


def commit_work(
    workspace: Workspace, message: str, environ: Mapping[str, str] = os.environ
) -> str | None:
    """Commit everything that is uncommitted; None: there was nothing.

    Nobody else may work in the workspace meanwhile: lock files that an ended git left are removed.
    Ignored files and repositories inside stay out. A merge under way is concluded as it stands.
    Raises WorkspaceError.
    """
    git = open_worktree(workspace.path, environ)
    if not uncommitted_files(git):
        return None
    remove_stale_locks(workspace)
    nested = [f":(exclude,literal,top){path}" for path in _status(git) if path.endswith("/")]
    # What cannot be read stays out, and everything else goes in.
    reply = git.call("add", "--all", "--sparse", "--ignore-errors", "--", ".", *nested)
    if reply.code not in (0, 1):
        raise failure("add", reply)
    if git.call("diff-index", "--quiet", "--cached", "HEAD", "--").code == 0:
        if reply.code:
            raise failure("add", reply)
        return None
    options = ("--quiet", "--no-verify", "--cleanup=verbatim", "--file=-")
    git.run("commit", *options, given=message.encode(errors="replace"))
    return git.commit_of("HEAD")


def commit_task(workspace: Workspace, task: Task, environ: Mapping[str, str] = os.environ) -> str:
    """Commit the work of a task that is done; return the last commit."""
    commit_work(workspace, f"{task.label[:_LABEL]}\n\nTask: {task.id}", environ)
    return open_worktree(workspace.path, environ).commit_of("HEAD")


def uncommitted_files(git: RepositoryGit) -> tuple[str, ...]:
    """Return the files of a worktree that differ from its HEAD, without ignored ones."""
    return tuple(as_text(path) for path in _status(git) if not path.endswith("/"))


def changed_tracked_files(git: RepositoryGit) -> tuple[str, ...]:
    """Return the changed files of a worktree without new ones, as text."""
    return tuple(as_text(path) for path in _status(git, "--untracked-files=no"))


def as_text(path: str) -> str:
    """Return a path that can be written down: a file's name may be any bytes."""
    return os.fsencode(path).decode(errors="backslashreplace")


def commit_lines(git: RepositoryGit, *what: str, most: int) -> tuple[CommitLine, ...]:
    """Return commits, the latest first; `what`: as for `git rev-list`."""
    listed = git.run(
        "log", "-z", f"--max-count={most}", _FORMAT, "--no-show-signature", *what, "--"
    )
    lines = (each.decode(errors="replace").partition("\t") for each in listed.split(b"\0") if each)
    return tuple(CommitLine(commit, subject) for commit, _, subject in lines)


def _status(git: RepositoryGit, untracked: str = "--untracked-files=all") -> list[str]:
    """Return the paths that `git status` lists; repositories inside end with a slash."""
    found = []
    for line in os.fsdecode(git.run(*_STATUS, untracked)).split("\0"):
        words = _WORDS_BEFORE_PATH.get(line[:1])
        if words:
            found.append(line.split(" ", words)[words])
    return found


def remove_stale_locks(workspace: Workspace) -> None:
    """Remove the lock files that an ended git has left."""
    where = repository_directories(workspace.path)
    remove_stale_lock(os.path.join(where.own, "index.lock"))
    remove_stale_lock(os.path.join(where.own, "HEAD.lock"))
    remove_stale_lock(os.path.join(where.common, _HEADS, f"{workspace.branch}.lock"))
