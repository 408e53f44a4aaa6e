"""The repository that a fleet works on, and its name."""

import hashlib
import os
import re

import msgspec

from handrail.checkpoint.git.user_repository import repository_directories
from handrail.config.sources import find_work_tree
from handrail.fleet.engine.engine import FleetError

_ODD = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 40


class NoFleetError(FleetError):
    """A fleet needs git: every task has a worktree and a branch of its own."""

    def __init__(self, folder: str) -> None:
        super().__init__(f"{folder} is not in a git repository; run `git init` there first")


class FleetRepository(msgspec.Struct, frozen=True):
    """A repository; all its worktrees belong to the same fleet."""

    fleet: str
    """The name of the fleet, unique among all of this user's."""
    top: str
    """The main work tree."""


def find_repository(folder: str) -> FleetRepository:
    """Return the repository around a folder, or that of the worktree there."""
    work_tree = find_work_tree(folder)
    if not work_tree:
        raise NoFleetError(folder)
    common = os.path.realpath(repository_directories(work_tree).common)
    top = os.path.dirname(common) if os.path.basename(common) == ".git" else work_tree
    name = _ODD.sub("-", os.path.basename(top))[:_LONGEST_NAME].strip("-") or "fleet"
    key = hashlib.sha256(os.fsencode(common)).hexdigest()[:8]
    return FleetRepository(f"{name}-{key}", os.path.realpath(top))
