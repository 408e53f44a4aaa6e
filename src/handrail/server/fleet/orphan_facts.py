"""Look at what a lost attempt left, before its task is run again."""

from collections.abc import Mapping

import msgspec

from handrail.drive.verify import verify
from handrail.fleet.engine.engine import Claim
from handrail.fleet.engine.fleet_state import TaskState
from handrail.fleet.recovery.orphans import OrphanFacts
from handrail.fleet.workspaces.repository_git import open_repository, open_worktree
from handrail.fleet.workspaces.workspace_environment import workspace_environment
from handrail.fleet.workspaces.workspace_records import Workspace
from handrail.fleet.workspaces.workspace_work import workspace_status
from handrail.fleet.workspaces.workspaces import Workspaces
from handrail.hosts import HOSTS, find_host
from handrail.hosts.driven_agent import MARK

COMPLETE = "COMPLETE"
"""The end of a loop whose agent is done."""


def orphan_facts(claim: Claim, workspaces: Workspaces, environ: Mapping[str, str]) -> OrphanFacts:
    """Look at the workspace and the session of a task; raises WorkspaceError."""
    state = claim.state
    workspace = workspaces.reuse(state.task.id)
    if workspace is None:
        return OrphanFacts(has_workspace=False)
    now = workspace_status(workspace, environ)
    is_broken_off = bool(state.open_run)
    return OrphanFacts(
        has_work=bool(now.uncommitted or now.commits),
        lacks=_missing(workspace, claim.needs, environ),
        is_broken_off=is_broken_off,
        said_done=is_broken_off and _said_done(state),
        is_merged=bool(now.commits) and not now.uncommitted and _is_merged(workspaces, workspace),
        has_session=is_broken_off and _has_session(state, environ),
    )


async def with_verification(
    facts: OrphanFacts, state: TaskState, workspace: Workspace, slot: int
) -> OrphanFacts:
    """Run the verify command if a success would close the task."""
    command = state.task.verify
    if not (command and facts.is_broken_off and (facts.said_done or facts.is_merged)):
        return facts
    # With the mark of the run, so that whoever comes after this process can end the command.
    variables = {**workspace_environment(slot, workspace), MARK: state.open_run}
    checked = await verify(command, workspace.path, environ=variables)
    return msgspec.structs.replace(facts, passes=checked.ok)


def _missing(
    workspace: Workspace, needs: tuple[str, ...], environ: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the commits that a workspace should hold by now."""
    if not workspace.is_set_up:
        return ()  # they are still to be merged into it
    git = open_worktree(workspace.path, environ)
    known = (commit for commit in needs if git.commit_of(commit))
    return tuple(commit for commit in known if not git.is_ancestor(commit, "HEAD"))


def _said_done(state: TaskState) -> bool:
    """Return whether the last words of its last driver were that the agent is done."""
    told = [entry for entry in state.audit if entry.kind == "iteration"]
    return bool(told) and told[-1].end == COMPLETE and told[-1].run == state.open_run


def _is_merged(workspaces: Workspaces, workspace: Workspace) -> bool:
    git = open_repository(workspaces.repository, workspaces.environ)
    return git.is_ancestor(f"refs/heads/{workspace.branch}", "HEAD")


def _has_session(state: TaskState, environ: Mapping[str, str]) -> bool:
    host = find_host(state.task.host or next(iter(HOSTS)))
    return host.has_conversation(environ, state.open_run)
