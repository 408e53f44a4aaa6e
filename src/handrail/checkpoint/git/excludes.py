"""Ignore lists of the user beyond the .gitignore files in the work tree."""

import hashlib
import os
import re

from handrail.checkpoint.errors import GitFailedError
from handrail.checkpoint.git import nested_repositories
from handrail.checkpoint.git.runner import Git
from handrail.checkpoint.git.user_repository import read_text, repository_directories

_MAX_BYTES = 1_000_000
_SPECIAL = re.compile(r"([\\*?\[\]#! ])")


def global_excludes(git: Git) -> str:
    """The file in the user's `core.excludesFile`; empty: git's usual one."""
    asked = ("config", "--global", "--type=path", "--get", "core.excludesFile")
    try:
        path = git.with_user_settings().text(*asked)
    except GitFailedError:  # there is none
        return ""
    return path if os.path.isabs(path) else ""


def excluded_lines(work_tree: str, state: str) -> str:
    """The repository's own ignore list, and Handrail's state where it lies inside."""
    lines = _own_excludes(work_tree)
    inside = os.path.relpath(os.path.realpath(state), work_tree)
    if not inside.startswith(".."):
        lines += "\n/" + _SPECIAL.sub(r"\\\1", inside) + "/\n"
    return lines


def ignore_digest(git: Git) -> str:
    """A digest of the ignore lists outside the work tree."""
    everywhere = git.excludes or os.path.join(_settings_folder(git), "git", "ignore")
    inside = nested_repositories.excluded_lines(git)
    lists = (_own_excludes(git.work_tree), read_text(everywhere, _MAX_BYTES), inside)
    return hashlib.sha256("\0".join(lists).encode(errors="surrogateescape")).hexdigest()[:16]


def _settings_folder(git: Git) -> str:
    found = git.environ.get("XDG_CONFIG_HOME", "")
    return found or os.path.join(git.environ.get("HOME", "/"), ".config")


def _own_excludes(work_tree: str) -> str:
    return read_text(
        os.path.join(repository_directories(work_tree).common, "info", "exclude"), _MAX_BYTES
    )
