"""The endpoint for schedulers, drivers and people: one engine for each repository."""

import asyncio
import logging
import os
import threading
from collections.abc import Callable
from functools import partial
from time import monotonic

from starlette.requests import Request
from starlette.responses import Response

from handrail.fleet.engine import FleetError
from handrail.fleet.log_engine import PRESENCE_SECONDS, EngineRules, LogEngine
from handrail.fleet.redaction import without_secrets
from handrail.fleet.repository import FleetRepository, find_repository
from handrail.fleet.requests import FleetAnswer, FleetCall, perform, refused
from handrail.fleet.state_loading import LoadedFleet, load_fleet, write_backup
from handrail.server.http.json_response import json_response, read_json
from handrail.server.http.routes import EndpointRow
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.store.port import Store
from handrail.supervise.runs.project import Project, Projects

_log = logging.getLogger(__name__)

BACKUP_SECONDS = 300.0
_IDLE_SECONDS = 10.0
_MOST_BYTES = 20_000_000
PATH = "/fleet"


class OpenFleet:
    """The fleet of one repository while the daemon runs."""

    def __init__(self, engine: LogEngine, loaded: LoadedFleet) -> None:
        self.engine = engine
        self.loaded = loaded
        """How its state was found."""
        self.backed_up = loaded.state.seq


class FleetEndpoint:
    """Answers the calls about all fleets. Engines block on the disk, so threads run them."""

    def __init__(
        self,
        supervision: SupervisionThread,
        projects: Projects,
        store: Store,
        home: str,
        *,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """`home`: the state folder, for the backups."""
        self._supervision = supervision
        self._projects = projects
        self._store = store
        self._home = home
        self._clock = clock
        self._fleets: dict[str, OpenFleet] = {}
        self._lock = threading.Lock()

    def routes(self) -> tuple[EndpointRow, ...]:
        """Return its endpoint."""
        return (EndpointRow("POST", PATH, self.call),)

    async def call(self, request: Request) -> Response:
        """Carry out one verb of the engine of a folder's repository."""
        call = await read_json(request, FleetCall, _MOST_BYTES)
        project = await self._supervision.call(lambda: self._projects.at(call.folder))
        return json_response(await asyncio.to_thread(self._perform, call, project))

    async def keep(self) -> None:
        """Write backups now and then, and tell the engines that the daemon runs."""
        backed_up = self._clock()
        while True:
            await asyncio.sleep(PRESENCE_SECONDS if self._fleets else _IDLE_SECONDS)
            for fleet in list(self._fleets.values()):
                fleet.engine.note_presence()
            if self._clock() - backed_up >= BACKUP_SECONDS:
                backed_up = self._clock()
                await asyncio.to_thread(self.back_up)

    def back_up(self) -> None:
        """Write a backup of every fleet that has changed."""
        for name, fleet in list(self._fleets.items()):
            state = fleet.engine.state()
            if state.seq == fleet.backed_up:
                continue
            try:
                write_backup(self._backups(name), state)
            except (OSError, ValueError):
                _log.exception("the backup of the fleet %s failed", name)
            else:
                fleet.backed_up = state.seq

    def _perform(self, call: FleetCall, project: Project) -> FleetAnswer:
        try:
            fleet = self._open(find_repository(call.folder), project)
        except FleetError as error:
            return refused(error)
        return perform(fleet.engine, call.request)

    def _open(self, repository: FleetRepository, project: Project) -> OpenFleet:
        with self._lock:
            fleet = self._fleets.get(repository.fleet)
            if fleet is None:
                loaded = load_fleet(self._store, repository.fleet, self._backups(repository.fleet))
                for problem in loaded.problems:
                    _log.warning("the fleet %s: %s", repository.fleet, problem)
                engine = LogEngine(self._store, repository.fleet, loaded.state)
                fleet = self._fleets[repository.fleet] = OpenFleet(engine, loaded)
            fleet.engine.go_by(
                EngineRules.of(project.config.fleet),
                clean=partial(without_secrets, redactor=project.redactor),
            )
            return fleet

    def _backups(self, fleet: str) -> str:
        return os.path.join(self._home, "fleet", fleet)
