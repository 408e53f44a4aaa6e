"""The operations on emergency stops."""

import asyncio
from collections.abc import Callable, Iterable, Mapping

import msgspec

from handrail.api.messages.incidents import (
    IncidentDetail,
    IncidentList,
    IncidentRow,
    RecoveryAnswer,
    RecoveryOrder,
    RecoveryRow,
)
from handrail.intervene.incidents.folders import (
    IncidentError,
    IncidentFolders,
    NoSuchIncidentError,
    StoredIncident,
)
from handrail.intervene.incidents.record import Incident
from handrail.intervene.incidents.recovery import (
    NO_SAFE_CHECKPOINT,
    RECOVERIES,
    Recovery,
    RecoveryOption,
)
from handrail.intervene.incidents.report import incident_report, incident_timeline
from handrail.server.api.api_routes import Handler
from handrail.server.api.call import ApiCall
from handrail.server.api.live_log import LiveLog
from handrail.server.api.pages import PagePlace
from handrail.server.api.problems import ProblemError
from handrail.server.api.unfiled_stops import UnfiledStops
from handrail.server.control.driven_session import driven_name, next_command
from handrail.server.control.incident_recovery import IncidentRecovery, RecoveryChoice
from handrail.supervise.runs.run_names import names_of_runs, project_of
from handrail.words.recoveries import recovery_in_words, where_next
from handrail.words.sentence import in_words

_DECIDED = "A person has decided about it already."


class IncidentOperations:
    """Lists emergency stops, tells about them, and takes decisions."""

    def __init__(
        self,
        recovery: IncidentRecovery,
        folders: IncidentFolders,
        live: LiveLog,
        clock: Callable[[], float],
    ) -> None:
        self._recovery = recovery
        self._folders = folders
        self._live = live
        self._clock = clock
        self._unfiled = UnfiledStops()

    def handlers(self) -> Mapping[str, Handler]:
        """Return its functions."""
        return {
            "list_incidents": self.list_incidents,
            "get_incident": self.get_incident,
            "recover": self.recover,
        }

    async def list_incidents(self, call: ApiCall) -> IncidentList:
        """Return the emergency stops: the open ones first, then the newest."""
        place = PagePlace.of(call)
        kept = await asyncio.to_thread(lambda: list(self._folders))
        filed = frozenset(await asyncio.to_thread(self._folders.names))
        now = self._clock()
        missing = await self._live.read(lambda store: self._unfiled.read(store, filed, now))
        found = [*map(StoredIncident, missing), *kept]
        found.sort(key=lambda each: (each.resolution is not None, -each.record.at))
        shown = place.cut(found)
        names = await self._names(each.record.run for each in shown)
        return IncidentList(tuple(_row(each, names) for each in shown), place.following(len(found)))

    async def get_incident(self, call: ApiCall) -> IncidentDetail:
        """Return the report of a stop, and the ways on."""
        stored = await self._find(call.path("incident"))
        record = stored.record
        names = await self._names([record.run])
        stop = record.stop
        return IncidentDetail(
            row=_row(stored, names),
            report=await asyncio.to_thread(self._report, record),
            timeline=incident_timeline(record),
            left=() if stop is None else stop.left,
            options=tuple(_option(stored, each) for each in RECOVERIES.values()),
        )

    async def recover(self, call: ApiCall) -> RecoveryAnswer:
        """Carry out a person's decision."""
        order, incident = call.body(RecoveryOrder), call.path("incident")
        stored = await self._find(incident)
        record, chosen = stored.record, _chosen(order.option)
        if why := _why_not(stored, chosen):
            raise ProblemError(409, "Not possible", why)
        choice = RecoveryChoice(chosen.option, order.note, call.caller.user)
        done = await self._recovery.choose(incident, choice)
        names = await self._names([record.run])
        lines = recovery_in_words(
            names[record.run],
            record,
            chosen,
            allowance=done.event.allowance,
            rolled_back=done.rolled_back,
            cleaned=done.cleaned,
        )
        command = await self._next(record) if chosen.resumes else ""
        row = _row(await self._find(incident), names)
        return RecoveryAnswer(
            says=" ".join((*lines, *([f"{where_next(record)}: {command}"] if command else ()))),
            incident=msgspec.structs.replace(row, open=False, decided=chosen.option.value),
            lines=tuple(lines),
            next=command,
            problem=done.rolled_back.problem if done.rolled_back else "",
        )

    async def _next(self, record: Incident) -> str:
        driven = await self._live.read(lambda store: driven_name(store, record.run))
        return await asyncio.to_thread(next_command, record, driven)

    async def _find(self, incident: str) -> StoredIncident:
        """Return a stop by its id. Raises NoSuchIncidentError, IncidentError."""
        try:
            return await asyncio.to_thread(self._folders.read, incident)
        except NoSuchIncidentError:
            now = self._clock()
            missing = await self._live.read(lambda store: self._unfiled.read(store, (), now))
            found = next((each for each in missing if each.id == incident), None)
            if found is None:
                raise
            return StoredIncident(found)

    def _report(self, record: Incident) -> str:
        try:
            return self._folders.report(record.id)
        except (IncidentError, OSError, UnicodeDecodeError):
            return incident_report(record)

    async def _names(self, runs: Iterable[str]) -> Mapping[str, str]:
        wanted = frozenset(runs)
        known = await self._live.read(lambda store: names_of_runs(store, wanted))
        return {run: known.get(run, run[:8]) for run in wanted}


def _row(stored: StoredIncident, names: Mapping[str, str]) -> IncidentRow:
    record, done = stored.record, stored.resolution
    finding = record.finding
    decided = f"{done.option}: {done.note}" if done and done.note else done.option if done else ""
    return IncidentRow(
        id=record.id,
        run=record.run,
        run_name=names.get(record.run) or f"{project_of(record.cwd)}-{record.run[:4]}",
        at=record.at,
        says=finding.says or in_words(finding.kind),
        cause=in_words(finding.kind),
        open=done is None,
        decided=decided,
    )


def _option(stored: StoredIncident, recovery: Recovery) -> RecoveryRow:
    why = _why_not(stored, recovery)
    label = in_words(recovery.option).capitalize()
    return RecoveryRow(recovery.option.value, label, recovery.says, not why, why)


def _why_not(stored: StoredIncident, recovery: Recovery) -> str:
    """Return why a way on is not possible, or ""."""
    if stored.resolution is not None:
        return _DECIDED
    if recovery.rolls_back and stored.record.checkpoint is None:
        return NO_SAFE_CHECKPOINT
    return ""


def _chosen(option: str) -> Recovery:
    try:
        return RECOVERIES[RecoveryOption(option)]
    except ValueError:
        known = ", ".join(RecoveryOption)
        raise ProblemError(400, "No such option", f"The options are {known}.") from None
