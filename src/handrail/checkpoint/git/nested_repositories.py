"""Repositories inside of a work tree: their files are files like all others."""

import os
import re
from collections.abc import Sequence
from contextlib import suppress

from handrail.checkpoint.files import replace_file
from handrail.checkpoint.git import index_file
from handrail.checkpoint.git.index_file import GitIndex, UnreadableIndexError
from handrail.checkpoint.git.runner import Git, join_paths, split_paths
from handrail.checkpoint.git.user_repository import read_text, repository_directories

_PROBE = ".handrail-probe"
"""An index entry with this name makes git look into the repository around it."""
_SPECIAL = re.compile(r"([\\*?\[\]])")
_MAX_BYTES = 1_000_000


def files_of(git: Git, folder: str, options: Sequence[str] = ()) -> list[str]:
    """The files of a repository inside the work tree, as paths from the top.

    Tracked and not ignored files, also of repositories further inside. `options`: more options of
    `git ls-files`.
    """
    folder = folder.rstrip("/") + "/"
    if folder not in (known := _remembered(git)):
        replace_file(_place(git), join_paths([*known, folder]))
    found = dict.fromkeys(_tracked(git, folder))
    for path in _listed(git, folder, options):
        if not path.endswith("/"):
            found[path] = None
        elif path != folder:
            found.update(dict.fromkeys(files_of(git, path, options)))
    return list(found)


def excluded_lines(git: Git) -> str:
    """The ignore lists of all repositories inside, as lines for the top."""
    return "".join(_own_lines(git, folder) for folder in _remembered(git))


def _listed(git: Git, folder: str, options: Sequence[str]) -> list[str]:
    probe = f"{git.index}.probe"
    lines = f"{git.index}.lines"
    index_file.write(probe, GitIndex([], [], [os.fsencode(folder + _PROBE)], b"", 0))
    with open(lines, "wb") as file:
        file.write(os.fsencode(_own_lines(git, folder)))
    try:
        return git.with_index(probe).paths(
            *("--literal-pathspecs", "ls-files", "-o", "-z", "--exclude-standard", "-X", lines),
            *(*options, "--", folder),
        )
    finally:
        os.unlink(probe)
        os.unlink(lines)


def _tracked(git: Git, folder: str) -> list[str]:
    """Files that its own index holds: it may hold ignored ones."""
    inside = os.path.join(git.work_tree, folder)
    try:
        index = index_file.read(os.path.join(repository_directories(inside).own, "index"))
    except (OSError, UnreadableIndexError):
        return []
    paths = (folder + os.fsdecode(name) for name in (*index.names, *index.unsure))
    return [path for path in paths if os.path.lexists(os.path.join(git.work_tree, path))]


def _own_lines(git: Git, folder: str) -> str:
    if "\n" in folder:  # cannot be said in a line
        return ""
    where = repository_directories(os.path.join(git.work_tree, folder))
    lines = read_text(os.path.join(where.common, "info", "exclude"), _MAX_BYTES).split("\n")
    return "".join(_from_top(line, folder) for line in lines)


def _from_top(line: str, folder: str) -> str:
    """A line of a list for a folder, as a line of a list for the whole work tree."""
    sign = "!" if line.startswith("!") else ""
    pattern = line.removeprefix("!")
    if line.startswith("#") or not pattern.strip(" /\r\t"):
        return ""
    depth = "" if "/" in pattern.rstrip().rstrip("/") else "**/"
    top = _SPECIAL.sub(r"\\\1", folder)
    return f"{sign}/{top}{depth}{pattern.removeprefix('/')}\n"


def _remembered(git: Git) -> list[str]:
    with suppress(OSError), open(_place(git), "rb") as file:
        return split_paths(file.read())
    return []


def _place(git: Git) -> str:
    return f"{git.index}.nested"
