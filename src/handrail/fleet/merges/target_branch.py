"""Moves the branch that tasks are merged into, together with its checkout, and never half.

Git first updates the files of the checkout, then the branch. A journal is there meanwhile: if git
or Handrail is killed, the next merge puts the files back.
"""

import os
from collections.abc import Mapping, Sequence

import msgspec

from handrail.checkpoint.files import read_json, replace_file, unlink_all
from handrail.fleet.merges.checkout_recovery import put_checkout_back
from handrail.fleet.merges.files_in_the_way import files_in_the_way
from handrail.fleet.workspaces.repository_git import RepositoryGit, open_worktree
from handrail.fleet.workspaces.workspace_errors import WorkspaceError, WorkspaceGitError
from handrail.fleet.workspaces.workspace_work import as_text, changed_tracked_files
from handrail.fleet.workspaces.worktrees import in_use_by
from handrail.model.decodable import decodable
from handrail.store.private_files import make_folder

HEADS = "refs/heads/"
_MAX_NAMED = 5


class BranchMovedError(WorkspaceError):
    """Somebody else has moved the branch meanwhile."""

    def __init__(self, branch: str) -> None:
        super().__init__(f"somebody has moved the branch {branch} meanwhile")
        self.branch = branch


@decodable
class BranchMove(msgspec.Struct, frozen=True, kw_only=True):
    """A branch that goes from one commit to another."""

    branch: str
    before: str
    after: str
    why: str = ""
    """For the reflog."""


class TargetBranch:
    """Moves one branch of a repository. The caller holds the lock of merges."""

    def __init__(
        self, git: RepositoryGit, environ: Mapping[str, str], journal: str, lock: int
    ) -> None:
        """`journal`: the path of the file that is there while a checkout is updated."""
        self._git = git
        self._environ = environ
        self._journal = journal
        self._lock = lock

    def move(self, move: BranchMove) -> str:
        """Move the branch; return why that must wait, or "".

        Raises BranchMovedError if it is not at `before` any more.
        """
        users = list(in_use_by(self._git, move.branch))
        if not users:
            self._swap(self._git, move)
            return ""
        if len(users) > 1:
            places = ", ".join(each.path for each, _ in users)
            return f"{move.branch} is checked out in several places: {places}"
        (worktree, under_way), *_ = users
        if under_way:
            return f"{under_way} is under way in {worktree.path}"
        return self._move_with_checkout(worktree.path, move)

    def recover(self) -> None:
        """Put a checkout back that a killed process has half updated."""
        move = read_json(self._journal, BranchMove)
        if move is not None:
            now = self._git.refs(f"{HEADS}{move.branch}").get(f"{HEADS}{move.branch}", "")
            if now == move.before:
                for worktree, _ in in_use_by(self._git, move.branch):
                    put_checkout_back(self._open(worktree.path), move.before, move.after)
        unlink_all((self._journal, f"{self._journal}.new"))

    def _move_with_checkout(self, path: str, move: BranchMove) -> str:
        there = self._open(path)
        there.call("update-index", "-q", "--refresh")
        if changed := changed_tracked_files(there):
            return f"{path} has uncommitted changes: {_named(changed)}"
        if there.commit_of("HEAD") != move.before:
            raise BranchMovedError(move.branch)
        if blocking := files_in_the_way(there, move.before, move.after):
            return f"files in {path} would be overwritten: {_named(list(map(as_text, blocking)))}"
        make_folder(os.path.dirname(self._journal))
        replace_file(self._journal, msgspec.json.encode(move), durable=True)
        reply = there.call("read-tree", "-m", "-u", move.before, move.after)
        if reply.code != 0:
            self.recover()  # a full disk stops it in the middle
            return f"the files in {path} cannot be updated: {reply.says}"
        try:
            self._swap(there, move)
        except WorkspaceError:
            put_checkout_back(there, move.before, move.after)
            raise
        finally:
            os.unlink(self._journal)
        return ""

    def _swap(self, git: RepositoryGit, move: BranchMove) -> None:
        """Move the ref if it is still where it was."""
        line = f"update {HEADS}{move.branch} {move.after} {move.before}"
        try:
            git.change_refs((line,), move.why)
        except WorkspaceGitError:
            now = git.refs(f"{HEADS}{move.branch}").get(f"{HEADS}{move.branch}", "")
            if now == move.before:
                raise
            if now != move.after:
                raise BranchMovedError(move.branch) from None

    def _open(self, path: str) -> RepositoryGit:
        return open_worktree(path, self._environ, held=(self._lock,))


def _named(files: Sequence[str]) -> str:
    more = f" and {len(files) - _MAX_NAMED} more" if len(files) > _MAX_NAMED else ""
    return ", ".join(files[:_MAX_NAMED]) + more
