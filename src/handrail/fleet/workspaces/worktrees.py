"""The worktrees of a repository: a person's, and those that carry Handrail's mark."""

import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import msgspec

from handrail.checkpoint.git.user_repository import read_text, repository_directories
from handrail.fleet.workspaces.repository_git import RepositoryGit

MARK = "Handrail works here"
"""The start of the reason for which Handrail locks its worktrees: `git worktree list` shows it,
and git writes it before anything else of a new worktree."""
_HEADS = "refs/heads/"
_MAX_SMALL = 4096
_STALE_LOCK = 5.0
"""Seconds after which a lock file of git has no owner any more: git holds one for moments."""
_POLL = 0.05
_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}
"""Files in the git directory of a worktree while something is unfinished there."""
_ITS_BRANCH = ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START")
"""Files that name a branch in use although HEAD does not."""


class LinkedWorktree(msgspec.Struct, frozen=True):
    """One line of `git worktree list`."""

    path: str
    head: str = ""
    """Its commit."""
    branch: str = ""
    """The short name of its branch; empty: none is checked out."""
    is_bare: bool = False
    reason: str = ""
    """Why it is locked."""

    @property
    def is_ours(self) -> bool:
        """Return whether Handrail has made it."""
        return self.reason.startswith(MARK)


def list_worktrees(git: RepositoryGit) -> list[LinkedWorktree]:
    """Return all worktrees of a repository, the main one first."""
    return read_worktrees(git.run("worktree", "list", "--porcelain", "-z"))


def read_worktrees(listed: bytes) -> list[LinkedWorktree]:
    """Read the output of `git worktree list --porcelain -z`."""
    found = []
    for block in os.fsdecode(listed).split("\0\0"):
        fields = {
            name: value for name, _, value in (line.partition(" ") for line in block.split("\0"))
        }
        if "worktree" in fields:
            found.append(
                LinkedWorktree(
                    fields["worktree"],
                    fields.get("HEAD", ""),
                    fields.get("branch", "").removeprefix(_HEADS),
                    "bare" in fields,
                    fields.get("locked", ""),
                )
            )
    return found


def add_worktree(git: RepositoryGit, path: str, what: str, purpose: str, *options: str) -> None:
    """Make a worktree with Handrail's mark; raises WorkspaceGitError.

    `what`: a branch or commit; `purpose`: for people who look at the list of worktrees.
    """
    reason = f"{MARK} ({purpose})"
    git.run("worktree", "add", "-q", *options, "--lock", "--reason", reason, path, what)


def delete_worktree(git: RepositoryGit, path: str) -> None:
    """Remove a worktree with all its files, however much of it is there."""
    remove_folder(path)
    if any(os.path.realpath(each.path) == os.path.realpath(path) for each in list_worktrees(git)):
        git.run("worktree", "remove", "--force", "--force", path)


def delete_stubs(git: RepositoryGit, purpose: str) -> None:
    """Remove what a killed `git worktree add` left if it did not write where the worktree is."""
    folder = os.path.join(git.common, "worktrees")
    for name in _names(folder):
        own = os.path.join(folder, name)
        reason = read_text(os.path.join(own, "locked"), _MAX_SMALL).strip()
        if reason == f"{MARK} ({purpose})" and not os.path.exists(os.path.join(own, "gitdir")):
            remove_folder(own)


def in_use_by(git: RepositoryGit, branch: str) -> Iterator[tuple[LinkedWorktree, str]]:
    """Find the worktrees that use a branch, each with what is unfinished there, or ""."""
    for each in list_worktrees(git):
        if each.is_bare or not os.path.isdir(each.path):
            continue
        own = repository_directories(each.path).own
        named = [_named(os.path.join(own, file)) for file in _ITS_BRANCH]
        if branch == each.branch or branch in named:
            under_way = (
                what for file, what in _UNDER_WAY.items() if os.path.exists(os.path.join(own, file))
            )
            yield each, next(under_way, "" if branch == each.branch else "a bisection")


def _named(file: str) -> str:
    return read_text(file, _MAX_SMALL).strip().removeprefix(_HEADS)


def remove_stale_lock(path: str) -> None:
    """Wait for a lock file of git; remove that of a git that was killed."""
    until = time.monotonic() + _STALE_LOCK
    with suppress(FileNotFoundError):
        while time.time() - os.stat(path).st_mtime < _STALE_LOCK and time.monotonic() < until:
            time.sleep(_POLL)
        os.unlink(path)


def remove_folder(path: str) -> None:
    """Remove a folder with all its files, also those in folders without the right to write."""
    if os.path.islink(path):
        os.unlink(path)
    elif os.path.isdir(path):
        shutil.rmtree(path, onerror=_allow_and_repeat)


def _allow_and_repeat(remove: Callable[[str], object], path: str, _: object) -> None:
    with suppress(FileNotFoundError):
        for each in (os.path.dirname(path), path):
            if os.path.isdir(each) and not os.path.islink(each):
                os.chmod(each, stat.S_IRWXU)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)


def _names(folder: str) -> list[str]:
    with suppress(FileNotFoundError, NotADirectoryError):
        return sorted(os.listdir(folder))
    return []
