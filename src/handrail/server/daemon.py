"""The daemon: one process that supervises all sessions of a user."""

import asyncio
import logging
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from time import time
from typing import Any, get_args

import msgspec
from starlette.types import ASGIApp

from handrail import __version__
from handrail.checkpoint import ConversationPosition
from handrail.control.handler import ControlHandler
from handrail.control.response_log import ResponseLog
from handrail.control.topic_inbox import TopicInbox
from handrail.hosts import HOSTS, find_host
from handrail.hosts.port import HookConnection
from handrail.intervene import Capability
from handrail.intervene.notify import Notifier
from handrail.model.action import Action
from handrail.model.event import Event, FaultNoted, RunStarted
from handrail.review import Reviewer
from handrail.review.cache import ReadingCache
from handrail.server.api.components import Api
from handrail.server.control.command_actions import DaemonCommandActions
from handrail.server.control.driver_sessions import DriverSessions
from handrail.server.control.driver_watch import DriverWatch
from handrail.server.control.emergency_stops import EmergencyStops
from handrail.server.control.endpoint import ControlEndpoint, ResultWaiters
from handrail.server.control.incident_recovery import IncidentRecovery
from handrail.server.control.pause_waiters import PauseWaiters
from handrail.server.control.process_control import ProcessControl
from handrail.server.control.unlogged_stop import UnloggedStop
from handrail.server.files.checkpoint_scheduler import CheckpointScheduler
from handrail.server.files.event_reactions import EventReactions
from handrail.server.files.restore_endpoint import RestoreEndpoint
from handrail.server.fleet.checkpoint_endpoint import FleetCheckpointEndpoint
from handrail.server.fleet.endpoint import FleetEndpoint
from handrail.server.fleet.fleet_control import FleetControl
from handrail.server.fleet.fleet_notices import FleetNotices
from handrail.server.fleet.lease_watch import LeaseWatch
from handrail.server.fleet.open_fleets import OpenFleets
from handrail.server.fleet.pipeline_endpoint import PipelineEndpoint
from handrail.server.fleet.recovery_endpoint import FleetRecoveryEndpoint
from handrail.server.fleet.task_control import TaskControl
from handrail.server.guardian_link import GuardianLink, Refused
from handrail.server.home import Home
from handrail.server.http.app import make_app
from handrail.server.http.health import HealthEndpoint
from handrail.server.http.hook_endpoint import HookEndpoint
from handrail.server.http.metrics import Metrics
from handrail.server.http.second_opinions import SecondOpinions
from handrail.server.integrity import wording
from handrail.server.integrity.daemon_integrity import DaemonIntegrity
from handrail.server.listening_sockets import ListeningSockets
from handrail.server.panel.panel_server import PanelServer
from handrail.server.retention import Retention, keep_days, remove_incidents
from handrail.server.threads.process_jobs import ProcessJobs
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.server.usage_monitor import UsageMonitor
from handrail.shell import Reading
from handrail.store.journal import Journal
from handrail.store.opening import open_log
from handrail.supervise.log.topics import topic_of
from handrail.supervise.runs.project import Projects
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.state.run_state import Phase

_log = logging.getLogger(__name__)

_LISTED_SECONDS = 86_400
"""Seconds since its last event for which `status` lists a run: only those can hold calls."""
_PHASES: tuple[str, ...] = get_args(Phase)


class Daemon:
    """The components of the daemon, built and connected."""

    def __init__(
        self, home: Home, environ: Mapping[str, str], loop: asyncio.AbstractEventLoop
    ) -> None:
        """Build all parts, each from those above it, and connect them to the events of runs."""
        environ = {**environ, "HANDRAIL_HOME": home.path}
        self.home = home
        self._environ = environ
        self.metrics = Metrics()
        self.store = open_log(home.log, "write")
        self.supervision = SupervisionThread()
        journal = Journal(self.store, observers=[self.metrics.on_event])
        results = ResultWaiters()
        responses = ResponseLog(self.store, later=self.supervision.submit, listen=results.tell)
        self.scheduler = CheckpointScheduler(
            home.path, environ, self._record, conversation=self._conversation
        )
        hosts = {name: find_host(name) for name in HOSTS}
        can = {name: host.capabilities | {Capability.FILES} for name, host in hosts.items()}
        projects = Projects(environ)
        self.runs = RunRegistry(
            journal,
            projects,
            can=lambda host: can.get(host, frozenset()),
            planner=self.scheduler,
            delivered=responses.delivered,
        )
        connection = HookConnection(home.port, home.hook_token, home.client_path, home.installs)
        self.hooks = {
            name: host.hooks(self.runs, connection, environ) for name, host in hosts.items()
        }

        # What people ask for
        jobs = ProcessJobs()
        processes = ProcessControl(home, self.scheduler, jobs)
        self.restores = RestoreEndpoint(self.supervision, self.runs, self.scheduler, time)
        self.incident_recovery = IncidentRecovery(
            self.supervision, self.runs, self.scheduler.settle, home, time
        )
        self.drivers = DriverSessions(self.supervision, self.runs, time)
        self.open_fleets = OpenFleets(self.store, home.path, environ)
        actions = DaemonCommandActions(
            loop,
            self.supervision,
            self.drivers,
            processes,
            self.scheduler,
            self.restores,
            TaskControl(self.open_fleets, home, environ),
        )
        self.control = ControlHandler(self.runs, actions, responses)
        actions.fleets = FleetControl(
            self.runs,
            self.open_fleets,
            jobs,
            submit=self.control.submit,
            later=self.supervision.submit,
        )
        self.driver_watch = DriverWatch(self.supervision, self.runs, self.control.submit, time)
        self.control_endpoint = ControlEndpoint(
            self.supervision,
            self.control,
            TopicInbox(self.control, self.store, time),
            results,
            UnloggedStop(self.supervision, self.runs, processes.end_unwritten),
        )

        self.fleets = FleetEndpoint(self.supervision, projects, self.open_fleets, time)
        self.fleet_recoveries = FleetRecoveryEndpoint(self.open_fleets)
        self.leases = LeaseWatch(self.supervision, self.runs, self.open_fleets, self.control.submit)
        self.fleet_checkpoints = FleetCheckpointEndpoint(
            self.supervision,
            projects,
            self.fleets,
            self.scheduler,
            self.restores,
            home,
            environ,
            loop,
        )

        # Browsers and programs of people
        self.panel = PanelServer(home, environ, time)
        self.api = Api(self, environ)

        # What agents ask for
        self.pauses = PauseWaiters(self.supervision)
        self.opinions = SecondOpinions(self.supervision, home.secrets, time)
        self.hook_endpoint = HookEndpoint(
            self.supervision,
            {name: (host, self.hooks[name]) for name, host in hosts.items()},
            self.pauses,
            self.opinions,
            self.metrics,
        )

        # What follows from events
        self.notifier = Notifier(home.secrets, failed=lambda says: self.metrics.fault("notify"))
        stops = EmergencyStops(
            home, self._record, self.notifier, partial(_events, journal), jobs=jobs
        )
        reactions = EventReactions(
            self.scheduler,
            self._record,
            self.notifier,
            stops,
            later=self.supervision.submit,
            panel=lambda: self.panel.address,
        )
        notices = FleetNotices(self.open_fleets, jobs, self.notifier, self.supervision.submit)
        self.fleets.performed = (self.fleet_checkpoints.performed, notices.performed)
        self.runs.bus.subscribe(
            reactions.on_event,
            notices.on_event,
            self.control.on_event,
            self.pauses.on_event,
            self.drivers.on_event,
            actions.fleets.on_event,
        )
        self.integrity = DaemonIntegrity(
            home, environ, hosts, connection, self.supervision, self.runs, self.notifier
        )
        self.usage = UsageMonitor(self.supervision, self.runs, hosts, self._conversation, time)
        self.retention = Retention(self.store, self.runs, partial(keep_days, environ))
        self._connect()
        _load_tables(environ)
        self._app = self._join_endpoints()  # here, because it reads files: the loop must not

    def _conversation(self, host: str, run: str) -> ConversationPosition:
        """Return the current place in the conversation of a run."""
        hooks = self.hooks.get(host)
        return ConversationPosition(host, run) if hooks is None else hooks.place(run)

    def app(self) -> ASGIApp:
        """Return the endpoints of all components."""
        return self._app

    def _join_endpoints(self) -> ASGIApp:
        who = {
            "version": __version__,
            "python": sys.executable,
            "pid": os.getpid(),
            "home": self.home.path,
            "port": self.home.port,
        }
        health = HealthEndpoint(self.supervision, self.runs, self.store, self.metrics, who)
        return make_app(
            self.hook_endpoint,
            (
                health,
                self.restores,
                self.control_endpoint,
                self.drivers,
                self.fleets,
                self.fleet_checkpoints,
                self.fleet_recoveries,
                PipelineEndpoint(self.supervision, self.runs.projects, self.store),
                self.panel,
                self.api.routes(health),
            ),
        )

    def open(self, killed: int = 0) -> None:
        """Take over the work that the last daemon left; `killed`: its process, if killed."""
        if problem := self.store.problem:
            _log.error("the log cannot be used: %s", problem)
        self.supervision.submit(self.control.open)
        self.supervision.submit(lambda: self.runs.let_held_go(time() - _LISTED_SECONDS))
        self.supervision.submit(lambda: self.driver_watch.open(time() - _LISTED_SECONDS))
        self.supervision.submit(partial(self.integrity.open, killed))

    def link(self, sockets: ListeningSockets) -> GuardianLink:
        """Return the link to the guardian, which learns how to answer hosts without a daemon."""
        return GuardianLink(
            self.home,
            self._environ,
            sockets,
            self.supervision,
            answers={
                name: msgspec.to_builtins(hooks.fault_answers())
                for name, hooks in self.hooks.items()
            },
            packages=self.integrity.packages,
            refused=self._record_refused,
            stopped=partial(self.supervision.submit, self._report_stop),
        )

    def tell_repair(self, says: str) -> None:
        """Record, for every active run, that Handrail restored one of its own parts."""
        _log.warning("%s", says)
        self.metrics.fault("repair")
        self.supervision.submit(partial(self._note_in_runs, says))

    def _note_in_runs(self, says: str) -> None:
        for state in list(self.runs):
            if state.phase != "ended":
                self.runs.get(state.run, state.cwd).record(FaultNoted(time(), "repair", says))

    def _report_stop(self) -> None:
        self.integrity.report(wording.stopped(os.getpid()))

    def _record_refused(self, calls: Refused) -> None:
        """Record the calls that the guardian refused while no daemon ran."""
        for call in calls:
            self.supervision.submit(partial(self._record_refusal, call))

    def _record_refusal(self, call: dict[str, Any]) -> None:
        at, cwd = call["at"], call["cwd"]
        supervisor = self.runs.get(call["run"], cwd)
        if supervisor.state.seq == 0:
            supervisor.record(RunStarted(at, call["host"], cwd))
        says = f"{call['what']} was refused: {call['cause']}"
        supervisor.record(FaultNoted(at, "guardian", says))

    def remove_incidents(self) -> None:
        """Remove the folders of incidents that are too old."""
        remove_incidents(self.home.incidents, self._environ)

    def close(self) -> None:
        """Finish the work under way, and save the states."""
        self.scheduler.close()
        self.api.close()
        self.integrity.close()
        self.supervision.close()
        self.control.close()
        self.notifier.close()
        self.runs.save_all()
        self.store.close()

    def _record(self, run: str, event: Event) -> None:
        """Record an event of a run, from any thread."""
        self.supervision.submit(lambda: self.runs.get(run, "/").record(event))

    def _connect(self) -> None:
        """Let parts ask others that are built after them."""
        self.fleets.may = self.fleet_checkpoints.may
        self.hook_endpoint.is_unsettled = lambda: self.integrity.monitor.is_unsettled
        self.metrics.watch(
            "cache_hit_rate",
            "Share of commands whose reading was known from before.",
            lambda: _hit_rate(project.reviewer.cache for project in self.runs.projects),
        )
        self.metrics.watch_each(
            "runs",
            "Runs that are kept in memory.",
            "phase",
            lambda: {**dict.fromkeys(_PHASES, 0), **Counter(state.phase for state in self.runs)},
        )


def _load_tables(environ: Mapping[str, str]) -> None:
    """Review something: the first review loads the tables, and no session should wait for that."""
    Reviewer(environ=environ).review(Action("Bash", {"command": "ls"}, "/"))


def _events(journal: Journal, run: str) -> Iterator[Event]:
    return (event for _, event in journal.read(topic_of(run)))


def _hit_rate(caches: Iterable[ReadingCache[Reading]]) -> float:
    found = [(cache.hits, cache.hits + cache.misses) for cache in set(caches)]
    asked = sum(total for _, total in found)
    return sum(hits for hits, _ in found) / asked if asked else 0.0
