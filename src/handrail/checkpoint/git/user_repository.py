"""Reads the user's repository by hand: git would run programs from its settings."""

import os
import re
import stat
from collections.abc import Iterator
from typing import NamedTuple

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_MAX_SMALL = 4096
_MAX_LIST = 50_000_000
_MAX_POINTERS = 5


class RepositoryDirectories(NamedTuple):
    """Where a repository is: a linked work tree has a part of its own."""

    own: str
    common: str


def repository_directories(work_tree: str) -> RepositoryDirectories:
    """The git directory of a work tree, and the one that it shares with others."""
    own = os.path.join(work_tree, ".git")
    if os.path.isfile(own):  # a linked work tree, or a submodule
        own = _pointed_to(own, "gitdir: ", work_tree)
    common = os.path.join(own, "commondir")
    return RepositoryDirectories(
        own, _pointed_to(common, "", own) if os.path.isfile(common) else own
    )


def read_text(path: str, most: int) -> str:
    """The start of a file; empty where there is none. Waits for no pipe."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    with open(opened, "rb") as file:
        try:
            is_file = stat.S_ISREG(os.fstat(opened).st_mode)
            return os.fsdecode(file.read(most)) if is_file else ""
        except OSError:
            return ""


def head_of(work_tree: str) -> str:
    """The commit that a work tree is at; empty where there is none."""
    where = repository_directories(work_tree)
    says = read_text(os.path.join(where.own, "HEAD"), _MAX_SMALL).strip()
    for _ in range(_MAX_POINTERS):
        if not says.startswith("ref: "):
            break
        says = _read_ref(where, says.removeprefix("ref: ").strip())
    return says if _COMMIT.fullmatch(says) else ""


def _read_ref(where: RepositoryDirectories, name: str) -> str:
    if not name.startswith("refs/") or ".." in name:
        return ""
    for directory in dict.fromkeys(where):
        if says := read_text(os.path.join(directory, name), _MAX_SMALL).strip():
            return says
    return next(_packed(where.common, name), "")


def _packed(directory: str, name: str) -> Iterator[str]:
    for line in read_text(os.path.join(directory, "packed-refs"), _MAX_LIST).splitlines():
        commit, _, packed = line.partition(" ")
        if packed == name:
            yield commit


def _pointed_to(file: str, mark: str, base: str) -> str:
    text, _, _ = read_text(file, _MAX_SMALL).partition("\0")  # no path goes on behind it
    return os.path.join(base, text.strip().removeprefix(mark))
