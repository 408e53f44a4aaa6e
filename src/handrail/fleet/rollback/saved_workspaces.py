"""Takes the workspaces of a fleet back to a checkpoint: branch, index and files."""

import os
from collections.abc import Callable, Collection

import msgspec

from handrail.checkpoint import CheckpointError
from handrail.fleet.engine.events import TaskWorkspace
from handrail.fleet.rollback.checkpoint_data import FleetCheckpoint, SavedTree
from handrail.fleet.rollback.tree_files import TreeFiles
from handrail.fleet.workspaces.repository_git import open_worktree
from handrail.fleet.workspaces.workspace_errors import WorkspaceError
from handrail.fleet.workspaces.workspace_records import Workspace, WorkspaceState
from handrail.fleet.workspaces.workspace_work import remove_stale_locks
from handrail.fleet.workspaces.workspaces import Workspaces

_HEADS = "refs/heads/"


class WorkspacesRestored(msgspec.Struct):
    """What became of the workspaces."""

    restored: list[str] = []
    remade: list[str] = []
    removed: list[str] = []
    kept: list[str] = []
    problems: list[str] = []


class SavedWorkspaces:
    """Restores the workspaces of one checkpoint; each step may be done twice."""

    def __init__(self, workspaces: Workspaces, trees: TreeFiles) -> None:
        self._workspaces = workspaces
        self._trees = trees

    def made_since(self, checkpoint: FleetCheckpoint) -> list[Workspace]:
        """Return the workspaces that the checkpoint does not know."""
        known = {each.workspace for each in checkpoint.workspaces} | set(checkpoint.unsaved)
        return [each for each in self._workspaces.all() if each.name not in known]

    def gone_since(self, checkpoint: FleetCheckpoint) -> list[SavedTree]:
        """Return the workspaces of the checkpoint that cannot be used any more."""
        return [each for each in checkpoint.workspaces if self._there(each) is None]

    def restore(
        self, checkpoint: FleetCheckpoint, saved_now: Collection[str], *, keep: bool
    ) -> WorkspacesRestored:
        """Take all workspaces back; `saved_now`: those that a redo could bring back."""
        done = WorkspacesRestored()
        for each in self.made_since(checkpoint):
            if keep or each.name not in saved_now:
                done.kept.append(each.name)
            else:
                self._try(done, each.name, lambda each=each: self._remove(each, done))  # type: ignore[misc]
        for tree in checkpoint.workspaces:
            self._try(done, tree.workspace, lambda tree=tree: self._restore(tree, done))  # type: ignore[misc]
        return done

    def by_task(self) -> dict[str, TaskWorkspace]:
        """Return the workspace of each task that has one."""
        return {
            each.task: TaskWorkspace(each.path, each.branch, each.base)
            for each in sorted(self._workspaces.all(), key=lambda each: each.attempt)
            if each.state is WorkspaceState.READY
        }

    def _try(self, done: WorkspacesRestored, name: str, step: Callable[[], None]) -> None:
        try:
            step()
        except (WorkspaceError, CheckpointError, OSError) as error:
            done.problems.append(f"the workspace {name}: {error}")

    def _remove(self, workspace: Workspace, done: WorkspacesRestored) -> None:
        self._workspaces.remove(workspace, lose=True)
        done.removed.append(workspace.name)

    def _there(self, tree: SavedTree) -> Workspace | None:
        found = self._workspaces.records.get(tree.workspace)
        if found is None or found.state is not WorkspaceState.READY:
            return None
        return None if self._workspaces.fault_of(found) else found

    def _restore(self, tree: SavedTree, done: WorkspacesRestored) -> None:
        there = self._there(tree)
        if there is None:
            there = self._make_again(tree)
            done.remade.append(there.name)
        else:
            self._move_branch(there, tree)
            done.restored.append(there.name)
        if there.path != tree.path:
            done.problems.append(
                f"the workspace {tree.workspace} is at {there.path} now, "
                "without its uncommitted files"
            )
            return
        back = self._trees.restore(tree.path, tree.checkpoint, over=True)
        if back.problem:
            done.problems.append(f"the workspace {tree.workspace}: {back.problem}")

    def _make_again(self, tree: SavedTree) -> Workspace:
        old = self._workspaces.records.get(tree.workspace)
        if old is not None:
            self._workspaces.remove(old, lose=True)
        return self._workspaces.create(tree.task, tree.attempt, base=tree.head)

    def _move_branch(self, workspace: Workspace, tree: SavedTree) -> None:
        """Put branch and index where they were; the files follow."""
        git = open_worktree(workspace.path, self._workspaces.environ)
        on = os.fsdecode(git.call("symbolic-ref", "--quiet", "HEAD").out).strip()
        if on == f"{_HEADS}{tree.branch}" and git.commit_of("HEAD") == tree.head:
            return
        remove_stale_locks(workspace)
        git.run("symbolic-ref", "HEAD", f"{_HEADS}{tree.branch}")
        git.run("reset", "--quiet", "--mixed", tree.head)
