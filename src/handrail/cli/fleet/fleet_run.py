"""`handrail run tasks.yaml`: work through tasks until nothing is left to do."""

import asyncio
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from time import time
from uuid import uuid4

import click
import msgspec

from handrail.cli import freeze_loaded_objects, options
from handrail.cli.fleet.fleet_checkpoint import take_fleet_checkpoint
from handrail.cli.fleet.fleet_display import FleetDisplay
from handrail.cli.fleet.opened_fleet import OpenedFleet
from handrail.cli.fleet.run_report import fleet_report, write_report
from handrail.cli.output.listed_problems import ListedProblemsError
from handrail.config import ConfigError
from handrail.fleet.engine.engine import FleetError, Worker
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.engine.lease_clock import this_machine
from handrail.fleet.fleet_limits import FleetLimits, LimitLevel, LimitReport
from handrail.fleet.merges.task_merges import TaskMerges, outcome_says
from handrail.fleet.scheduler import Scheduler, SchedulerOptions
from handrail.fleet.tasks.task import Task, TaskStatus
from handrail.fleet.tasks.task_file import read_task_file
from handrail.fleet.workspaces.workspace_errors import WorkspaceError
from handrail.intervene.processes.process_tree import start_time_of_pid
from handrail.server.fleet.fleet_registration import FleetRegistration
from handrail.server.fleet.slot_work import LocalSlotWork

_PAUSED = "The fleet is paused; handrail resume --all lets it go on."
_LEAVE = (signal.SIGINT, signal.SIGTERM)
_LEFT = "handrail run was ended"


class FleetRunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of `handrail run` for many tasks."""

    slots: int = 0
    """0: those of the settings."""
    unattended: bool = False
    report: str = ""
    """A file for the report, beside the one in the state folder."""
    as_json: bool = False


def tasks_of(path: str) -> tuple[Task, ...]:
    """Read a task file; a mistake in it ends the command."""
    try:
        return read_task_file(Path(path))
    except ConfigError as error:
        raise ListedProblemsError(error.problems) from None


def run_fleet(fleet: OpenedFleet, tasks: Sequence[Task], wanted: FleetRunOptions) -> int:
    """Submit tasks, work until nothing is left to do, report, and return the exit code."""
    try:
        fleet.engine.submit(tasks)
    except FleetError as error:
        raise click.ClickException(str(error)) from None
    slots = wanted.slots or fleet.settings.slots
    display = FleetDisplay(options.screen(), fleet.settings, slots=slots, as_json=wanted.as_json)
    if wanted.unattended:
        display.say(_save_before(fleet))
    freeze_loaded_objects()
    return asyncio.run(_FleetRun(fleet, display, slots, wanted).go())


def _save_before(fleet: OpenedFleet) -> str:
    """Save the fleet with all its files; say how to come back to it."""
    top = fleet.repository.top
    if not options.load_config(top).checkpoints.before_unattended:
        return "No checkpoint first: checkpoints.before_unattended is off."
    taken = take_fleet_checkpoint(fleet.home, top, unattended=True)
    return f"Saved the fleet first; go back with: handrail rollback {taken.name}"


def exit_code(state: FleetState, began: float) -> int:
    """Return 0 if all is done; a task that had failed or was given up before is not asked for."""

    def is_settled(task: TaskState) -> bool:
        had_failed = task.status is TaskStatus.FAILED and task.changed < began
        return had_failed or task.status is TaskStatus.DONE

    return 0 if all(map(is_settled, state.tasks.values())) else 1


class _FleetRun:
    """One scheduler, until the tasks are over or the user leaves."""

    def __init__(
        self, fleet: OpenedFleet, display: FleetDisplay, slots: int, wanted: FleetRunOptions
    ) -> None:
        machine = this_machine()
        pid = os.getpid()
        settings, workspaces = fleet.settings, fleet.workspaces
        self._fleet = fleet
        self._display = display
        self._wanted = wanted
        self._began = time()
        self._left_by = 0
        self._says = ""
        """Why the run ended, if not because all was done."""
        self._merges = TaskMerges(fleet.engine.record, fleet.merging, workspaces, settings)
        self._worker = Worker(
            owner=str(uuid4()),
            host=machine.host,
            boot=machine.boot,
            pid=pid,
            pid_began=start_time_of_pid(pid),
        )
        self._work = LocalSlotWork(fleet.home, fleet.repository, workspaces, settings, machine)
        folders = (Path(fleet.home.path), Path(workspaces.records.trees))
        self._registration = FleetRegistration(
            fleet.home,
            fleet.engine,
            fleet.repository.top,
            slots=slots,
            budget_usd=settings.budget_usd,
        )
        self._is_paused = False
        self._scheduler = Scheduler(
            fleet.engine,
            self._worker,
            self._work,
            SchedulerOptions(slots=slots, lease_seconds=settings.lease_seconds),
            on_change=self._show,
            limits=FleetLimits(settings, folders).check,
            on_limit=self._tell_limit,
            merge=self._merge if settings.merge.auto else None,
        )

    async def go(self) -> int:
        """Work; return the exit code."""
        working = asyncio.ensure_future(self._schedule())
        loop = asyncio.get_running_loop()
        for number in _LEAVE:
            loop.add_signal_handler(number, self._leave, number, working)
        try:
            state = await working
        except asyncio.CancelledError:
            if not self._left_by:
                raise
            self._says = _LEFT
            state = await self._scheduler.stop_agents(_LEFT)
        self._display.end(state)
        await asyncio.to_thread(self._report, state)
        if self._left_by:
            return 128 + self._left_by
        return exit_code(state, self._began)

    async def _schedule(self) -> FleetState:
        async with self._registration.registered():
            return await self._scheduler.run()

    def _show(self, state: FleetState) -> None:
        self._display.show(state)
        self._registration.on_change(state)
        if state.closed != self._is_paused:
            self._is_paused = state.closed
            self._display.say(_PAUSED if state.closed else "The fleet goes on.")

    def _leave(self, number: int, working: "asyncio.Future[FleetState]") -> None:
        """Leave: at first politely, then at once."""
        if self._left_by:
            os._exit(128 + number)
        self._left_by = number
        self._scheduler.close()
        self._display.say("Ending the agents … (Ctrl+C again: at once)")
        working.cancel()

    def _tell_limit(self, report: LimitReport) -> None:
        self._display.say(f"! {report.says}" if report.says else "The fleet goes on.")
        if report.level is LimitLevel.STOP:
            self._says = report.says

    async def _merge(self, task: TaskState) -> None:
        """Merge a task that is done, and tell what came of it."""
        try:
            target = await asyncio.to_thread(self._merges.target)
            outcome = await self._merges.merge(task, target)
        except (FleetError, WorkspaceError) as error:
            self._display.say(f"! {task.task.id} is not merged: {error}")
        else:
            self._display.say(f"{task.task.id}: {outcome_says(outcome)}")

    def _report(self, state: FleetState) -> None:
        try:
            report = fleet_report(
                self._fleet, state, began=self._began, ended=time(), says=self._says
            )
            path = write_report(self._fleet, report, self._wanted.report)
        except (OSError, WorkspaceError) as error:
            self._display.say(f"! the report could not be written: {error}")
        else:
            self._display.say(f"Report: {path}")
