"""What the user has git leave alone, beyond the .gitignore files in the work tree."""

import os
import re

from handrail.checkpoint.errors import GitError, GitTooSlowError
from handrail.checkpoint.git import Git

_SPECIAL = re.compile(r"([\\*?\[\]#! ])")


def global_excludes(git: Git) -> str:
    """The file that `core.excludesFile` of the user names; empty: git's usual one."""
    asked = ("config", "--global", "--type=path", "--get", "core.excludesFile")
    try:
        path = git.of_user().text(*asked)
    except GitTooSlowError:
        raise
    except GitError:  # there is none
        return ""
    return path if os.path.isabs(path) else ""


def excluded_lines(work_tree: str, state: str) -> str:
    """The lines of the repository's own list, and Handrail's state where it lies inside."""
    lines = _own_excludes(work_tree)
    inside = os.path.relpath(os.path.realpath(state), work_tree)
    if not inside.startswith(".."):
        lines += "\n/" + _SPECIAL.sub(r"\\\1", inside) + "/\n"
    return lines


def _own_excludes(work_tree: str) -> str:
    # Read by hand: git would first read settings that an agent can write.
    directory = os.path.join(work_tree, ".git")
    try:
        if os.path.isfile(directory):  # a linked work tree, or a submodule
            directory = _pointed_to(directory, "gitdir: ", work_tree)
            if os.path.exists(common := os.path.join(directory, "commondir")):
                directory = _pointed_to(common, "", directory)
        with open(os.path.join(directory, "info", "exclude"), "rb") as file:
            return os.fsdecode(file.read())
    except OSError:
        return ""


def _pointed_to(file: str, mark: str, base: str) -> str:
    with open(file, "rb") as opened:
        text = os.fsdecode(opened.read(4096)).strip()
    return os.path.join(base, text.removeprefix(mark))
