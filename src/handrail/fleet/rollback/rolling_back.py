"""Takes a fleet back to a checkpoint, step by step; each step may be done twice.

Nothing is lost on the way: the first step saves everything as it is now. From then on a rollback
only goes forward. The daemon that finds one that was killed goes on with it.
"""

import os
from collections.abc import Callable, Mapping
from time import time

import msgspec

from handrail.checkpoint import CheckpointError, CheckpointTrigger
from handrail.checkpoint.errors import DamagedCheckpointError, NoSuchCheckpointError
from handrail.fleet.engine.engine import FleetEngine, StaleAttemptError, Ticket
from handrail.fleet.engine.events import FleetRolledBack, Lease
from handrail.fleet.engine.fleet_state import FleetState
from handrail.fleet.merges.merging import Merging
from handrail.fleet.merges.target_branch import HEADS
from handrail.fleet.rollback.checkpoint_data import BEFORE_ROLLBACK, FleetCheckpoint
from handrail.fleet.rollback.checkpoint_files import FleetCheckpointFiles
from handrail.fleet.rollback.errors import (
    CheckpointDamagedError,
    CheckpointNotFoundError,
    FleetCheckpointError,
    RollbackBusyError,
)
from handrail.fleet.rollback.journal import LastRollback, RollbackJournal, RollbackOrder
from handrail.fleet.rollback.merges_since import (
    MergeChain,
    merge_chain,
    merges_since,
    merges_undone,
    take_back,
)
from handrail.fleet.rollback.restored_tasks import restored_tasks
from handrail.fleet.rollback.saved_workspaces import SavedWorkspaces, WorkspacesRestored
from handrail.fleet.rollback.taking import CheckpointTaker
from handrail.fleet.rollback.tree_files import TreeFiles, TreeRestored
from handrail.fleet.slot_work_port import ProcessesLeftError
from handrail.fleet.workspaces.repository_git import open_repository
from handrail.fleet.workspaces.workspace_errors import WorkspaceError
from handrail.fleet.workspaces.workspaces import Workspaces

_ROUNDS = 20


class AgentsLeftError(FleetCheckpointError):
    """An agent could not be stopped, so no file may be restored."""

    code = "AGENTS_LEFT"

    def __init__(self, task: str, why: str) -> None:
        super().__init__(f"the agent of {task} could not be stopped: {why}; no file was changed")


class FleetParts(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a rollback touches."""

    engine: FleetEngine
    workspaces: Workspaces
    merging: Merging
    trees: TreeFiles
    files: FleetCheckpointFiles
    taker: CheckpointTaker
    journal: RollbackJournal
    end_attempt: Callable[[Lease, str], str]
    """Ends the processes of an attempt, verified. Raises ProcessesLeftError."""
    environ: Mapping[str, str]
    clock: Callable[[], float] = time


class RollbackResult(msgspec.Struct, kw_only=True, rename="camel"):
    """What a rollback did."""

    name: str
    before: str
    """The checkpoint of everything before: `handrail redo` goes back to it."""
    stopped: list[str] = []
    """The tasks whose agents were stopped."""
    merges_stay: dict[str, str] = {}
    """Merges that could not be taken back, by task, and why; these tasks stay as they are."""
    merges_missing: dict[str, str] = {}
    """Merges that could not be made again."""
    files: list[str] = []
    """The files of the main tree that changed."""
    spared: list[str] = []
    workspaces: WorkspacesRestored = msgspec.field(default_factory=WorkspacesRestored)
    tasks: dict[str, str] = {}
    """The status of every task now."""
    problems: list[str] = []


class RollingBack:
    """Carries out the rollbacks of one fleet. The caller lets nobody claim a task meanwhile."""

    def __init__(self, parts: FleetParts) -> None:
        self._parts = parts
        self._saved = SavedWorkspaces(parts.workspaces, parts.trees)

    def begin(self, order: RollbackOrder) -> RollbackResult:
        """Roll back; raises FleetCheckpointError, and has then changed no file."""
        under_way = self._parts.journal.read()
        if under_way is not None:
            raise RollbackBusyError(under_way.target)
        self.check(self._parts.files.find(order.target))
        self._parts.journal.begin(order)
        return self.go_on(order)

    def go_on(self, order: RollbackOrder) -> RollbackResult:
        """Finish a rollback, from whatever step it had come to."""
        parts = self._parts
        try:
            target = parts.files.find(order.target)
            stopped = self._stop_agents(order)
            before = self._save_now(order, target.name)
        except (FleetCheckpointError, CheckpointError, WorkspaceError, OSError):
            parts.journal.abort()  # no file has changed yet
            raise
        result = RollbackResult(name=target.name, before=before.name, stopped=stopped)
        undo = self._restore(order, target, before, result)
        self._record(order, target, before.state_snapshot, result)
        last = LastRollback(
            target=target.name,
            before=before.name,
            at=parts.clock(),
            main_undo=undo,
            redone=order.redo,
        )
        parts.journal.end(last)
        state = parts.engine.state()
        result.tasks = {name: each.status.value for name, each in state.tasks.items()}
        return result

    def check(self, checkpoint: FleetCheckpoint) -> None:
        """Raise FleetCheckpointError or CheckpointError if a checkpoint cannot be restored."""
        self._parts.taker.check(checkpoint)
        for tree in checkpoint.trees:
            if tree.workspace and not os.path.isdir(tree.path):
                continue  # it is made again from its commit
            try:
                self._parts.trees.preview(tree.path, tree.checkpoint)
            except (NoSuchCheckpointError, DamagedCheckpointError) as error:
                raise CheckpointDamagedError(checkpoint.name, str(error)) from None

    def chain(self, now: FleetState, then: FleetState) -> MergeChain:
        """Return which merges made since can be taken back."""
        found = merges_since(now, then, self._parts.merging)
        git = open_repository(self._parts.workspaces.repository, self._parts.environ)
        refs = git.refs(*(f"{HEADS}{each.target}" for each in found)) if found else {}
        tips = {ref.removeprefix(HEADS): commit for ref, commit in refs.items()}
        return merge_chain(found, tips)

    # The steps

    def _stop_agents(self, order: RollbackOrder) -> list[str]:
        """End every agent; its words count no more once its task is given back."""
        stopped: list[str] = []
        for _ in range(_ROUNDS):
            active = self._parts.engine.state().active()
            if not active:
                return stopped
            for task in active:
                name = task.task.id
                try:
                    ended = self._parts.end_attempt(task.lease, task.run) if task.lease else ""
                except ProcessesLeftError as error:
                    raise AgentsLeftError(name, str(error)) from None
                try:
                    self._parts.engine.give_back(
                        Ticket(name, task.attempt),
                        f"stopped for a rollback to {order.target}: {ended}",
                        by=order.by,
                        counts=False,
                    )
                except StaleAttemptError:
                    continue  # it came to its end meanwhile
                stopped.append(name)
        raise AgentsLeftError("the fleet", "tasks are claimed again and again")

    def _save_now(self, order: RollbackOrder, target: str) -> FleetCheckpoint:
        """Save everything as it is, unless a process that was killed has done so."""
        parts = self._parts
        try:
            return parts.files.read(order.before)
        except CheckpointNotFoundError:
            return parts.taker.take(
                parts.engine.state(),
                BEFORE_ROLLBACK,
                CheckpointTrigger.BEFORE_RESTORE,
                parts.clock(),
                name=order.before,
                spare=target,
            )

    def _restore(
        self,
        order: RollbackOrder,
        target: FleetCheckpoint,
        before: FleetCheckpoint,
        result: RollbackResult,
    ) -> str:
        """Restore branches and files; return the checkpoint that undoes that in the main tree."""
        now, then = before.state_snapshot, target.state_snapshot
        result.merges_stay = self._take_back(now, then, result)
        main, last = target.main, self._parts.journal.last()
        if order.redo and last is not None and last.main_undo:
            # A merge goes on its branch again only if the checkout is as it was then.
            self._files(main.path, last.main_undo, order, result)
        self._put_again(now, then, result)
        undo = self._files(main.path, main.checkpoint, order, result)
        saved = {each.workspace for each in before.workspaces}
        result.workspaces = self._saved.restore(target, saved, keep=order.keep)
        result.problems += result.workspaces.problems
        return undo

    def _take_back(
        self, now: FleetState, then: FleetState, result: RollbackResult
    ) -> dict[str, str]:
        chain = self.chain(now, then)
        try:
            return take_back(self._parts.merging, chain)
        except (WorkspaceError, OSError) as error:
            result.problems.append(f"merges could not be taken back: {error}")
            left = merges_since(now, then, self._parts.merging)
            return {each.task: str(error) for each in left}

    def _put_again(self, now: FleetState, then: FleetState, result: RollbackResult) -> None:
        merging = self._parts.merging
        for done in merges_undone(now, then, merging):
            try:
                why = merging.put_again(done)
            except (WorkspaceError, OSError) as error:
                why = str(error)
            if why:
                result.merges_missing[done.task] = why

    def _files(
        self, path: str, checkpoint: str, order: RollbackOrder, result: RollbackResult
    ) -> str:
        """Restore the files of the main tree; return the checkpoint that undoes that."""
        trees = self._parts.trees
        try:
            seen = trees.preview(path, checkpoint)
            if not seen.items and not (order.over and seen.spared):
                result.spared += [f"{each.path}: {each.why}" for each in seen.spared]
                return ""
            done = trees.restore(path, checkpoint, over=order.over)
        except (CheckpointError, OSError) as error:
            done = TreeRestored(problem=str(error))
        if done.problem:
            result.problems.append(f"{os.path.basename(path)}: {done.problem}")
        result.files += (each for each in done.files if each not in result.files)
        result.spared += (each for each in done.spared if each not in result.spared)
        return done.undo

    def _record(
        self, order: RollbackOrder, target: FleetCheckpoint, now: FleetState, result: RollbackResult
    ) -> None:
        """Write the tasks as one event, once."""
        engine, at = self._parts.engine, self._parts.clock()
        state = engine.state()
        if state.rolled_back == order.id:
            return
        missing = {name: f"its merge is missing: {why}" for name, why in
                   result.merges_missing.items()}  # fmt: skip
        tasks = restored_tasks(
            state,
            target.state_snapshot,
            target.name,
            at,
            stays={**result.merges_stay, **missing},
            workspaces=self._saved.by_task(),
        )
        engine.record(
            FleetRolledBack(at, target.name, order.id, tasks, by=order.by, redo=order.redo)
        )
