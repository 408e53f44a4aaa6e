"""Says what a rollback would lose; changes nothing."""

from collections.abc import Iterator
from datetime import datetime

import msgspec

from handrail.checkpoint.record import AgentState
from handrail.checkpoint.restore.target import RestoreItem, SparedFile
from handrail.fleet.rollback.checkpoint_data import FleetCheckpoint, agent_states
from handrail.fleet.rollback.restored_tasks import added_since, changed_tasks, done_since
from handrail.fleet.rollback.rolling_back import FleetParts, RollingBack
from handrail.fleet.rollback.saved_workspaces import SavedWorkspaces
from handrail.fleet.workspaces.repository_git import RepositoryGit, open_repository
from handrail.fleet.workspaces.workspace_loss import loss_of
from handrail.fleet.workspaces.workspace_records import Workspace
from handrail.fleet.workspaces.workspace_work import commit_lines

_MAX_COMMITS = 100


class BranchCommit(msgspec.Struct, frozen=True, rename="camel"):
    """A commit on the branch of a task that goes back."""

    branch: str
    hash: str
    subject: str


class MergeBack(msgspec.Struct, frozen=True, rename="camel"):
    """A merge made since."""

    task: str
    target: str
    commit: str
    stays: str = ""
    """Why it cannot be taken back, or ""."""


class WorkspaceMade(msgspec.Struct, frozen=True, rename="camel"):
    """A workspace made since, which goes unless a person keeps it."""

    name: str
    task: str
    path: str
    branch: str
    uncommitted: tuple[str, ...] = ()


class FleetRollbackPreview(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a rollback would change and lose."""

    name: str
    created_at: datetime
    git_commit: str
    in_progress: tuple[AgentState, ...]
    """Agents at work now: they are stopped."""
    done_since: tuple[str, ...]
    added_since: tuple[str, ...]
    """Tasks that came later: they stay, and wait for a person."""
    tasks: dict[str, tuple[str, str]]
    """Tasks whose status changes: now, and then."""
    commits: tuple[BranchCommit, ...]
    merges: tuple[MergeBack, ...]
    files: tuple[RestoreItem, ...]
    """Files of the main tree that change."""
    spared: tuple[SparedFile, ...]
    workspaces: tuple[WorkspaceMade, ...]
    remade: tuple[str, ...]
    """Workspaces of then that are gone: they are made again."""

    @property
    def is_empty(self) -> bool:
        """Return whether nothing would change."""
        lists = (self.in_progress, self.tasks, self.added_since, self.commits, self.merges)
        return not any(lists) and not (self.files or self.workspaces or self.remade)


def preview_rollback(parts: FleetParts, target: FleetCheckpoint) -> FleetRollbackPreview:
    """Preview a rollback.

    Raises FleetCheckpointError, CheckpointError or WorkspaceError if it is not possible.
    """
    rolling, saved = RollingBack(parts), SavedWorkspaces(parts.workspaces, parts.trees)
    rolling.check(target)
    now, then = parts.engine.state(), target.state_snapshot
    chain = rolling.chain(now, then)
    git = open_repository(parts.workspaces.repository, parts.environ)
    files = parts.trees.preview(target.main.path, target.main.checkpoint)
    made = saved.made_since(target)
    stays = [MergeBack(task, "", "", why) for task, why in chain.stays.items()]
    back = [MergeBack(each.task, each.target, each.commit) for each in chain.back]
    return FleetRollbackPreview(
        name=target.name,
        created_at=target.created_at,
        git_commit=target.git_commit,
        in_progress=agent_states(now),
        done_since=done_since(now, then),
        added_since=added_since(now, then.tasks),
        tasks=changed_tasks(now, then),
        commits=tuple(_commits(git, target, made)),
        merges=(*back, *stays),
        files=files.items,
        spared=files.spared,
        workspaces=tuple(_made(git, parts, each) for each in made),
        remade=tuple(each.workspace for each in saved.gone_since(target)),
    )


def _commits(
    git: RepositoryGit, target: FleetCheckpoint, made: list[Workspace]
) -> Iterator[BranchCommit]:
    """Yield the commits on the branches of tasks since the checkpoint."""
    heads = {each.branch: each.head for each in target.workspaces}
    since = heads | {each.branch: each.base for each in made}
    for branch, commit in since.items():
        if git.commit_of(branch) and git.commit_of(commit):
            for line in commit_lines(git, f"{commit}..{branch}", most=_MAX_COMMITS):
                yield BranchCommit(branch, line.hash, line.subject)


def _made(git: RepositoryGit, parts: FleetParts, workspace: Workspace) -> WorkspaceMade:
    loss = loss_of(git, workspace, parts.environ)
    return WorkspaceMade(
        workspace.name, workspace.task, workspace.path, workspace.branch, loss.files
    )
