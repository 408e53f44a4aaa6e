"""The driver's connection to the daemon, which also writes the task's audit log."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from time import time

import msgspec

from handrail.control.client import make_request, request_stages
from handrail.drive.daemon_client import (
    DriverReport,
    IterationPermission,
    LoopProgress,
    LoopStart,
)
from handrail.fleet.engine.engine import FleetEngine, Renewal, StaleAttemptError, Ticket
from handrail.fleet.engine.events import TaskAudited
from handrail.fleet.recovery.stall import STALL_ITERATIONS, IdleCounter
from handrail.fleet.test_results.suite_result import SuiteResult
from handrail.fleet.test_results.test_status import read_test_status
from handrail.fleet.workspaces.workspace_errors import WorkspaceError
from handrail.fleet.workspaces.workspace_mark import WorkspaceMark, mark_of
from handrail.fleet.workspaces.workspace_records import Workspace
from handrail.fleet.workspaces.workspace_work import WorkspaceStatus, workspace_status
from handrail.model.control import HANDRAIL, ControlCommand, Standing
from handrail.server.control.connection import DaemonConnection
from handrail.server.driving.driver_client import SocketDaemonClient
from handrail.server.fleet.person_questions import PersonQuestions
from handrail.server.home import Home

_ASK_SECONDS = 30.0
_LOOK_SECONDS = 0.2
_WITH_FLEET = "its fleet is paused"
_MAX_FILES = 50
_MAX_ERROR = 2_000


class AttemptStoppedError(Exception):
    """A person stopped the run, and its task was given back."""

    def __init__(self, by: str) -> None:
        super().__init__(f"stopped by {by or 'a person'}")


class AuditedDaemonClient(SocketDaemonClient):
    """Writes one entry for every iteration: files, tests, last commit, error."""

    def __init__(
        self,
        home: Home,
        run: str,
        engine: FleetEngine,
        ticket: Ticket,
        workspace: Workspace,
        environ: Mapping[str, str],
        *,
        stall_iterations: int = STALL_ITERATIONS,
        questions: PersonQuestions | None = None,
    ) -> None:
        """`questions`: knows the answers of people that the agent has not heard yet."""
        super().__init__(home, run, environ=environ)
        self._engine = engine
        self._ticket = ticket
        self._workspace = workspace
        self.iteration = 0
        self._begun = 0
        self.tokens = 0
        self.cost_usd = 0.0
        self.seconds = 0.0
        self._audited_tokens = 0
        self._audited_cost = 0.0
        self._error = ""
        self._tests: SuiteResult | None = None
        self._questions = questions
        self._stall_iterations = stall_iterations
        self._idle = IdleCounter()
        self._seen: WorkspaceMark | None = None

    def remember(self, now: WorkspaceStatus) -> None:
        """Remember the work in the workspace before the first iteration."""
        self._seen = mark_of(self._workspace, now)

    @property
    def has_moved(self) -> bool:
        """Return whether its driver has finished an iteration."""
        return self.iteration > self._begun

    async def begin(self, loop: LoopStart) -> LoopProgress:
        """Announce the run. What a resumed one has used was audited by its last driver."""
        begun = await super().begin(loop)
        self._begun = max(begun.iteration, 1)
        self.tokens = self._audited_tokens = begun.tokens
        self.cost_usd = self._audited_cost = begun.cost_usd
        self.seconds = begun.seconds
        return begun

    async def may_begin(self, iteration: int) -> IterationPermission:
        """Ask for the next iteration, after an entry about the last one."""
        if iteration != self.iteration:
            if self.iteration:
                await self.audit()
            await self._pause_with_fleet()
        self.iteration = iteration
        while True:
            go = await super().may_begin(iteration)
            # Handrail stops a run that waited too long for a driver, and starts it again.
            if go.standing is Standing.STOPPED and not go.incident and go.by != HANDRAIL:
                raise AttemptStoppedError(go.by)
            if go.standing is not Standing.STOPPING:
                return await self._with_answers(go)
            await asyncio.sleep(_LOOK_SECONDS)  # its task is given back before it is stopped

    async def may_end(self, iteration: int, *, stuck: bool) -> IterationPermission:
        """Ask to end the loop; an answer that came late is news for the agent.

        A task that is stuck does not keep its slot until a person answers.
        """
        return await self._with_answers(await super().may_end(iteration, stuck=False))

    async def _with_answers(self, go: IterationPermission) -> IterationPermission:
        if self._questions is None or go.standing is not Standing.RUNNING:
            return go
        news = await self._questions.news()
        return msgspec.structs.replace(go, messages=(*go.messages, *news)) if news else go

    async def _pause_with_fleet(self) -> None:
        """Pause the run at this boundary if dispatch is closed: who opens it resumes the run."""
        if await self._renewed() != "paused":
            return
        state = await asyncio.to_thread(self._engine.state)
        await asyncio.to_thread(
            self._ask, ControlCommand.PAUSE, state.closed_by, state.closed_says or _WITH_FLEET
        )
        if await self._renewed() == "held":  # it was opened meanwhile, and nobody saw this run
            await asyncio.to_thread(self._ask, ControlCommand.RESUME, HANDRAIL, "")

    async def _renewed(self) -> Renewal:
        return await asyncio.to_thread(self._engine.renew, self._ticket)

    def _ask(self, command: ControlCommand, by: str, reason: str) -> None:
        request = make_request(command, self._run, by=by, reason=reason)
        connection = DaemonConnection(self._home, self._environ)
        for _ in request_stages(connection, request, seconds=_ASK_SECONDS):
            pass

    async def report(self, report: DriverReport) -> None:
        """Report to the daemon, and remember what belongs into the next entry."""
        if report.kind == "usage":
            self.tokens, self.cost_usd = report.tokens, report.cost_usd
            self.seconds = report.seconds
        elif report.kind == "verified":
            self._error = "" if report.ok else report.says[-_MAX_ERROR:]
            began = time() - report.ms / 1000
            self._tests = await asyncio.to_thread(
                read_test_status, report.says, self._workspace.path, began
            )
        await super().report(report)
        if report.kind in ("done", "abort"):
            await self.audit(report.reason)

    async def audit(self, end: str = "") -> None:
        """Write the entry of the present iteration. `end`: of the loop, if this was the last."""
        with suppress(WorkspaceError, StaleAttemptError):
            now = await asyncio.to_thread(workspace_status, self._workspace, self._environ)
            await asyncio.to_thread(self._engine.note, self._entry(now, end))
            stall = self._stall(now)
            if stall is not None:
                await asyncio.to_thread(self._engine.note, stall)
                await self.report(
                    DriverReport(kind="stall", says=stall.says, iteration=self.iteration)
                )
            self._audited_tokens, self._audited_cost = self.tokens, self.cost_usd
            self._error, self._tests = "", None

    def _stall(self, now: WorkspaceStatus) -> TaskAudited | None:
        """Return an entry when nothing has moved for too many iterations."""
        before, self._seen = self._seen, mark_of(self._workspace, now)
        if before is None:
            return None
        self._idle = self._idle.after_iteration(
            committed=before.commit != self._seen.commit,
            changed_files=before.files != self._seen.files,
        )
        if not self._idle.is_stalled(self._stall_iterations):
            return None
        says = f"no commit and no changed file in {self._idle.idle} iterations"
        self._idle = IdleCounter()  # the stall is reported once
        ticket = self._ticket
        return TaskAudited(
            time(), ticket.task, ticket.attempt, "stall", says, iteration=self.iteration
        )

    def _entry(self, now: WorkspaceStatus, end: str) -> TaskAudited:
        files = tuple(dict.fromkeys((*now.uncommitted, *now.changed)))[:_MAX_FILES]
        return TaskAudited(
            time(),
            self._ticket.task,
            self._ticket.attempt,
            "iteration",
            iteration=self.iteration,
            files=files,
            commit=f'{now.last.hash[:12]} "{now.last.subject}"' if now.last else "",
            passed=self._tests.passed if self._tests else -1,
            failed=self._tests.failed if self._tests else -1,
            error=self._error,
            tokens=self.tokens - self._audited_tokens,
            cost_usd=self.cost_usd - self._audited_cost,
            end=end,
            run=self._run if end else "",
        )
