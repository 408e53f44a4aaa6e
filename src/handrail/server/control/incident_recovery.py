"""Recovers a stopped run as a person decides."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

import msgspec

from handrail.intervene.incidents.folders import IncidentError, IncidentFolders, Resolution
from handrail.intervene.incidents.record import Incident
from handrail.intervene.incidents.recovery import (
    NO_SAFE_CHECKPOINT,
    RECOVERIES,
    RecoveryOption,
    strict_allowance,
)
from handrail.intervene.incidents.report import incident_report
from handrail.model.event import CleanedUp, IncidentResolved, RolledBack
from handrail.server.control.leftovers import clean_up
from handrail.server.control.run_processes import agent_processes
from handrail.server.home import Home
from handrail.server.http.json_response import once_written
from handrail.server.http.routes import EndpointError
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.supervise.decision.decision_progress import Ready
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.state.stop_lookup import find_stop

_log = logging.getLogger(__name__)


class RecoveryChoice(msgspec.Struct, frozen=True):
    """A person's choice."""

    option: RecoveryOption
    note: str = ""
    by: str = ""
    """Who decides."""


class RecoveredRun(msgspec.Struct, frozen=True):
    """What a choice came to."""

    event: IncidentResolved
    rolled_back: RolledBack | None
    cleaned: CleanedUp | None


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
        home: Home,
        clock: Callable[[], float],
    ) -> None:
        """`settle`: waits for the work under way for a run, such as a rollback."""
        self._supervision = supervision
        self._runs = runs
        self._settle = settle
        self._home = home
        self._incidents = IncidentFolders(home.incidents)
        self._clock = clock

    async def choose(self, incident: str, choice: RecoveryChoice) -> RecoveredRun:
        """Carry out a choice, and return what it came to."""
        record = await self.record(incident)
        event = await self._supervision.answer(lambda: self._resolve(record, choice))
        rolled_back: RolledBack | None = None
        if event.checkpoint:
            await asyncio.to_thread(self._settle)
            rolled_back = await self._supervision.call(
                lambda: self._runs.get(record.run, record.cwd).state.course.rolled_back
            )
        cleaned = None if RECOVERIES[choice.option].resumes else await self._clean(record)
        resolution = Resolution(event.at, event.option, event.note)
        try:
            await asyncio.to_thread(self._incidents.resolve, incident, resolution)
        except IncidentError as error:  # the log has it
            _log.warning("%s", error)
        return RecoveredRun(event, rolled_back, cleaned)

    async def _clean(self, record: Incident) -> CleanedUp:
        """Clean up what the incident lists, and record what became of it."""
        family = await self._supervision.call(
            lambda: agent_processes(self._runs.get(record.run, record.cwd).state, self._home)
        )
        done = await asyncio.to_thread(clean_up, record, family, self._home, self._clock)

        def note() -> Ready[None]:
            supervisor = self._runs.get(record.run, record.cwd)
            return once_written(None, [supervisor.record(done)])

        await self._supervision.answer(note)
        return done

    async def record(self, incident: str) -> Incident:
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
        checkpoint = record.checkpoint
        known = {each.id for each in course.checkpoints}
        if recovery.rolls_back and (checkpoint is None or checkpoint.id not in known):
            raise CannotRecoverError(NO_SAFE_CHECKPOINT)
        event = IncidentResolved(
            self._clock(),
            record.id,
            choice.option,
            choice.note,
            strict_allowance(course.allowance) if recovery.limits else None,
            recovery.approval,
            checkpoint.id if recovery.rolls_back and checkpoint is not None else "",
            recovery.strict,
            choice.by,
        )
        return once_written(event, [supervisor.record(event)])
