"""The environment variables that keep the processes of workspaces apart."""

from handrail.fleet.workspaces.workspace_records import Workspace

FIRST_PORT = 21_000
"""Below the ephemeral range of Linux and macOS, and away from what development servers use."""
PORTS_PER_SLOT = 100
MERGE_SLOT = -1
"""The slot of the scratch worktree in which a merge is verified."""


def workspace_environment(slot: int, workspace: Workspace) -> dict[str, str]:
    """Return the variables for every process in a workspace: setup, agent and verify command.

    None of them begins with `HANDRAIL_`. Such variables are settings of Handrail, they reach a
    daemon that a command starts, and the reviewer stops an agent that uses them. Caches of package
    managers stay shared: they can stand it, and filling them anew takes long.
    """
    port = str(FIRST_PORT + PORTS_PER_SLOT * slot)
    return {
        "FLEET_TASK": workspace.task,
        "FLEET_WORKSPACE": workspace.path,
        "FLEET_SLOT": str(slot),
        "FLEET_PORT": port,
        "PORT": port,  # the variable that most web servers look for
        "TMPDIR": workspace.temporary,
    }
