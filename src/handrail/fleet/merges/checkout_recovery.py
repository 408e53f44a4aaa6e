"""Puts the files of a checkout back after git was killed while it updated them.

The checkout had no changes before. So each file between the two commits is as in one of them, or
git was about to write it. Every other file is a person's since, and stays.
"""

import os
from collections.abc import Iterable
from contextlib import suppress

import msgspec

from handrail.checkpoint.git.user_repository import repository_directories
from handrail.fleet.workspaces.repository_git import RepositoryGit
from handrail.fleet.workspaces.worktrees import remove_stale_lock

_LINK, _REPOSITORY, _ABSENT = "120000", "160000", "000000"


class CheckoutChange(msgspec.Struct, frozen=True):
    """One path that differs between two commits."""

    path: str
    old_mode: str
    old_blob: str
    mode: str
    blob: str

    @property
    def creates(self) -> bool:
        """Whether the path is new."""
        return self.old_mode == _ABSENT


def changes_between(git: RepositoryGit, before: str, after: str) -> list[CheckoutChange]:
    """Return the files that differ between two commits, without repositories inside."""
    raw = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", before, after, "--")
    fields = os.fsdecode(git.run(*raw)).split("\0")
    found = []
    for head, path in zip(fields[:-1:2], fields[1::2], strict=False):
        old_mode, mode, old_blob, blob, _ = head.removeprefix(":").split(" ")
        if _REPOSITORY not in (old_mode, mode):
            found.append(CheckoutChange(path, old_mode, old_blob, mode, blob))
    return found


def put_checkout_back(git: RepositoryGit, before: str, after: str) -> None:
    """Make the files and index entries that differ between two commits as before again."""
    remove_stale_lock(os.path.join(repository_directories(git.folder).own, "index.lock"))
    ours = [each for each in changes_between(git, before, after) if _is_ours(git, each)]
    for each in ours:
        if each.creates:
            _delete(git.folder, each.path)
    entries = (
        f"0 {each.blob}\t{each.path}"
        if each.creates
        else f"{each.old_mode} {each.old_blob}\t{each.path}"
        for each in ours
    )
    git.run("update-index", "-z", "--index-info", given=_joined(entries))
    wanted = (each.path for each in ours if not each.creates)
    given = _joined(path for path in wanted if not is_folder(os.path.join(git.folder, path)))
    git.run("checkout-index", "--force", "--quiet", "-u", "-z", "--stdin", given=given)


def _is_ours(git: RepositoryGit, change: CheckoutChange) -> bool:
    """Return whether a file is as in one of the commits, or as git leaves it when it is killed."""
    place = os.path.join(git.folder, change.path)
    known = (change.old_blob, change.blob)
    if not os.path.lexists(place):
        return True
    if os.path.islink(place):
        target = os.fsencode(os.readlink(place))
        name = git.run("hash-object", "--stdin", "--no-filters", given=target)
        return name.decode().strip() in known
    if not os.path.isfile(place):
        return False
    if git.text("hash-object", f"--path={change.path}", "--", place) in known:
        return True
    if change.mode in (_ABSENT, _LINK):
        return False
    with open(place, "rb") as file:
        begun = file.read()
    whole = git.run("cat-file", "--filters", f"--path={change.path}", change.blob)
    return whole.startswith(begun)


def _delete(folder: str, path: str) -> None:
    """Remove a file, and the folders above it if they become empty."""
    with suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(os.path.join(folder, path))
    above = os.path.dirname(path)
    with suppress(OSError):
        while above:
            os.rmdir(os.path.join(folder, above))
            above = os.path.dirname(above)


def _joined(lines: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(line) + b"\0" for line in lines)


def is_folder(path: str) -> bool:
    """Return whether a path is a folder, and no link to one."""
    return os.path.isdir(path) and not os.path.islink(path)
