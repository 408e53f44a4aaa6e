"""The daemon: one process that supervises all sessions of a user."""

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from time import time
from typing import cast, get_args

import uvicorn
import uvloop
from starlette.types import ASGIApp

from handrail import __version__
from handrail.checkpoint import ConversationPosition
from handrail.control.handler import ControlHandler
from handrail.control.response_log import ResponseLog
from handrail.control.topic_inbox import TopicInbox
from handrail.hosts import HOSTS, find_host
from handrail.hosts.port import HookConnection, endpoint
from handrail.intervene import Capability
from handrail.intervene.notify import Notifier
from handrail.model.action import Action
from handrail.model.event import Event
from handrail.review import Reviewer
from handrail.review.cache import ReadingCache
from handrail.server.control.command_actions import DaemonCommandActions
from handrail.server.control.driver_sessions import DriverSessions
from handrail.server.control.emergency_stops import EmergencyStops
from handrail.server.control.endpoint import ControlEndpoint, ResultWaiters
from handrail.server.control.incident_recovery import IncidentRecovery
from handrail.server.control.pause_waiters import PauseWaiters
from handrail.server.control.process_control import ProcessControl
from handrail.server.control.unlogged_stop import UnloggedStop
from handrail.server.descriptors import allow_many
from handrail.server.files.checkpoint_scheduler import CheckpointScheduler
from handrail.server.files.event_reactions import EventReactions
from handrail.server.files.restore_endpoint import RestoreEndpoint
from handrail.server.home import Home, HomeError
from handrail.server.http.app import make_app
from handrail.server.http.feedback import FeedbackEndpoint
from handrail.server.http.health import Health
from handrail.server.http.hook_endpoint import HookEndpoint
from handrail.server.http.hook_protocol import Headers, HookProtocol
from handrail.server.http.metrics import Metrics
from handrail.server.http.second_opinions import SecondOpinions
from handrail.server.http.token_auth import TokenAuth
from handrail.server.lock import locked
from handrail.server.retention import Retention, keep_days, remove_incidents, tidy_daily
from handrail.server.threads.garbage_collection import collect_when_idle, spare_what_stays
from handrail.server.threads.process_jobs import ProcessJobs
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.shell import Reading
from handrail.store.journal import Journal
from handrail.store.opening import open_log
from handrail.supervise.log.topics import topic_of
from handrail.supervise.runs.project import Projects
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.state.run_state import Phase

_log = logging.getLogger(__name__)

_KEEP_ALIVE = 600
"""Seconds that an idle connection stays open: an agent thinks for long between two calls."""
_SWITCH = 0.001
"""Seconds after which a busy thread lets the others go on."""
_HOSTS_WAIT = 600
"""Seconds for which the most patient host waits for an answer."""
_PHASES: tuple[str, ...] = get_args(Phase)


class Daemon:
    """Everything that lives as long as the daemon does."""

    def __init__(
        self, home: Home, environ: Mapping[str, str], loop: asyncio.AbstractEventLoop
    ) -> None:
        """Build all parts, each from those above it, and connect them to the events of runs."""
        environ = {**environ, "HANDRAIL_HOME": home.path}
        self.home = home
        self._environ = environ
        self.port = home.port
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
        self.runs = RunRegistry(
            journal,
            Projects(environ),
            can=lambda host: can.get(host, frozenset()),
            planner=self.scheduler,
            delivered=responses.delivered,
        )
        connection = HookConnection(self.port, home.hook_token, home.client_path, home.installs)
        self.hooks = {
            name: host.hooks(self.runs, connection, environ) for name, host in hosts.items()
        }

        # What people ask for
        jobs = ProcessJobs()
        processes = ProcessControl(home, self.scheduler, jobs)
        self.restores = RestoreEndpoint(self.supervision, self.runs, self.scheduler, time)
        self.drivers = DriverSessions(self.supervision, self.runs, time)
        actions = DaemonCommandActions(
            loop, self.supervision, self.drivers, processes, self.scheduler, self.restores
        )
        self.control = ControlHandler(self.runs, actions, responses)
        self.control_endpoint = ControlEndpoint(
            self.supervision,
            self.control,
            TopicInbox(self.control, self.store, time),
            results,
            UnloggedStop(self.supervision, self.runs, processes.end_unwritten),
        )

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
        reactions = EventReactions(self.scheduler, self._record, self.notifier, stops)
        self.runs.bus.subscribe(
            reactions.on_event, self.control.on_event, self.pauses.on_event, self.drivers.on_event
        )
        self.retention = Retention(self.store, self.runs, partial(keep_days, environ))
        self._watch()
        # The first review loads the tables; no session should wait for that.
        Reviewer(environ=environ).review(Action("Bash", {"command": "ls"}, "/"))
        if problem := self.store.problem:
            _log.error("the log cannot be used: %s", problem)

    def _conversation(self, host: str, run: str) -> ConversationPosition:
        """Where the conversation of a run is now."""
        hooks = self.hooks.get(host)
        return ConversationPosition(host, run) if hooks is None else hooks.place(run)

    def app(self) -> ASGIApp:
        """The endpoints of all components, for whoever may use them."""
        who = {
            "version": __version__,
            "python": sys.executable,
            "pid": os.getpid(),
            "home": self.home.path,
            "port": self.port,
        }
        incidents = self.home.incidents
        return make_app(
            self.hook_endpoint,
            (
                Health(self.supervision, self.runs, self.store, self.metrics, who),
                FeedbackEndpoint(self.supervision, self.runs, self.metrics, time),
                IncidentRecovery(
                    self.supervision, self.runs, self.scheduler.settle, incidents, time
                ),
                self.restores,
                self.control_endpoint,
                self.drivers,
            ),
        )

    def open(self) -> None:
        """Take up what the last daemon has left."""
        self.supervision.submit(self.control.open)
        self.supervision.submit(lambda: self.runs.let_held_go(time() - _HOSTS_WAIT))

    def remove_incidents(self) -> None:
        """Remove the folders of incidents that are too old."""
        remove_incidents(self.home.incidents, self._environ)

    def close(self) -> None:
        """Finish what was begun, and save what is known."""
        self.scheduler.close()
        self.supervision.close()
        self.control.close()
        self.notifier.close()
        self.runs.save_all()
        self.store.close()

    def _record(self, run: str, event: Event) -> None:
        """Write an event of a run; called in any thread."""
        self.supervision.submit(lambda: self.runs.get(run, "/").record(event))

    def _watch(self) -> None:
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


def serve(home: Home, environ: Mapping[str, str]) -> None:
    """Be the daemon until a signal ends it. Raises AlreadyRunningError or HomeError."""
    sys.setswitchinterval(_SWITCH)
    allow_many()
    # Its terminal may close: the daemon stays.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with (
        locked(home),
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
        contextlib.closing(Daemon(home, environ, runner.get_loop())) as daemon,
        _unix_socket(home.socket) as path,
        _port_socket(daemon.port) as port,
    ):
        spare_what_stays()
        runner.run(_serve(daemon, path, port))
        runner.close()  # what still runs beside the loop needs the daemon


async def _serve(daemon: Daemon, path: socket.socket, port: socket.socket) -> None:
    app = daemon.app()
    answer = daemon.hook_endpoint.answer
    gate = TokenAuth(
        app,
        hook_token=daemon.home.hook_token,
        control_token=daemon.home.control_token,
        only_socket=[name for name in HOSTS if find_host(name).only_socket],
    )

    def may_ask(host: str, headers: Headers) -> bool:
        return gate.refusal("POST", endpoint(host), headers) is None

    by_path = partial(HookProtocol, answer=answer, admits=_everybody)
    by_port = partial(HookProtocol, answer=answer, admits=may_ask)
    servers = [(_Server(_config(app, by_path)), path), (_Server(_config(gate, by_port)), port)]

    def stop() -> None:
        daemon.pauses.close()
        for server, _ in servers:
            server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    _log.info("Handrail %s supervises, process %d", __version__, os.getpid())
    daemon.open()
    tasks = [
        asyncio.create_task(daemon.control_endpoint.look_into_topic()),
        asyncio.create_task(
            tidy_daily(daemon.supervision, daemon.retention, daemon.remove_incidents)
        ),
        asyncio.create_task(collect_when_idle(daemon.supervision)),
    ]
    await asyncio.gather(*(server.serve(sockets=[sock]) for server, sock in servers))
    for task in tasks:
        task.cancel()
    await daemon.opinions.close()
    _log.info("Handrail ends")


def _everybody(host: str, headers: Headers) -> bool:
    """Only its owner can open the unix socket."""
    return True


def _config(app: ASGIApp, protocol: Callable[..., HookProtocol]) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=cast("type[HookProtocol]", protocol),  # it is only ever called
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=3,
        server_header=False,
        proxy_headers=False,
    )


class _Server(uvicorn.Server):
    """Leaves the signals to the daemon, which has two of these."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextlib.contextmanager
def _unix_socket(path: str) -> Iterator[socket.socket]:
    """A socket that only this user can open. One that lies there is dead: we hold the lock."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    try:
        with socket.socket(socket.AF_UNIX) as sock:
            try:
                sock.bind(path)
                os.chmod(path, 0o600)
            except OSError as error:
                says = f"no socket can be made there: {error.strerror}"
                raise HomeError(path, says) from None
            sock.listen(2048)
            yield sock
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


@contextlib.contextmanager
def _port_socket(port: int) -> Iterator[socket.socket]:
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind(("127.0.0.1", port))
        except OSError as error:
            says = f"another program uses it ({error.strerror}); end that one, then try again"
            raise HomeError(f"127.0.0.1:{port}", says) from None
        sock.listen(2048)
        yield sock


def _events(journal: Journal, run: str) -> Iterator[Event]:
    return (event for _, event in journal.read(topic_of(run)))


def _hit_rate(caches: Iterable[ReadingCache[Reading]]) -> float:
    found = [(cache.hits, cache.hits + cache.misses) for cache in set(caches)]
    asked = sum(total for _, total in found)
    return sum(hits for hits, _ in found) / asked if asked else 0.0
