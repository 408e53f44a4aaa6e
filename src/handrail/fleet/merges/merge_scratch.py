"""The scratch worktree in which a merge is made and verified."""

import os
import shlex
from collections.abc import Mapping

from handrail.checkpoint.git.runner import split_paths
from handrail.fleet.workspaces.repository_git import RepositoryGit, failure, open_worktree
from handrail.fleet.workspaces.workspace_work import as_text
from handrail.fleet.workspaces.worktrees import (
    add_worktree,
    delete_stubs,
    delete_worktree,
    list_worktrees,
)
from handrail.store.private_files import make_folder

_PURPOSE = "a merge"
_MAX_NAMED = 20


class ConflictFound(Exception):  # noqa: N818 - an outcome, which ends the plan of a merge
    """Git could not merge some files."""

    def __init__(self, files: tuple[str, ...]) -> None:
        super().__init__(", ".join(files))
        self.files = files


class MergeScratch:
    """A worktree without a branch. The caller holds the lock of merges."""

    def __init__(
        self, git: RepositoryGit, path: str, environ: Mapping[str, str], lock: int
    ) -> None:
        self.path = path
        self._git = git
        self._environ = environ
        self._lock = lock

    def check_out(self, commit: str) -> None:
        """Make the worktree at a commit."""
        make_folder(os.path.dirname(self.path))
        add_worktree(self._git, self.path, commit, _PURPOSE, "--detach")

    def merge(self, commit: str, message: str) -> str:
        """Merge a commit; return the merge commit. Raises ConflictFound."""
        there = open_worktree(self.path, self._environ, held=(self._lock,))
        options = ("--no-ff", "--no-edit", "--no-verify", "--no-stat", "--quiet")
        reply = there.call("merge", *options, "-m", message, commit)
        if reply.code == 0:
            return there.commit_of("HEAD")
        if files := unmerged_files(there):
            raise ConflictFound(files)
        raise failure("merge", reply)

    def clear(self) -> None:
        """Remove the worktree, and everything that a killed merge has left at its place."""
        listed = {os.path.realpath(each.path) for each in list_worktrees(self._git)}
        if os.path.lexists(self.path) or os.path.realpath(self.path) in listed:
            delete_worktree(self._git, self.path)
        delete_stubs(self._git, _PURPOSE)


def usual_scratch(
    git: RepositoryGit, trees: str, environ: Mapping[str, str], lock: int
) -> MergeScratch:
    """Return the scratch worktree for all merges; there is one at a time."""
    return MergeScratch(git, os.path.join(trees, ".merging", "tree"), environ, lock)


def kept_scratch(
    git: RepositoryGit, trees: str, environ: Mapping[str, str], lock: int, task: str
) -> MergeScratch:
    """Return the scratch worktree in which a person can look at the conflict of a task."""
    return MergeScratch(git, os.path.join(trees, ".conflicts", task), environ, lock)


def unmerged_files(git: RepositoryGit) -> tuple[str, ...]:
    """Return the files of a worktree that are in conflict."""
    listed = git.run("diff", "--name-only", "--diff-filter=U", "-z", "--no-ext-diff")
    return tuple(dict.fromkeys(map(as_text, split_paths(listed))))


def look_command(repository: str, target: str, commit: str, files: tuple[str, ...]) -> str:
    """Return the command that shows what a task has changed in some files."""
    words = ("git", "-C", as_text(repository), "diff", f"{as_text(target)}...{commit[:12]}", "--")
    return shlex.join((*words, *files[:_MAX_NAMED]))
