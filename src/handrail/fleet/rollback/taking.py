"""Takes checkpoints of a fleet: every tree by the checkpoint room, every branch by a ref."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from handrail.checkpoint import CheckpointError, CheckpointInfo, CheckpointTrigger
from handrail.fleet.engine.backups import write_backup
from handrail.fleet.engine.fleet_state import FleetState, TaskMerge
from handrail.fleet.rollback.checkpoint_data import (
    FleetCheckpoint,
    SavedTree,
    agent_states,
    checkpoint_name,
    ref_of,
)
from handrail.fleet.rollback.checkpoint_files import FleetCheckpointFiles
from handrail.fleet.rollback.errors import CommitMissingError
from handrail.fleet.rollback.tree_files import TreeFiles
from handrail.fleet.workspaces.repository_git import RepositoryGit, open_repository, open_worktree
from handrail.fleet.workspaces.workspace_errors import WorkspaceError
from handrail.fleet.workspaces.workspace_records import Workspace, WorkspaceState
from handrail.fleet.workspaces.workspaces import Workspaces

KEPT_AUTOMATIC = 10
"""Checkpoints that nobody asked for; the oldest go first."""
_WHO = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Handrail"), ("EMAIL", "handrail@localhost"))
}


class CheckpointTaker:
    """Takes the checkpoints of one fleet. Agents work on meanwhile."""

    def __init__(
        self,
        workspaces: Workspaces,
        trees: TreeFiles,
        files: FleetCheckpointFiles,
        backups: str,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        """`backups`: the folder for backups of the state."""
        self._workspaces = workspaces
        self._trees = trees
        self._files = files
        self._backups = backups
        self._environ = environ

    def take(
        self,
        state: FleetState,
        label: str,
        moment: CheckpointTrigger,
        at: float,
        *,
        name: str = "",
        spare: str = "",
    ) -> FleetCheckpoint:
        """Save everything under a label, or a whole name.

        `spare`: an older checkpoint that is needed now, whatever its age.
        Raises CheckpointError or WorkspaceError if the main tree cannot be saved.
        """
        name = name or checkpoint_name(label, at, self._files.names())
        cases = {task: each.status.value for task, each in state.tasks.items()}
        about = CheckpointInfo(
            moment, name=name, case_states=cases, agent_states=agent_states(state)
        )
        top = self._workspaces.repository
        git = open_repository(top, self._environ)
        head = git.commit_of("HEAD")
        trees = [SavedTree(path=top, checkpoint=self._trees.save(top, about), head=head)]
        unsaved: dict[str, str] = {}
        for each in self._workspaces.all():
            try:
                trees += self._saved(each, about)
            except (CheckpointError, WorkspaceError, OSError) as error:
                unsaved[each.name] = str(error)
        taken = FleetCheckpoint(
            name=name,
            label=label,
            created_at=datetime.fromtimestamp(at, UTC),
            git_commit=head,
            case_states=cases,
            state_snapshot=state,
            agent_states=about.agent_states,
            moment=moment,
            trees=tuple(trees),
            unsaved=unsaved,
            ref=_keep_commits(git, name, [*(each.head for each in trees), *_commits_of(state)]),
        )
        self._files.write(taken)
        write_backup(self._backups, state)
        self._tidy(git, spare)
        return taken

    def check(self, checkpoint: FleetCheckpoint) -> None:
        """Raise CommitMissingError if the repository has lost a commit."""
        git = open_repository(self._workspaces.repository, self._environ)
        heads = dict.fromkeys(each.head for each in checkpoint.trees if each.head)
        if missing := [each for each in heads if not git.commit_of(each)]:
            raise CommitMissingError(checkpoint.name, missing)

    def _saved(self, workspace: Workspace, about: CheckpointInfo) -> list[SavedTree]:
        if workspace.state is not WorkspaceState.READY or self._workspaces.fault_of(workspace):
            return []
        head = open_worktree(workspace.path, self._environ).commit_of("HEAD")
        return [
            SavedTree(
                path=workspace.path,
                checkpoint=self._trees.save(workspace.path, about),
                head=head,
                workspace=workspace.name,
                task=workspace.task,
                attempt=workspace.attempt,
                branch=workspace.branch,
            )
        ]

    def _tidy(self, git: RepositoryGit, spare: str) -> None:
        """Let the oldest checkpoints go that nobody asked for."""
        automatic = [each for each in self._files.newest_first() if each.is_automatic]
        for old in automatic[KEPT_AUTOMATIC:]:
            if old.name == spare:
                continue
            for tree in old.trees:
                with suppress(CheckpointError):  # its files are gone already
                    self._trees.release(tree.path, tree.checkpoint)
            git.change_refs((f"delete {old.ref}",), f"handrail: tidy {old.name}")
            self._files.forget(old.name)


def _keep_commits(git: RepositoryGit, name: str, commits: Sequence[str]) -> str:
    """Make a ref whose commit reaches all of these, so that git keeps them; return the ref."""
    git.set_variables(_WHO)
    known = dict.fromkeys(each for each in commits if each and git.commit_of(each))
    tree = os.fsdecode(git.run("mktree")).strip()
    parents = [word for each in known for word in ("-p", each)]
    made = git.text("commit-tree", tree, *parents, "-m", f"handrail: checkpoint {name}")
    ref = ref_of(name)
    git.change_refs((f"update {ref} {made}",), f"handrail: checkpoint {name}")
    return ref


def _commits_of(state: FleetState) -> Iterable[str]:
    """Yield the commits that results and merges of tasks name."""
    for task in state.tasks.values():
        if task.result is not None:
            yield task.result.commit
        merge: TaskMerge | None = task.merge
        if merge is not None:
            yield from (merge.commit, merge.before)
