"""Merge tasks one after the other, and tell what came of each."""

import asyncio
from collections.abc import Sequence

import click
import msgspec

from handrail.cli import options
from handrail.cli.daemon_request import show_waiting
from handrail.cli.fleet.opened_fleet import OpenedFleet
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput
from handrail.control.client import user_name
from handrail.fleet.engine.engine import FleetError
from handrail.fleet.engine.fleet_state import TaskState
from handrail.fleet.merges.merge_order import unmerged_needs
from handrail.fleet.merges.merge_outcome import (
    MergeConflict,
    MergeOutcome,
    MergeWaiting,
    VerifyFailed,
)
from handrail.fleet.merges.task_merges import GivenBack, TaskMerges, outcome_says
from handrail.fleet.workspaces.workspace_errors import WorkspaceError
from handrail.words.task_commands import next_commands

_MAX_OUTPUT = 12
"""Lines of a verify command's output."""
_NOT_MERGED = (MergeWaiting, MergeConflict, VerifyFailed)


class MergeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How to merge."""

    into: str = ""
    resolve: bool = False
    keep: bool = False
    as_json: bool = False


def merge_tasks(fleet: OpenedFleet, tasks: Sequence[TaskState], wanted: MergeOptions) -> int:
    """Merge tasks in this order; return the exit code. A refusal ends the command."""
    merges = TaskMerges(fleet.engine.record, fleet.merging, fleet.workspaces, fleet.settings)
    try:
        return asyncio.run(_MergeRun(fleet, merges, wanted).go(tasks))
    except (FleetError, WorkspaceError) as error:
        raise click.ClickException(str(error)) from None


class _MergeRun:
    """Merges tasks, and skips those whose dependencies could not be merged."""

    def __init__(self, fleet: OpenedFleet, merges: TaskMerges, wanted: MergeOptions) -> None:
        self._fleet = fleet
        self._merges = merges
        self._wanted = wanted
        self._screen = options.screen()

    async def go(self, tasks: Sequence[TaskState]) -> int:
        target = self._wanted.into or await asyncio.to_thread(self._merges.target)
        left = 0
        for task in tasks:
            left += not await self._one(task, target)
        return 1 if left else 0

    async def _one(self, task: TaskState, target: str) -> bool:
        """Merge one task; return whether it is merged."""
        state = await asyncio.to_thread(self._fleet.engine.state)
        if others := unmerged_needs(state, task):
            self._tell_skipped(task, others)
            return False
        with show_waiting(f"merging {task.task.id}"):
            outcome = await self._merge(task, target)
        if isinstance(outcome, GivenBack):
            self._tell_given_back(task, outcome)
            return False
        await self._tell(task, outcome)
        return not isinstance(outcome, _NOT_MERGED)

    async def _merge(self, task: TaskState, target: str) -> MergeOutcome | GivenBack:
        keep = self._wanted.keep
        if self._wanted.resolve:
            return await self._merges.merge_or_give_back(task, target, user_name(), keep=keep)
        return await self._merges.merge(task, target, keep=keep)

    def _tell_given_back(self, task: TaskState, given: GivenBack) -> None:
        name = task.task.id
        says = f"its agent gets the conflict in {', '.join(given.files)}"
        if self._wanted.as_json:
            told = {"task": name, "outcome": "given_to_agent", "files": given.files, "says": says}
            print_json(told)
        else:
            self._screen.paragraph(f"{name}: {says}", mark=self._screen.paint("↺", "yellow"))
            self._screen.paragraph("Next: handrail run --resume", "dim", indent=3)

    def _tell_skipped(self, task: TaskState, others: Sequence[str]) -> None:
        says = f"not tried: it holds the work of {', '.join(others)}, which is not merged"
        if self._wanted.as_json:
            print_json({"task": task.task.id, "outcome": "skipped", "says": says})
        else:
            mark = self._screen.paint("·", "dim")
            self._screen.paragraph(f"{task.task.id}: {says}", mark=mark)

    async def _tell(self, task: TaskState, outcome: MergeOutcome) -> None:
        if self._wanted.as_json:
            told = msgspec.to_builtins(outcome)
            told["outcome"] = told.pop("type")
            print_json({**told, "says": outcome_says(outcome)})
            return
        now = await asyncio.to_thread(self._fleet.engine.state)
        show_outcome(self._screen, now.tasks[task.task.id], outcome)


def show_outcome(screen: TerminalOutput, task: TaskState, outcome: MergeOutcome) -> None:
    """Print what came of a merge; `task`: as it is now."""
    is_merged = not isinstance(outcome, _NOT_MERGED)
    mark = screen.paint("✓", "green") if is_merged else screen.paint("▲", "red")
    screen.paragraph(f"{task.task.id}: {outcome_says(outcome)}", mark=mark)
    if isinstance(outcome, VerifyFailed):
        for line in outcome.verification.says.strip().splitlines()[-_MAX_OUTPUT:]:
            screen.paragraph(line, "dim", indent=5)
    if isinstance(outcome, MergeConflict):
        screen.say(f"   {outcome.look}")
    if not is_merged:
        for each, _ in next_commands(task)[:2]:
            screen.say(f"   {each}")
