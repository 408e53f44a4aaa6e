"""A fleet with real worktrees, branches and checkpoints, and no daemon."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from handrail.checkpoint import (
    CheckpointInfo,
    CheckpointStore,
    CheckpointTrigger,
    RestorePreview,
    RestoreTarget,
    UndoLevel,
    checkpoint_folder,
)
from handrail.fleet.engine.engine import Claim
from handrail.fleet.engine.events import (
    AttemptOutcome,
    AttemptResult,
    Lease,
    MergeChanged,
    TaskWorkspace,
    WorkspaceReady,
)
from handrail.fleet.engine.log_engine import LogEngine
from handrail.fleet.engine.state_loading import load_fleet
from handrail.fleet.merges.merge_outcome import FastForwarded, Merged
from handrail.fleet.merges.merge_work import MergeRequest
from handrail.fleet.rollback.checkpoint_data import FleetCheckpoint
from handrail.fleet.rollback.checkpoint_files import FleetCheckpointFiles
from handrail.fleet.rollback.journal import RollbackJournal, RollbackOrder
from handrail.fleet.rollback.rolling_back import FleetParts, RollbackResult, RollingBack
from handrail.fleet.rollback.taking import CheckpointTaker
from handrail.fleet.rollback.tree_files import TreeRestored
from handrail.fleet.tasks.task import Task
from handrail.store.memory import MemoryStore
from tests.fleet.conftest import RULES, SteppedClock, worker

from .task_repository import TaskRepository


class StoredTreeFiles:
    """The checkpoint room itself, without lanes."""

    def __init__(self, state: str, environ: Mapping[str, str]) -> None:
        self._state = state
        self._environ = environ

    def save(self, path: str, about: CheckpointInfo) -> str:
        return self.open(path).save(about).record.id

    def preview(self, path: str, checkpoint: str) -> RestorePreview:
        store = self.open(path)
        return store.preview(RestoreTarget(UndoLevel.CHECKPOINT, store.find(checkpoint)))

    def restore(self, path: str, checkpoint: str, *, over: bool = False) -> TreeRestored:
        store = self.open(path)
        way = RestoreTarget(UndoLevel.CHECKPOINT, store.find(checkpoint))
        done = store.restore(way, over=over)
        spared = tuple(f"{each.path}: {each.why}" for each in done.spared)
        return TreeRestored(done.undo.id, done.files, spared)

    def release(self, path: str, checkpoint: str) -> None:
        self.open(path).release(checkpoint)

    def open(self, path: str) -> CheckpointStore:
        folder = checkpoint_folder(self._state, path)
        return CheckpointStore(folder, path, environ=self._environ)


class RolledFleet(TaskRepository):
    """Tasks that are worked on by hand."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.git("config", "user.name", "Me")
        self.git("config", "user.email", "me@example.invalid")
        self.state = root / "state"
        self.state.mkdir(exist_ok=True)
        self.log = MemoryStore()
        self.clock = SteppedClock()
        self.ended: list[str] = []
        self.orders = 0
        self.slot = 0
        self.restart()

    def restart(self) -> None:
        """The next daemon: nothing but the log and the disk is left."""
        self.backups = str(self.state / "fleet")
        loaded = load_fleet(self.log, "shop", self.backups)
        self.engine = LogEngine(
            self.log, "shop", loaded.state, RULES, clock=self.clock, lease_time=self.clock
        )
        self.store_trees = StoredTreeFiles(str(self.state), self.environ)
        self.use(self.store_trees)

    def use(self, trees: Any, **others: Any) -> None:
        files = FleetCheckpointFiles(str(self.state / "fleet" / "checkpoints"))
        taker = CheckpointTaker(self.workspaces, trees, files, self.backups, self.environ)
        given: dict[str, Any] = {
            "engine": self.engine,
            "workspaces": self.workspaces,
            "merging": self.merging,
            "trees": trees,
            "files": files,
            "taker": taker,
            "journal": RollbackJournal(str(self.state / "fleet")),
            "end_attempt": self.end_attempt,
            "environ": self.environ,
            "clock": self.clock,
        }
        self.parts = FleetParts(**(given | others))

    def end_attempt(self, lease: Lease, run: str) -> str:
        self.ended.append(f"{lease.slot}/{lease.attempt}")
        return "0 processes were ended"

    def submit(self, *names: str) -> None:
        self.engine.submit([Task(id=name, prompt=f"do {name}") for name in names])

    def claim(self) -> tuple[Claim, str]:
        """Take the next task; its claim, and the folder to work in."""
        self.slot += 1
        claim = self.engine.claim(worker(), self.slot)
        assert claim is not None
        task, attempt = claim.ticket.task, claim.ticket.attempt
        found = self.workspaces.reuse(task) or self.workspaces.create(task, attempt)
        place = TaskWorkspace(found.path, found.branch, found.base)
        self.engine.note(WorkspaceReady(self.clock(), task, attempt, place))
        return claim, found.path

    def finish(self, *, merged: bool = True) -> str:
        """Do the next task: a file of its own, a commit, a result, a merge."""
        claim, path = self.claim()
        name = claim.ticket.task
        self.write(f"{name}.txt", f"{name}\n", at=path)
        commit = self.commit(f"work on {name}", at=path)
        done = AttemptResult(outcome=AttemptOutcome.DONE, commit=commit, verified=True)
        self.engine.finish(claim.ticket, done)
        if merged:
            self.merge(name, commit)
        return name

    def merge(self, name: str, commit: str) -> None:
        request = MergeRequest(task=name, commit=commit, target="main")
        done = asyncio.run(self.merging.merge(request))
        assert isinstance(done, FastForwarded | Merged)
        now = self.clock()
        changed = MergeChanged(now, name, "merged", "main", done.commit, done.before)
        self.engine.record(changed)

    def take(
        self, label: str = "start", moment: CheckpointTrigger = CheckpointTrigger.REQUEST
    ) -> FleetCheckpoint:
        self.clock.now += 1
        return self.parts.taker.take(self.engine.state(), label, moment, self.clock())

    def order(
        self, target: str = "start", *, keep: bool = False, redo: bool = False
    ) -> RollbackOrder:
        self.orders += 1
        self.clock.now += 1
        number = str(self.orders)
        return RollbackOrder(
            id=number,
            top=str(self.tree),
            target=target,
            before=f"before-{number}",
            keep=keep,
            redo=redo,
        )

    def roll_back(self, target: str = "start", *, keep: bool = False) -> RollbackResult:
        return RollingBack(self.parts).begin(self.order(target, keep=keep))

    def redo(self) -> RollbackResult:
        last = self.parts.journal.last()
        assert last is not None
        return RollingBack(self.parts).begin(self.order(last.before, redo=True))

    def statuses(self) -> dict[str, str]:
        return {name: each.status.value for name, each in self.engine.state().tasks.items()}

    def look(self) -> dict[str, object]:
        """Everything that a person could see: files, branches, workspaces, tasks."""
        seen: dict[str, object] = {"tasks": self.statuses(), "main": self.head("main")}
        for path in [str(self.tree), *sorted(self.worktrees())]:
            files = (each for each in Path(path).rglob("*") if ".git" not in each.parts)
            seen[path] = {
                os.path.relpath(each, path): each.read_text() for each in files if each.is_file()
            }
            seen[f"status of {path}"] = self.git("status", "--short", "--branch", at=path)
            seen[f"head of {path}"] = self.head(at=path)
        return seen
