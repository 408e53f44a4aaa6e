"""Merges the work of tasks that are done, and records what came of it."""

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from time import time
from typing import Literal

import msgspec

from handrail.config.fleet import Fleet
from handrail.fleet.engine.engine import FleetError, TaskStatusError
from handrail.fleet.engine.events import FleetEvent, MergeChanged, TaskAudited, TaskReleased
from handrail.fleet.engine.fleet_state import TaskState
from handrail.fleet.merges.conflict_resolution import begin_resolution, resolution_prompt
from handrail.fleet.merges.merge_outcome import (
    FastForwarded,
    MergeConflict,
    Merged,
    MergeOutcome,
    MergeWaiting,
    NothingToMerge,
    VerifyFailed,
)
from handrail.fleet.merges.merge_work import MergeRequest
from handrail.fleet.merges.merging import Merging
from handrail.fleet.tasks.task import TaskStatus
from handrail.fleet.workspaces.repository_git import open_worktree
from handrail.fleet.workspaces.workspace_errors import UnsavedWorkError
from handrail.fleet.workspaces.workspaces import Workspaces

_MAX_NAMED = 5
_LONGEST_LABEL = 60

Outcome = Literal["merged", "waiting", "conflict", "verify_failed"]


class NoTargetError(FleetError):
    """Nobody said which branch a task is merged into."""

    def __init__(self) -> None:
        super().__init__("no branch is checked out here; name one with --into BRANCH")


class NoWorkspaceError(FleetError):
    """The workspace of a task is gone, so its agent cannot go on in it."""

    def __init__(self, task: str) -> None:
        super().__init__(
            f"the workspace of {task} is gone, so no agent can resolve the conflict there; "
            f"let it start anew: handrail task retry {task} --again"
        )


class GivenBack(msgspec.Struct, frozen=True):
    """The agent of a task gets its conflict, and resolves it in the next attempt."""

    files: tuple[str, ...]


class TaskMerges:
    """Merges tasks of one fleet, one at a time."""

    def __init__(
        self,
        record: Callable[[FleetEvent], None],
        merging: Merging,
        workspaces: Workspaces,
        settings: Fleet,
        *,
        clock: Callable[[], float] = time,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        """`record`: writes an event of the fleet; it blocks."""
        self._write = record
        self._merging = merging
        self._workspaces = workspaces
        self._settings = settings
        self._clock = clock
        self._environ = environ

    def target(self) -> str:
        """Return the branch that tasks are merged into by default. Raises NoTargetError."""
        if name := self._merging.default_target():
            return name
        raise NoTargetError

    async def merge(
        self, task: TaskState, target: str, *, keep: bool = False, commit: str = ""
    ) -> MergeOutcome:
        """Merge the work of a task, record the outcome, and remove a workspace that is merged.

        `keep`: the workspace stays. `commit`: a later one than the result names. Raises
        TaskStatusError and WorkspaceError.
        """
        must_be_done(task)
        assert task.result is not None
        request = MergeRequest(
            task=task.task.id,
            commit=commit or task.result.commit,
            target=target,
            message=f"Merge task {task.task.id}: {task.task.label[:_LONGEST_LABEL]}",
            verify=task.task.verify,
            setup=self._settings.workspace.setup,
        )
        outcome = await self._merging.merge(request)
        await asyncio.to_thread(self._record, task, outcome)
        if not keep and _RECORDED[type(outcome)] == "merged":
            await asyncio.to_thread(self._remove_workspaces, task.task.id)
        return outcome

    async def merge_or_give_back(
        self, task: TaskState, target: str, by: str, *, keep: bool = False
    ) -> MergeOutcome | GivenBack:
        """Merge the work of a task; a conflict goes to its agent. Raises what `merge` raises."""
        outcome = await self.merge(task, target, keep=keep)
        if not isinstance(outcome, MergeConflict):
            return outcome
        if files := await self.give_to_agent(task, target, by):
            return GivenBack(files)
        # Git has merged the branch into the workspace by itself this time.
        commit = await asyncio.to_thread(self.work_of, task.task.id)
        return await self.merge(task, target, keep=keep, commit=commit)

    async def give_to_agent(self, task: TaskState, target: str, by: str) -> tuple[str, ...]:
        """Let the agent of a task resolve its conflict; return the files.

        Empty: git has merged everything in the workspace meanwhile. Raises NoWorkspaceError.
        """
        name = task.task.id
        workspace = await asyncio.to_thread(self._workspaces.reuse, name)
        if workspace is None:
            raise NoWorkspaceError(name)
        begin = partial(begin_resolution, workspace, target, self._environ)
        files = await asyncio.to_thread(begin)
        if files:
            told = resolution_prompt(name, target, files)
            released = TaskReleased(self._clock(), name, by, told)
            await asyncio.to_thread(self._write, released)
        return files

    def work_of(self, task: str) -> str:
        """Return the last commit in the workspace of a task, or ""."""
        workspace = self._workspaces.reuse(task)
        return open_worktree(workspace.path, self._environ).commit_of("HEAD") if workspace else ""

    def _record(self, task: TaskState, outcome: MergeOutcome) -> None:
        at, name, says = self._clock(), task.task.id, outcome_says(outcome)
        kind = _RECORDED[type(outcome)]
        commit = getattr(outcome, "commit", "")
        before = getattr(outcome, "before", "")
        self._write(MergeChanged(at, name, kind, outcome.target, commit, before, says))
        self._write(TaskAudited(at, name, task.attempt, "merge", says))

    def _remove_workspaces(self, task: str) -> None:
        for workspace in self._workspaces.of_task(task):
            with suppress(UnsavedWorkError):  # something in it was not part of the result
                self._workspaces.remove(workspace)


_RECORDED: dict[type[msgspec.Struct], Outcome] = {
    FastForwarded: "merged",
    Merged: "merged",
    NothingToMerge: "merged",
    MergeWaiting: "waiting",
    MergeConflict: "conflict",
    VerifyFailed: "verify_failed",
}


def must_be_done(task: TaskState) -> None:
    """Raise TaskStatusError unless a task is done and has a commit."""
    if task.status is not TaskStatus.DONE:
        raise TaskStatusError(task.task.id, task.status.value, "only done tasks are merged")
    if task.result is None or not task.result.commit:
        raise TaskStatusError(task.task.id, "done without a commit", "there is nothing to merge")


def outcome_says(outcome: MergeOutcome) -> str:
    """Say what came of a merge, after the name of its task."""
    match outcome:
        case FastForwarded():
            return f"{outcome.target} is at its commit {outcome.commit[:12]} now"
        case Merged():
            return f"merge commit {outcome.commit[:12]} on {outcome.target}"
        case NothingToMerge():
            return f"{outcome.target} holds its work already"
        case MergeWaiting():
            return f"made and verified, but not on {outcome.target}: {outcome.why}"
        case MergeConflict():
            more = len(outcome.files) - _MAX_NAMED
            named = ", ".join(outcome.files[:_MAX_NAMED])
            return f"conflicts in {named}{f' and {more} more' if more > 0 else ''}"
        case VerifyFailed():
            return f"`{outcome.command}` failed on the merged files ({outcome.verification.how})"
