"""What is in the workspace of a task now."""

from collections.abc import Mapping

from handrail.fleet.workspaces.workspace_errors import WorkspaceError
from handrail.fleet.workspaces.workspace_work import WorkspaceStatus, workspace_status
from handrail.fleet.workspaces.workspaces import Workspaces


def work_of_task(
    workspaces: Workspaces, task: str, environ: Mapping[str, str]
) -> WorkspaceStatus | None:
    """Return the work in a task's workspace; None: there is none, or git cannot read it."""
    try:
        workspace = workspaces.reuse(task)
        return workspace_status(workspace, environ) if workspace else None
    except WorkspaceError:
        return None


def has_changes(work: WorkspaceStatus | None) -> bool | None:
    """Return whether a workspace has uncommitted changes; None: nobody knows."""
    return None if work is None else bool(work.uncommitted)
