"""The state of a user's repository: HEAD, refs, stashes, the index, and what is under way."""

import os
from functools import lru_cache

import msgspec

from handrail.checkpoint.errors import CheckpointError, GitFailedError
from handrail.checkpoint.git.commit import EMPTY
from handrail.checkpoint.git.runner import Git, split_paths
from handrail.checkpoint.git.user_repository import (
    RepositoryDirectories,
    head_of,
    read_text,
    repository_directories,
)
from handrail.checkpoint.path_keys import path_key
from handrail.checkpoint.save.file_signature import Look, file_signature
from handrail.model.decodable import decodable

STASH = "refs/stash"
_KEPT = ("refs/heads/", "refs/tags/", "refs/notes/")
"""Refs of remotes are not the agent's; those of Handrail keep what was undone."""
_MAX_SMALL = 4096
_MAX_LIST = 50_000_000
_MAX_REFS = 50_000
_MAX_STAGED = 20_000
_SHA1 = 40
"""Digits; the private git directory knows no longer names."""
_ABSENT = "000000"
_UNMERGED = "U"
OPERATIONS = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply/rebasing": "rebase",
    "rebase-apply/applying": "am",
}
"""By the file or folder that git keeps meanwhile, what is under way."""


class StashEntry(msgspec.Struct, frozen=True):
    """One entry of the stash."""

    commit: str
    message: str


@decodable
class RepositoryState(msgspec.Struct, frozen=True, omit_defaults=True):
    """A user's repository, as one work tree sees it."""

    head: str = ""
    """`ref: refs/heads/main`, or a commit."""
    commit: str = ""
    """The commit of HEAD; empty before the first one."""
    refs: dict[str, str] = {}
    """The commit of each branch, tag and note."""
    stashes: tuple[StashEntry, ...] = ()
    """The newest first."""
    staged: dict[str, str] | None = {}
    """Where the index differs from HEAD, by the key of a path: `mode blob`, empty where it is gone,
    several with their stages where a merge stopped. None: not known."""
    under_way: tuple[str, ...] = ()
    """A merge, rebase, cherry-pick or revert that is not finished."""


RepositoryLook = tuple[Look | None, ...]
"""How the files of a repository look that change with every commit, branch, stash and `git add`."""
_OWN = ("HEAD", "index", "logs/HEAD")
_COMMON = ("packed-refs", "refs/heads", "refs/tags", "logs/refs/stash")


def repository_look(work_tree: str) -> RepositoryLook:
    """How a repository looks; a few calls of the system, for whoever must not wait."""
    where = repository_directories(work_tree)
    own = (file_signature(os.path.join(where.own, name)) for name in _OWN)
    common = (file_signature(os.path.join(where.common, name)) for name in _COMMON)
    return (*own, *common)


def read_repository(git: Git) -> RepositoryState | None:
    """Read the state; None: there is no repository, or it is kept in another way.

    `git`: the user's git (`user_git`); it is asked only about an index that has changed.
    """
    where = repository_directories(git.work_tree)
    head = read_text(os.path.join(where.own, "HEAD"), _MAX_SMALL).strip()
    if not head or os.path.isdir(os.path.join(where.common, "reftable")):
        return None
    refs = _refs(where)
    if len(refs) > _MAX_REFS:
        return None
    under_way = {
        name for file, name in OPERATIONS.items() if os.path.exists(os.path.join(where.own, file))
    }
    commit = head_of(git.work_tree)
    if len(commit) > _SHA1:
        return None
    return RepositoryState(
        head,
        commit,
        refs,
        _stashes(where),
        _staged(git, commit),
        tuple(sorted(under_way)),
    )


def _refs(where: RepositoryDirectories) -> dict[str, str]:
    """The loose refs win over the packed ones; they are read first, as git packs them."""
    loose: dict[str, str] = {}
    for start in _KEPT:
        for folder, _, names in os.walk(os.path.join(where.common, start)):
            for name in names:
                path = os.path.join(folder, name)
                commit = read_text(path, _MAX_SMALL).strip()
                if commit and not name.endswith(".lock") and not commit.startswith("ref:"):
                    loose[os.path.relpath(path, where.common)] = commit
    packed = os.path.join(where.common, "packed-refs")
    look = file_signature(packed)
    return dict(sorted({**(_packed(packed, look) if look else {}), **loose}.items()))


@lru_cache(maxsize=8)
def _packed(path: str, look: Look) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in read_text(path, _MAX_LIST).splitlines():
        commit, _, name = line.partition(" ")
        if name.startswith(_KEPT):
            found[name] = commit
    return found


def _stashes(where: RepositoryDirectories) -> tuple[StashEntry, ...]:
    """The reflog of the stash is the stash."""
    if not os.path.exists(os.path.join(where.common, STASH)):
        return ()
    lines = read_text(os.path.join(where.common, "logs", STASH), _MAX_LIST).splitlines()
    found = [_stash(line) for line in lines]
    return tuple(found[::-1])


def _stash(line: str) -> StashEntry:
    about, _, message = line.partition("\t")
    commit = about.split(" ", 2)[1]
    return StashEntry(commit, message.encode(errors="replace").decode())


_known: dict[str, tuple[Look | None, str, dict[str, str] | None]] = {}
"""By work tree: how its index looked, the commit, and what was staged."""
_MAX_KNOWN = 200


def _staged(git: Git, commit: str) -> dict[str, str] | None:
    look = file_signature(git.index)
    known = _known.get(git.work_tree)
    if known is not None and known[:2] == (look, commit):
        return known[2]
    try:
        found = read_staged(git, commit) if look else {}
    except (CheckpointError, OSError):
        found = None
    if len(_known) >= _MAX_KNOWN:
        _known.clear()
    _known[git.work_tree] = look, commit, found
    return found


def read_staged(git: Git, commit: str) -> dict[str, str] | None:
    """Where the index differs from a commit; None: in too many places."""
    options = ("--cached", "--raw", "-z", "-r", "--no-renames", "--no-abbrev", "--no-ext-diff")
    try:
        fields = git.run("diff-index", *options, commit or EMPTY).split(b"\0")
    except GitFailedError:
        if commit:
            raise
        return None
    found: dict[str, str] = {}
    for head, path in zip(fields[::2], fields[1::2], strict=False):
        _, mode, _, blob, letter = head.decode().split()
        key = path_key(os.fsdecode(path))
        found[key] = "" if mode == _ABSENT else f"{mode} {blob}"
        if letter == _UNMERGED:
            found[key] = _UNMERGED
    if _UNMERGED in found.values():
        found |= _unmerged(git)
    return found if len(found) <= _MAX_STAGED else None


def _unmerged(git: Git) -> dict[str, str]:
    """The stages of paths at which a merge stopped."""
    found: dict[str, list[str]] = {}
    for entry in split_paths(git.run("ls-files", "-u", "-z")):
        about, _, path = entry.partition("\t")
        found.setdefault(path_key(path), []).append(about)
    return {key: ", ".join(stages) for key, stages in found.items()}
