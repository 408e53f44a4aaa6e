"""A cheap mark of the work in a workspace: another mark, another work."""

import os
from typing import NamedTuple

from handrail.fleet.workspaces.workspace_records import Workspace
from handrail.fleet.workspaces.workspace_work import WorkspaceStatus


class WorkspaceMark(NamedTuple):
    """The last commit, and the uncommitted files with their sizes and times."""

    commit: str
    files: frozenset[tuple[str, int, int]]


def mark_of(workspace: Workspace, now: WorkspaceStatus) -> WorkspaceMark:
    """Mark the work in a workspace; `now`: its status."""
    files = frozenset(_mark(workspace.path, file) for file in now.uncommitted)
    return WorkspaceMark(now.last.hash if now.last else "", files)


def _mark(folder: str, file: str) -> tuple[str, int, int]:
    try:
        found = os.lstat(os.path.join(folder, file))
    except OSError:  # deleted, or with a name that is no text
        return file, -1, 0
    return file, found.st_size, found.st_mtime_ns
