"""The endpoint for schedulers, drivers and people: one engine for each repository."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic

from starlette.requests import Request
from starlette.responses import Response

from handrail.fleet.engine.engine import FleetError
from handrail.fleet.engine.engine_rules import EngineRules
from handrail.fleet.engine.events import DispatchClosed, DispatchOpened
from handrail.fleet.engine.lease_times import PRESENCE_SECONDS
from handrail.fleet.engine.log_engine import LogEngine
from handrail.fleet.engine.redaction import without_secrets
from handrail.fleet.engine.requests import (
    ChangedFleets,
    DispatchChange,
    FleetAnswer,
    FleetCall,
    FleetRequest,
    perform,
    refused,
)
from handrail.fleet.tasks.task import OPEN
from handrail.fleet.workspaces.repository import FleetRepository, find_repository
from handrail.server.fleet.open_fleets import OpenFleets
from handrail.server.fleet.places import DISPATCH, ENDPOINT
from handrail.server.http.json_response import json_response, read_json
from handrail.server.http.routes import EndpointRow
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.supervise.runs.project import Project, Projects

BACKUP_SECONDS = 300.0
_IDLE_SECONDS = 10.0
_MOST_BYTES = 20_000_000


class FleetEndpoint:
    """Answers the calls about all fleets. Engines block on the disk, so threads run them."""

    def __init__(
        self,
        supervision: SupervisionThread,
        projects: Projects,
        fleets: OpenFleets,
        clock: Callable[[], float],
    ) -> None:
        self._supervision = supervision
        self._projects = projects
        self._fleets = fleets
        self._clock = clock
        self.may: Callable[[str, FleetRequest], bool] = lambda fleet, request: True
        """Whether a call of a fleet may be carried out; a claim that may not finds no task."""
        self.performed: Sequence[Callable[[FleetRepository, Project, FleetRequest], None]] = ()
        """Told of every call that was carried out."""

    def routes(self) -> tuple[EndpointRow, ...]:
        """Return its endpoints."""
        return (
            EndpointRow("POST", ENDPOINT, self.call),
            EndpointRow("POST", DISPATCH, self.dispatch),
        )

    async def call(self, request: Request) -> Response:
        """Carry out one verb of the engine of a folder's repository."""
        call = await read_json(request, FleetCall, _MOST_BYTES)
        project = await self._supervision.call(lambda: self._projects.at(call.folder))
        return json_response(await asyncio.to_thread(self._perform, call, project))

    async def dispatch(self, request: Request) -> Response:
        """Close or open the dispatch of every fleet with open tasks, before anything else."""
        change = await read_json(request, DispatchChange)
        return json_response(await self.change_dispatch(change))

    async def change_dispatch(self, change: DispatchChange) -> ChangedFleets:
        """Close or open the dispatch of every fleet with open tasks; return those that changed."""
        return await asyncio.to_thread(self._dispatch, change)

    async def keep(self) -> None:
        """Write backups now and then, and tell the engines that the daemon runs."""
        backed_up = monotonic()
        while True:
            opened = self._fleets.opened()
            await asyncio.sleep(PRESENCE_SECONDS if opened else _IDLE_SECONDS)
            for fleet in opened:
                fleet.engine.note_presence()
            if monotonic() - backed_up >= BACKUP_SECONDS:
                backed_up = monotonic()
                await asyncio.to_thread(self._fleets.back_up)

    def engine_of(self, repository: FleetRepository, project: Project) -> LogEngine:
        """Return the engine of a repository."""
        engine = self._fleets.open(repository.fleet).engine
        engine.go_by(
            EngineRules.of(project.config.fleet),
            clean=partial(without_secrets, redactor=project.redactor),
            folder=repository.top,
        )
        return engine

    def _perform(self, call: FleetCall, project: Project) -> FleetAnswer:
        try:
            repository = find_repository(call.folder)
            engine = self.engine_of(repository, project)
        except FleetError as error:
            return refused(error)
        if not self.may(repository.fleet, call.request):
            return FleetAnswer()
        answer = perform(engine, call.request)
        if answer.refused is None:
            for told in self.performed:
                told(repository, project, call.request)
        return answer

    def _dispatch(self, change: DispatchChange) -> ChangedFleets:
        changed = []
        for fleet in self._fleets.all():
            state = fleet.engine.state()
            is_open = any(each.status in OPEN for each in state.tasks.values())
            if state.given_up or state.closed == (not change.open) or not (is_open or change.open):
                continue
            at = self._clock()
            fleet.engine.record(
                DispatchOpened(at, change.by)
                if change.open
                else DispatchClosed(at, change.by, change.says)
            )
            changed.append(fleet.name)
        return ChangedFleets(tuple(changed))
