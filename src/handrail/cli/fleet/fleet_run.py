"""`handrail run tasks.yaml`: work through tasks until nothing is left to do."""

import asyncio
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

import click

from handrail.cli import freeze_loaded_objects, options
from handrail.cli.fleet.fleet_display import FleetDisplay
from handrail.cli.fleet.opened_fleet import OpenedFleet
from handrail.config import ConfigError
from handrail.fleet.engine import FleetError, Worker
from handrail.fleet.fleet_state import FleetState
from handrail.fleet.lease_clock import this_machine
from handrail.fleet.scheduler import Scheduler, SchedulerOptions
from handrail.fleet.task import Task, TaskStatus
from handrail.fleet.task_file import read_task_file
from handrail.intervene.processes.process_tree import start_time_of_pid
from handrail.server.fleet.slot_work import LocalSlotWork

_INTERRUPTED = 128 + signal.SIGINT
_LEAVE = (signal.SIGINT, signal.SIGTERM)


def tasks_of(path: str) -> tuple[Task, ...]:
    """Read a task file; a mistake in it ends the command."""
    try:
        return read_task_file(Path(path))
    except ConfigError as error:
        raise click.ClickException(str(error)) from None


def run_fleet(fleet: OpenedFleet, tasks: Sequence[Task], *, slots: int, as_json: bool) -> int:
    """Submit tasks, work until nothing is left to do, and return the exit code."""
    try:
        fleet.engine.submit(tasks)
    except FleetError as error:
        raise click.ClickException(str(error)) from None
    display = FleetDisplay(options.screen(), as_json=as_json)
    freeze_loaded_objects()
    return asyncio.run(_FleetRun(fleet, display, slots or fleet.settings.slots).go())


class _FleetRun:
    """One scheduler, until the tasks are over or the user leaves."""

    def __init__(self, fleet: OpenedFleet, display: FleetDisplay, slots: int) -> None:
        machine = this_machine()
        pid = os.getpid()
        self._fleet = fleet
        self._display = display
        self._left_by = 0
        self._worker = Worker(
            owner=str(uuid4()),
            host=machine.host,
            boot=machine.boot,
            pid=pid,
            pid_began=start_time_of_pid(pid),
        )
        self._work = LocalSlotWork(
            fleet.home, fleet.repository, fleet.workspaces, fleet.settings, machine
        )
        self._scheduler = Scheduler(
            fleet.engine,
            self._worker,
            self._work,
            SchedulerOptions(slots=slots, lease_seconds=fleet.settings.lease_seconds),
            on_change=display.show,
        )

    async def go(self) -> int:
        """Work; return the exit code."""
        working = asyncio.ensure_future(self._scheduler.run())
        loop = asyncio.get_running_loop()
        for number in _LEAVE:
            loop.add_signal_handler(number, self._leave, number, working)
        try:
            state = await working
        except asyncio.CancelledError:
            if not self._left_by:
                raise
            state = await self._scheduler.stop_agents("handrail run was ended")
        self._display.end(state)
        if self._left_by:
            return 128 + self._left_by
        done = all(each.status is TaskStatus.DONE for each in state.tasks.values())
        return 0 if done else 1

    def _leave(self, number: int, working: "asyncio.Future[FleetState]") -> None:
        """Leave: at first politely, then at once."""
        if self._left_by:
            os._exit(128 + number)
        self._left_by = number
        self._scheduler.close()
        self._display.say("Ending the agents … (Ctrl+C again: at once)")
        working.cancel()
