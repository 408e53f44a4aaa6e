"""Emergency stops: end the processes of a run, check that none is left, then confirm."""

import logging
from collections.abc import Callable, Iterable
from itertools import chain
from time import monotonic, sleep, time

import msgspec

from handrail.intervene.incidents.folders import IncidentError, IncidentFolders
from handrail.intervene.incidents.gathering import NoSuchStopError, gather_incident
from handrail.intervene.incidents.record import Incident
from handrail.intervene.incidents.report import incident_report
from handrail.intervene.notify import Notification, Notifier
from handrail.intervene.processes.process_tree import EndedProcesses, ProcessFamily, end_processes
from handrail.model.event import Event, FaultNoted, Intervened, StopConfirmed
from handrail.redact import Redactor
from handrail.server.control.leftovers import clean_up, find_leftovers
from handrail.server.control.run_processes import agent_processes
from handrail.server.home import Home
from handrail.server.threads.process_jobs import ProcessJobs
from handrail.store.errors import StoreError
from handrail.supervise.supervisor import Supervisor

_log = logging.getLogger(__name__)

_GRACE = 3.0
"""Seconds for a host to end by itself: it got the reason, and shows it to the person."""
_END_SECONDS = 10.0
_POLL = 0.05


class EmergencyStops:
    """Carries out emergency stops, each in a thread of its own."""

    def __init__(
        self,
        home: Home,
        record: Callable[[str, Event], None],
        notifier: Notifier,
        events: Callable[[str], Iterable[Event]],
        *,
        jobs: ProcessJobs | None = None,
        clock: Callable[[], float] = time,
    ) -> None:
        """`events`: reads a run's events from the log.

        `jobs`: shared by everything that acts on processes, to keep one order.
        """
        self._home = home
        self._record = record
        self._notifier = notifier
        self._events = events
        self._clock = clock
        self._jobs = jobs or ProcessJobs()

    def stop(self, supervisor: Supervisor, event: Intervened) -> None:
        """Start to stop a run; a second call changes nothing. Called in the supervision thread."""
        state, done = supervisor.state, event.intervention
        family = agent_processes(state, self._home)
        attended = state.attended
        run = state.run
        title = f"Handrail stopped {state.cwd.rpartition('/')[2]} ({run[:8]})"
        project, redactor = supervisor.project, supervisor.redactor
        snapshot = msgspec.json.encode(state)
        cleans = project.config.interventions.emergency_stop.auto_cleanup

        def work() -> None:
            with self._jobs.turns:
                confirmed = self._confirmed(done.incident, family, keep_host=attended)
            record = self._gathered(run, confirmed, redactor)
            if record is not None:
                if cleans:
                    record.cleaned = clean_up(record, family, self._home, self._clock)
                clean = redactor.value(msgspec.json.decode(snapshot))
                self._save(run, record, clean)
            self._record(run, confirmed)
            if record is not None and record.cleaned is not None:
                self._record(run, record.cleaned)
            left = f"{confirmed.says}: {', '.join(confirmed.left)}" if confirmed.left else ""
            body = (done.finding.says, left, f"handrail incident show {done.incident}")
            said = redactor.text("\n".join(filter(None, body)))
            self._notifier.tell(project.config.notify, Notification(title, said, urgent=True))

        self._jobs.begin(run, f"emergency stop {done.incident}", work)

    def settle(self) -> None:
        """Wait for all stops under way."""
        self._jobs.settle()

    def _confirmed(self, incident: str, family: ProcessFamily, *, keep_host: bool) -> StopConfirmed:
        """Stop the run, and record the result whatever happens."""
        try:
            return self._carry_out(incident, family, keep_host=keep_host)
        except Exception as error:  # noqa: BLE001 - a stop without an end would never be told
            _log.exception("a run could not be stopped")
            says = f"it is not known what is left of the run: {error}"
            return StopConfirmed(self._clock(), incident, says=says)

    def _carry_out(self, incident: str, family: ProcessFamily, *, keep_host: bool) -> StopConfirmed:
        below = end_processes(family, keep_host=True, seconds=_END_SECONDS)
        until = monotonic() + _GRACE
        while not keep_host and family.look() and monotonic() < until:
            sleep(_POLL)
        rest = end_processes(family, keep_host=keep_host, seconds=_END_SECONDS)
        ended = EndedProcesses((*below.ended, *rest.ended), rest.left)
        return StopConfirmed(self._clock(), incident, *_said(ended, keep_host))

    def _gathered(self, run: str, confirmed: StopConfirmed, redactor: Redactor) -> Incident | None:
        """Make the record of a stop; the stop counts even if this fails."""
        try:
            events = chain(self._events(run), (confirmed,))
            record = gather_incident(run, confirmed.incident, events, redactor)
            record.leftovers = find_leftovers(record, self._home)
        except Exception as error:  # noqa: BLE001 - what was stopped is told in any case
            self._fail(run, error)
            return None
        return record

    def _save(self, run: str, record: Incident, state: object) -> None:
        """Write the incident; the stop counts even if this fails."""
        try:
            IncidentFolders(self._home.incidents).save(record, incident_report(record), state)
        except Exception as error:  # noqa: BLE001 - what was stopped is told in any case
            self._fail(run, error)

    def _fail(self, run: str, error: Exception) -> None:
        if not isinstance(error, IncidentError | NoSuchStopError | StoreError):
            _log.error("an incident could not be written", exc_info=error)
        self._record(run, FaultNoted(self._clock(), "incident", str(error)))


def _said(ended: EndedProcesses, keep_host: bool) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    if ended.left:
        says = "some processes could not be ended"
    elif keep_host:
        says = "no process of the run is left but the window that the person sits at"
    else:
        says = "no process of the run is left"
    return ended.ended, ended.left, says
