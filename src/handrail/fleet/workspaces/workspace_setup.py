"""Runs the setup commands of a workspace, such as `npm ci`."""

import asyncio
import secrets
from collections.abc import Mapping, Sequence

from handrail.drive.verify import Verification, verify
from handrail.fleet.workspaces.workspace_errors import WorkspaceSetupError
from handrail.fleet.workspaces.workspace_records import Workspace
from handrail.fleet.workspaces.workspaces import Workspaces
from handrail.intervene.processes.process_tree import ProcessFamily, end_processes
from handrail.store.private_files import make_folder

SETUP_SECONDS = 900.0
"""For each command: packages may come over a slow network."""
_END_SECONDS = 5.0


async def set_up_workspace(
    workspaces: Workspaces,
    workspace: Workspace,
    commands: Sequence[str],
    environment: Mapping[str, str],
    *,
    seconds: float = SETUP_SECONDS,
) -> Workspace:
    """Run the setup commands unless they have succeeded before; raises WorkspaceSetupError.

    `environment`: of `workspace_environment`. A workspace in which one fails is kept.
    """
    if workspace.is_set_up:
        return workspace
    await asyncio.to_thread(make_folder, workspace.temporary)
    failed = await run_setup(commands, workspace.path, environment, seconds=seconds)
    if failed:
        command, result = failed
        raise WorkspaceSetupError(command, result.how, result.says, workspace.path)
    return await asyncio.to_thread(workspaces.mark_set_up, workspace)


async def run_setup(
    commands: Sequence[str],
    path: str,
    environment: Mapping[str, str],
    *,
    seconds: float = SETUP_SECONDS,
) -> tuple[str, Verification] | None:
    """Run commands one after the other; return the first that fails, with its outcome."""
    # Not by FLEET_WORKSPACE: a driver that runs this may carry that itself.
    mark = {"FLEET_SETUP": secrets.token_hex(8)}
    for command in commands:
        try:
            variables = {**environment, **mark}
            result = await verify(command, path, seconds=seconds, environ=variables)
        finally:
            family = ProcessFamily(mark)
            await asyncio.to_thread(end_processes, family, seconds=_END_SECONDS)
        if not result.ok:
            return command, result
    return None
