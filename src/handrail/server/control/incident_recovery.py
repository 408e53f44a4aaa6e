"""Recovers a stopped run as a person decides."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from handrail.intervene.incidents.folders import IncidentError, IncidentFolders, Resolution
from handrail.intervene.incidents.record import Incident
from handrail.intervene.incidents.recovery import (
    RECOVERIES,
    RecoveryOption,
    safe_checkpoint,
    strict_allowance,
)
from handrail.intervene.incidents.report import incident_report
from handrail.model.decodable import decodable
from handrail.model.event import IncidentResolved, RolledBack
from handrail.server.http.json_response import json_response, once_written, read_json
from handrail.server.http.routes import EndpointError, EndpointRow
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.supervise.decision.decision_progress import Ready
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.state.stop_lookup import find_stop

_log = logging.getLogger(__name__)


@decodable
class RecoveryChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person's choice."""

    option: RecoveryOption
    note: str = ""


class CannotRecoverError(EndpointError):
    """The choice cannot be carried out."""

    status = 409


class IncidentRecovery:
    """Carries out a person's decision about an incident."""

    def __init__(
        self,
        supervision: SupervisionThread,
        runs: RunRegistry,
        settle: Callable[[], None],
        incidents: str,
        clock: Callable[[], float],
    ) -> None:
        """`settle`: waits for the work under way for a run, such as a rollback."""
        self._supervision = supervision
        self._runs = runs
        self._settle = settle
        self._incidents = IncidentFolders(incidents)
        self._clock = clock

    def routes(self) -> tuple[EndpointRow, ...]:
        """Return its endpoint."""
        return (EndpointRow("POST", "/incidents/{incident}", self.endpoint),)

    async def endpoint(self, request: Request) -> Response:
        """Continue a stopped run, or end it for good, as a person decided."""
        choice = await read_json(request, RecoveryChoice)
        return json_response(await self.choose(request.path_params["incident"], choice))

    async def choose(self, incident: str, choice: RecoveryChoice) -> dict[str, object]:
        """Carry out a choice, and return a sentence about it."""
        record = await self._record(incident)
        event = await self._supervision.answer(lambda: self._resolve(record, choice))
        rolled_back: RolledBack | None = None
        if event.checkpoint:
            await asyncio.to_thread(self._settle)
            rolled_back = await self._supervision.call(
                lambda: self._runs.get(record.run, record.cwd).state.course.rolled_back
            )
        resolution = Resolution(event.at, event.option, event.note)
        try:
            await asyncio.to_thread(self._incidents.resolve, incident, resolution)
        except IncidentError as error:  # the log has it
            _log.warning("%s", error)
        return {
            "ok": True,
            "run": record.run,
            "host": record.host,
            "cwd": record.cwd,
            "event": event,
            "rolled_back": rolled_back,
        }

    async def _record(self, incident: str) -> Incident:
        """Read an incident; make it from the log if its folder could not be written."""
        try:
            return (await asyncio.to_thread(self._incidents.read, incident)).record
        except IncidentError:
            found = await self._supervision.call(lambda: find_stop(self._runs.journal, incident))
            if found is None:
                raise
        with suppress(IncidentError):
            await asyncio.to_thread(self._incidents.save, found, incident_report(found))
        return found

    def _resolve(self, record: Incident, choice: RecoveryChoice) -> Ready[IncidentResolved]:
        supervisor = self._runs.get(record.run, record.cwd)
        course = supervisor.state.course
        if course.stopped != record.id:
            raise CannotRecoverError(f"incident {record.id} was resolved before")
        recovery = RECOVERIES[choice.option]
        checkpoint = safe_checkpoint(course.checkpoints, record.finding)
        if recovery.rolls_back and checkpoint is None:
            raise CannotRecoverError("there is no checkpoint from before the trouble began")
        event = IncidentResolved(
            self._clock(),
            record.id,
            choice.option,
            choice.note,
            strict_allowance(course.allowance) if recovery.limits else None,
            recovery.approval,
            checkpoint.id if recovery.rolls_back and checkpoint is not None else "",
            recovery.strict,
        )
        return once_written(event, [supervisor.record(event)])
