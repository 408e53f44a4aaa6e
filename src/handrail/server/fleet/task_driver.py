"""A driver's process: one attempt at one task, from its claim to its result.

`python -m handrail.server.fleet.task_driver REPOSITORY TASK ATTEMPT SLOT [RUN]`

RUN is the run of an attempt that was broken off: this one goes on with its session.
"""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Coroutine
from contextlib import suppress
from time import time
from uuid import uuid4

from handrail.config.fleet import Fleet
from handrail.drive.background_task import background_task
from handrail.drive.drive_task import FleetPart
from handrail.drive.loop_end import LoopEnd
from handrail.drive.usage import LoopLimits
from handrail.fleet.engine.engine import FleetEngine, StaleAttemptError, Ticket
from handrail.fleet.engine.events import AttemptOutcome, AttemptResult, DriverStarted, TaskAudited
from handrail.fleet.engine.fleet_state import TaskState
from handrail.fleet.merges.conflict_resolution import files_in_conflict, verify_resolution
from handrail.fleet.recovery.audit_log import prompt_of
from handrail.fleet.tasks.task import Task
from handrail.fleet.workspaces.repository import find_repository
from handrail.fleet.workspaces.workspace_environment import workspace_environment
from handrail.fleet.workspaces.workspace_records import Workspace
from handrail.fleet.workspaces.workspace_work import commit_task, workspace_status
from handrail.hosts import HOSTS, find_host
from handrail.hosts.port import DriveOptions, HostError
from handrail.intervene.processes.process_tree import start_time_of_pid
from handrail.model.state_folder import state_folder
from handrail.server.driving.agent_driver import (
    AgentDriver,
    AgentPlan,
    find_program,
    prepare_agent,
)
from handrail.server.fleet.audited_client import AttemptStoppedError, AuditedDaemonClient
from handrail.server.fleet.client import remote_engine
from handrail.server.fleet.person_questions import PersonQuestions
from handrail.server.fleet.places import open_workspaces
from handrail.server.home import Home
from handrail.server.launcher import ensure_daemon
from handrail.supervise.runs.settings_trust import trusted_settings

_log = logging.getLogger(__name__)

_RENEWALS = 4
"""Renewals in the time of a lease."""
_OUTCOMES = {
    "COMPLETE": AttemptOutcome.DONE,
    "STUCK": AttemptOutcome.BLOCKED,
    "LIMIT": AttemptOutcome.BLOCKED,
    "MAX_ITERATIONS": AttemptOutcome.BLOCKED,
    "ERROR": AttemptOutcome.BLOCKED,
    "USER_CANCELLED": AttemptOutcome.FAILED,
}
"""What the end of a loop means for the task: a limit or three errors in a row are a question for a
person."""


class AttemptLostError(Exception):
    """Somebody else has the task now, or nobody wants it done any more."""


class TaskDriver:
    """Drives the agent of one attempt."""

    def __init__(
        self,
        home: Home,
        engine: FleetEngine,
        ticket: Ticket,
        workspace: Workspace,
        settings: Fleet,
        fleet_run: str = "",
        session: str = "",
    ) -> None:
        """`session`: the run to go on with; empty: a new one."""
        self._home = home
        self._engine = engine
        self._ticket = ticket
        self._workspace = workspace
        self._settings = settings
        self._run = session or str(uuid4())
        self._resumes = bool(session)
        self._fleet_run = fleet_run

    async def drive(self, state: TaskState, environ: dict[str, str]) -> None:
        """Take over the lease, drive the agent, and hand in the result."""
        await self._note_start()
        # All the time: finding the agent's program and committing its work may take long, too.
        async with background_task(self._renew()):
            result = await self._work(state, environ)
        await asyncio.to_thread(self._engine.finish, self._ticket, result)

    async def _work(self, state: TaskState, environ: dict[str, str]) -> AttemptResult:
        try:
            end, client = await self._drive(state, environ)
        except HostError as error:
            return AttemptResult(outcome=AttemptOutcome.BLOCKED, says=str(error))
        return await asyncio.to_thread(self._result, state.task, end, client)

    async def _note_start(self) -> None:
        at, pid = time(), os.getpid()
        started = DriverStarted(
            at, self._ticket.task, self._ticket.attempt, self._run, pid, start_time_of_pid(pid)
        )
        await asyncio.to_thread(self._engine.note, started)
        await asyncio.to_thread(self._engine.note, self._entry("start"))

    async def _drive(
        self, state: TaskState, environ: dict[str, str]
    ) -> tuple[LoopEnd, AuditedDaemonClient]:
        task = state.task
        now = await asyncio.to_thread(workspace_status, self._workspace, environ)
        conflicts = await asyncio.to_thread(files_in_conflict, self._workspace, environ)
        host = find_host(task.host or next(iter(HOSTS)))
        plan = AgentPlan(
            self._run,
            prompt_of(state, has_changes=bool(now.uncommitted), resumed=self._resumes),
            verify_resolution(task.verify, conflicts),
            limits_of_task(task, self._settings),
            DriveOptions(model=task.model, mode=host.modes[0]),
            self._workspace.path,
            fleet=FleetPart(self._fleet_run, task.id),
        )
        agent = await asyncio.to_thread(
            lambda: prepare_agent(host, find_program(host, environ), self._home, plan, environ)
        )
        questions = PersonQuestions(
            self._engine, self._ticket, self._settings.questions, state.questions
        )
        client = AuditedDaemonClient(
            self._home,
            self._run,
            self._engine,
            self._ticket,
            self._workspace,
            environ,
            stall_iterations=self._settings.stall_iterations,
            questions=questions,
        )
        driver = AgentDriver(
            self._home, agent, plan, environ=environ, client=client, ask=questions.ask
        )
        client.remember(now)
        return await driver.drive(), client

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(self._settings.lease_seconds / _RENEWALS)
            answer = await asyncio.to_thread(self._engine.renew, self._ticket)
            if answer not in ("held", "paused"):
                raise AttemptLostError(answer)

    def _result(self, task: Task, end: LoopEnd, client: AuditedDaemonClient) -> AttemptResult:
        commit = commit_task(self._workspace, task)
        return AttemptResult(
            outcome=self._outcome(end, client),
            says=end.says,
            commit=commit,
            verified=end.verified,
            iterations=client.iteration,
            tokens=client.tokens,
            cost_usd=client.cost_usd,
            seconds=client.seconds,
        )

    def _outcome(self, end: LoopEnd, client: AuditedDaemonClient) -> AttemptOutcome:
        """Return what the end means; a killed agent, or one without its session, tries again."""
        if end.reason == "ERROR" and (end.crashed or (self._resumes and not client.has_moved)):
            return AttemptOutcome.FAILED
        return _OUTCOMES[end.reason]

    def _entry(self, kind: str) -> TaskAudited:
        return TaskAudited(time(), self._ticket.task, self._ticket.attempt, kind)  # type: ignore[arg-type]


def limits_of_task(task: Task, settings: Fleet) -> LoopLimits:
    """Return the limits of one attempt: those of the task, or of the fleet."""
    return LoopLimits(
        max_iterations=task.limits.iterations or settings.max_iterations,
        max_minutes=task.limits.minutes,
        max_cost_usd=task.limits.cost_usd,
        max_tokens=task.limits.tokens,
        max_memory_mb=task.limits.memory_mb,
    )


def main(repository: str, task: str, attempt: str, slot: str, session: str = "") -> int:
    """Drive one attempt; return the exit code."""
    environ = dict(os.environ)
    home = Home(state_folder(environ))
    ensure_daemon(home, environ)
    engine = remote_engine(home, repository, environ)
    ticket = Ticket(task, int(attempt))
    fleet = engine.state()
    state = fleet.tasks[task]
    workspaces = open_workspaces(home, find_repository(repository), environ)
    workspace = workspaces.reuse(task)
    if workspace is None or state.attempt != ticket.attempt:
        return 1
    settings = trusted_settings(repository, environ).config.fleet
    environ |= workspace_environment(int(slot), workspace)
    driver = TaskDriver(home, engine, ticket, workspace, settings, fleet.run, session)
    try:
        asyncio.run(_until_told(driver.drive(state, environ)))
    except (
        AttemptLostError,
        AttemptStoppedError,
        StaleAttemptError,
        asyncio.CancelledError,
    ) as error:
        _log.info("the attempt is over: %s", error)
        return 3
    return 0


async def _until_told(work: Coroutine[object, object, None]) -> None:
    """Do the work; a signal ends it, and with it the agent."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        with suppress(ValueError):
            loop.add_signal_handler(number, task.cancel)
    await task


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    sys.exit(main(*sys.argv[1:]))
