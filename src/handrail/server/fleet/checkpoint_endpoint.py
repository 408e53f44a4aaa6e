"""The endpoints for checkpoints and rollbacks of whole fleets."""

import asyncio
import json
import logging
import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from time import time
from typing import Protocol, TypeVar
from uuid import uuid4

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from handrail.checkpoint import CheckpointError, CheckpointTrigger
from handrail.checkpoint.names import check_name
from handrail.fleet.engine.engine import FleetError
from handrail.fleet.engine.events import AttemptOutcome, Lease
from handrail.fleet.engine.fleet_state import FleetState
from handrail.fleet.engine.lease_clock import this_machine
from handrail.fleet.engine.log_engine import LogEngine
from handrail.fleet.engine.requests import ClaimTask, FinishAttempt, FleetRequest
from handrail.fleet.rollback.checkpoint_data import (
    BEFORE_ROLLBACK,
    BEFORE_UNATTENDED,
    FleetCheckpoint,
    after_task,
    checkpoint_name,
)
from handrail.fleet.rollback.checkpoint_files import FleetCheckpointFiles
from handrail.fleet.rollback.errors import (
    CheckpointNotFoundError,
    FleetCheckpointError,
    NothingToRedoError,
)
from handrail.fleet.rollback.journal import RollbackJournal, RollbackOrder
from handrail.fleet.rollback.preview import FleetRollbackPreview, preview_rollback
from handrail.fleet.rollback.rolling_back import FleetParts, RollbackResult, RollingBack
from handrail.fleet.rollback.taking import CheckpointTaker
from handrail.fleet.tasks.task import TaskStatus
from handrail.fleet.workspaces.repository import FleetRepository, find_repository
from handrail.fleet.workspaces.workspace_errors import WorkspaceError
from handrail.model.fingerprint import text_key
from handrail.server.fleet.lane_tree_files import FileLanes, LaneTreeFiles, Restores
from handrail.server.fleet.places import fleet_folder, open_merging, open_workspaces
from handrail.server.fleet.rollback_messages import (
    PREVIEW,
    ROLL_BACK,
    SAVE,
    FleetRollbackRequest,
    FleetSaveRequest,
)
from handrail.server.fleet.slot_work import LocalSlotWork
from handrail.server.home import Home
from handrail.server.http.json_response import json_response, read_json
from handrail.server.http.routes import EndpointError, EndpointRow
from handrail.server.threads.keyed_executor import log_failure
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.supervise.runs.project import Project, Projects

_log = logging.getLogger(__name__)

T = TypeVar("T")
_NOT_FOUND = 404
_REFUSED = 409


class RollbackRefusedError(EndpointError):
    """A checkpoint or a rollback is not possible; the text ends with a code for programs."""

    def __init__(self, error: Exception) -> None:
        code = error.code if isinstance(error, FleetCheckpointError) else "CHECKPOINT_FAILED"
        super().__init__(f"{error} ({code})")
        self.status = _NOT_FOUND if isinstance(error, CheckpointNotFoundError) else _REFUSED


class FleetChangedError(EndpointError):
    """The fleet is not as a preview has shown it."""

    status = _REFUSED

    def __init__(self) -> None:
        super().__init__("the fleet changed while you were looking; look again")


class Engines(Protocol):
    """The engines of all fleets."""

    def engine_of(self, repository: FleetRepository, project: Project) -> LogEngine:
        """Return the engine of a repository."""


class FleetCheckpointEndpoint:
    """Saves fleets, and takes them back. The work blocks, so threads do it."""

    def __init__(
        self,
        supervision: SupervisionThread,
        projects: Projects,
        engines: Engines,
        lanes: FileLanes,
        restores: Restores,
        home: Home,
        environ: Mapping[str, str],
        loop: asyncio.AbstractEventLoop,
        clock: Callable[[], float] = time,
    ) -> None:
        self._supervision = supervision
        self._projects = projects
        self._engines = engines
        self._lanes = lanes
        self._restores = restores
        self._home = home
        self._environ = environ
        self._loop = loop
        self._clock = clock
        self._one_at_a_time = threading.Lock()
        self._automatic = ThreadPoolExecutor(1, "fleet-checkpoints")
        self._counted: dict[str, int] = {}
        """By fleet, how many tasks were done at its last checkpoint."""

    def routes(self) -> tuple[EndpointRow, ...]:
        """Return its endpoints."""
        return (
            EndpointRow("POST", SAVE, self.save),
            EndpointRow("POST", PREVIEW, self.preview),
            EndpointRow("POST", ROLL_BACK, self.roll_back),
        )

    async def save(self, request: Request) -> Response:
        """Save a fleet: tasks, agents, engine, and the files of every work tree."""
        return json_response(await self.save_fleet(await read_json(request, FleetSaveRequest)))

    async def preview(self, request: Request) -> Response:
        """Say what a rollback of a fleet would lose; nothing changes."""
        return json_response(await self.look(await read_json(request, FleetRollbackRequest)))

    async def roll_back(self, request: Request) -> Response:
        """Take a fleet back to a checkpoint, or take the last rollback back."""
        return json_response(await self.take_back(await read_json(request, FleetRollbackRequest)))

    async def save_fleet(self, wanted: FleetSaveRequest) -> FleetCheckpoint:
        """Save a fleet."""
        if wanted.name:
            check_name(wanted.name)
        label = wanted.name or (BEFORE_UNATTENDED if wanted.unattended else "")
        moment = CheckpointTrigger.UNATTENDED if wanted.unattended else CheckpointTrigger.REQUEST
        return await self._with(wanted.folder, lambda parts: self._take(parts, label, moment))

    async def look(self, wanted: FleetRollbackRequest) -> FleetRollbackPreview:
        """Return what a rollback would change and lose."""
        return await self._with(wanted.folder, lambda parts: _look(parts, wanted))

    async def take_back(self, wanted: FleetRollbackRequest, expects: str = "") -> RollbackResult:
        """Take a fleet back; `expects`: the digest of the preview that a person saw, if any.

        Raises FleetChangedError if it would not be the same any more.
        """
        return await self._with(
            wanted.folder, lambda parts: self._roll_back(parts, wanted, expects)
        )

    async def finish_interrupted(self) -> None:
        """Finish the rollbacks in whose middle the last daemon was killed."""
        for journal in await asyncio.to_thread(self._interrupted):
            order = journal.read()
            if order is None:
                _log.error("the journal of a rollback cannot be read; it is given up")
                journal.abort()
                continue
            try:
                done = await self._with(
                    order.top,
                    lambda parts, order=order: RollingBack(parts).go_on(order),  # type: ignore[misc]
                )
                _log.info("finished the rollback to %s: %s", order.target, done.problems or "ok")
            except (RollbackRefusedError, OSError) as error:
                _log.error("the rollback to %s ended: %s", order.target, error)

    # What the calls of schedulers and drivers mean here

    def may(self, fleet: str, request: FleetRequest) -> bool:
        """Return whether a call may be carried out: nobody claims a task during a rollback."""
        return not isinstance(request, ClaimTask) or not self._journal(fleet).is_open

    def performed(
        self, repository: FleetRepository, project: Project, request: FleetRequest
    ) -> None:
        """Take a checkpoint after every few completed tasks, in the background."""
        every = project.config.checkpoints.every_tasks
        if not isinstance(request, FinishAttempt) or not every:
            return
        if request.result.outcome is AttemptOutcome.DONE and project.config.checkpoints.enabled:
            task = request.ticket.task
            work = self._automatic.submit(self._count, repository, project, task, every)
            work.add_done_callback(log_failure)

    # In a thread

    async def _with(self, folder: str, work: Callable[[FleetParts], T]) -> T:
        """Do work on the fleet of a folder, one at a time."""
        project = await self._supervision.call(lambda: self._projects.at(folder))

        def do() -> T:
            with self._one_at_a_time:
                return work(self._parts(find_repository(folder), project))

        try:
            return await asyncio.to_thread(do)
        except (FleetError, CheckpointError, WorkspaceError) as error:
            raise RollbackRefusedError(error) from None

    def _take(self, parts: FleetParts, label: str, moment: CheckpointTrigger) -> FleetCheckpoint:
        return parts.taker.take(parts.engine.state(), label, moment, self._clock())

    def _roll_back(
        self, parts: FleetParts, wanted: FleetRollbackRequest, expects: str
    ) -> RollbackResult:
        target = _target(parts, wanted)
        if expects and preview_digest(preview_rollback(parts, target)) != expects:
            raise FleetChangedError
        order = RollbackOrder(
            id=str(uuid4()),
            top=parts.workspaces.repository,
            target=target.name,
            before=checkpoint_name(BEFORE_ROLLBACK, self._clock(), parts.files.names()),
            by=wanted.by,
            keep=wanted.keep,
            over=wanted.over,
            redo=wanted.redo,
        )
        result = RollingBack(parts).begin(order)
        self._counted.clear()
        return result

    def _count(self, repository: FleetRepository, project: Project, task: str, every: int) -> None:
        """Take a checkpoint if enough tasks were completed since the last one."""
        with self._one_at_a_time:
            parts = self._parts(repository, project)
            state = parts.engine.state()
            done, last = _done(state), self._last_count(repository.fleet, parts, state)
            if done // every > last // every:
                self._take(parts, after_task(task), CheckpointTrigger.TASKS)
                self._counted[repository.fleet] = done

    def _last_count(self, fleet: str, parts: FleetParts, state: FleetState) -> int:
        """Return how many tasks were done at the last checkpoint after tasks."""
        if fleet not in self._counted:
            counted = (
                each.done
                for each in parts.files.newest_first()
                if each.moment is CheckpointTrigger.TASKS
            )
            self._counted[fleet] = next(counted, 0)
        last, done = self._counted[fleet], _done(state)
        return last if last <= done else done - 1  # after a rollback fewer are done

    def _parts(self, repository: FleetRepository, project: Project) -> FleetParts:
        settings = project.config.checkpoints
        trees = LaneTreeFiles(self._lanes, self._restores, settings, self._loop)
        workspaces = open_workspaces(self._home, repository, self._environ)
        folder = fleet_folder(self._home.path, repository.fleet)
        files = FleetCheckpointFiles(os.path.join(folder, "checkpoints"))
        slots = LocalSlotWork(
            self._home, repository, workspaces, project.config.fleet, this_machine(), self._environ
        )

        def end_attempt(lease: Lease, run: str) -> str:
            work = slots.end_attempt(lease, run)
            return asyncio.run_coroutine_threadsafe(work, self._loop).result()

        return FleetParts(
            engine=self._engines.engine_of(repository, project),
            workspaces=workspaces,
            merging=open_merging(self._home, repository, self._environ),
            trees=trees,
            files=files,
            taker=CheckpointTaker(workspaces, trees, files, folder, self._environ),
            journal=self._journal(repository.fleet),
            end_attempt=end_attempt,
            environ=self._environ,
            clock=self._clock,
        )

    def _journal(self, fleet: str) -> RollbackJournal:
        return RollbackJournal(fleet_folder(self._home.path, fleet))

    def _interrupted(self) -> list[RollbackJournal]:
        try:
            fleets = os.listdir(os.path.join(self._home.path, "fleet"))
        except FileNotFoundError:
            return []
        return [each for each in map(self._journal, fleets) if each.is_open]


def preview_digest(look: FleetRollbackPreview) -> str:
    """Return a short name for the tasks, commits, merges and workspaces that a preview shows.

    Files that agents at work write from moment to moment do not count.
    """
    made = [each.name for each in look.workspaces]
    shown = (look.name, look.done_since, look.added_since, look.tasks, look.commits, look.merges)
    return text_key(json.dumps(msgspec.to_builtins((*shown, made)), sort_keys=True))


def _look(parts: FleetParts, wanted: FleetRollbackRequest) -> FleetRollbackPreview:
    return preview_rollback(parts, _target(parts, wanted))


def _target(parts: FleetParts, wanted: FleetRollbackRequest) -> FleetCheckpoint:
    if not wanted.redo:
        return parts.files.find(wanted.checkpoint)
    last = parts.journal.last()
    if last is None or last.redone:
        raise NothingToRedoError
    return parts.files.read(last.before)


def _done(state: FleetState) -> int:
    return sum(each.status is TaskStatus.DONE for each in state.tasks.values())
