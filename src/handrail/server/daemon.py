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
from time import monotonic, time
from typing import cast, get_args

import uvicorn
import uvloop
from starlette.types import ASGIApp

from handrail import __version__
from handrail.checkpoint import Conversation
from handrail.control.acts import Came
from handrail.control.desk import Desk
from handrail.control.inbox import Inbox
from handrail.control.message import Request, encode
from handrail.fleet.office import Report
from handrail.hosts.claude_guard import hooks_problem
from handrail.hosts.claude_hooks import CAPABILITIES, ClaudeHooks, Visit
from handrail.hosts.claude_settings import hook_url
from handrail.hosts.claude_transcript import HOST
from handrail.hosts.settings_file import load_installs
from handrail.intervene import Capability
from handrail.intervene.notify import Notifier
from handrail.model.action import Action
from handrail.model.control import HOLDING
from handrail.model.event import ControlAsked, Event
from handrail.review import Reviewer
from handrail.review.cache import Cache
from handrail.server.acts import DaemonActs
from handrail.server.app import CLAUDE, Face
from handrail.server.boundary import Boundary
from handrail.server.brain import Brain
from handrail.server.chores import Chores
from handrail.server.controls import Controls, Results
from handrail.server.descriptors import allow_many
from handrail.server.drivers import Drivers
from handrail.server.endings import Endings
from handrail.server.garbage import collect_when_idle, spare_what_stays
from handrail.server.gate import Gate
from handrail.server.hands import Hands
from handrail.server.home import Home, HomeError
from handrail.server.lock import locked
from handrail.server.metrics import Metrics
from handrail.server.opinions import Opinions
from handrail.server.recoveries import Recoveries
from handrail.server.restores import Restores
from handrail.server.retention import Retention, keep_days, remove_incidents, tidy_daily
from handrail.server.stops import Stops
from handrail.server.unwritten import Unwritten
from handrail.server.wire import Headers, HookProtocol
from handrail.shell import Reading
from handrail.store.errors import StoreError
from handrail.store.journal import Journal
from handrail.store.opening import open_log
from handrail.store.port import Receipt
from handrail.supervise.hold import Hold
from handrail.supervise.project import Projects
from handrail.supervise.runs import Runs
from handrail.supervise.state import Phase
from handrail.supervise.supervisor import Supervisor
from handrail.supervise.topics import topic_of

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

    def __init__(self, home: Home, environ: Mapping[str, str]) -> None:
        self.home = home
        self.port = home.port
        self.metrics = Metrics()
        self.store = open_log(home.log, "write")
        journal = Journal(self.store, observers=[self.metrics.on_event])
        environ = {**environ, "HANDRAIL_HOME": home.path}
        self.brain = Brain()
        self.notifier = Notifier(home.secrets, failed=lambda says: self.metrics.fault("notify"))
        chores = Chores()
        stops = Stops(
            home, self._record, self.notifier, lambda run: _events(journal, run), chores=chores
        )
        self.hands = Hands(home, environ, self._record, self.notifier, stops, talk=self._talk)
        can = CAPABILITIES | {Capability.FILES}
        self.runs = Runs(
            journal,
            Projects(environ),
            can=can,
            tell=self._hear,
            delivered=self._delivered,
            keeper=self.hands.keeper,
        )
        self.restores = Restores(self.brain, self.runs, self.hands, time)
        self.boundary = Boundary(self._may_hold)
        self.results = Results()
        self.drivers = Drivers(self.brain, self.runs, self._reported, time)
        endings = Endings(home, self._came, self.hands.keeper, chores)
        self.acts = DaemonActs(
            self.drivers, endings, self.hands, self.restores, self._came, self._ask
        )
        self.desk = Desk(self.runs, self.acts, later=self.brain.later, listen=self.results.tell)
        self.controls = Controls(
            self.brain,
            self.desk,
            Inbox(self.desk, self.store, time),
            self.results,
            Unwritten(self.brain, self.runs, endings.end_unwritten),
        )
        self.hooks = ClaudeHooks(self.runs, find_problem=self._find_problem)
        self.retention = Retention(self.store, self.runs, lambda: keep_days(environ))
        self.opinions = Opinions(self.brain, self.hooks, home.secrets, time)
        self._began = monotonic()
        self._environ = environ
        self._watch()
        # The first review loads the tables; no session should wait for that.
        Reviewer(environ=environ).review(Action("Bash", {"command": "ls"}, "/"))
        if problem := self.store.problem:
            _log.error("the log cannot be used: %s", problem)

    def _talk(self, host: str, run: str) -> Conversation:
        """Where the conversation of a run is now."""
        return self.hooks.transcripts.place(run) if host == HOST else Conversation(host, run)

    def _find_problem(self, visit: Visit, folder: str) -> str:
        """Why the hooks of a session that began in a folder are not in force."""
        return hooks_problem(
            {"HOME": self._environ.get("HOME", ""), **visit.payload.action.env},
            folder,
            [each.settings.path for each in load_installs(self.home.installs)],
            url=hook_url(self.port),
            proxied=visit.seat.proxied,
        )

    def face(self) -> Face:
        """The endpoints, for whoever may use them."""
        who = {
            "version": __version__,
            "python": sys.executable,
            "pid": os.getpid(),
            "home": self.home.path,
            "port": self.port,
        }
        recoveries = Recoveries(self.brain, self.runs, self.hands.settle, self.home.incidents, time)
        return Face(
            self.brain,
            self.hooks,
            self.metrics,
            self.opinions,
            recoveries,
            self.restores,
            self.hands.keeper.save_first,
            self.boundary,
            self.controls,
            self.drivers,
            who,
            self.state,
            time,
        )

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take up what the last daemon has left; called in the event loop."""
        self.acts.loop = loop
        self.brain.later(self.desk.open)
        self.brain.later(lambda: self.runs.let_held_go(time() - _HOSTS_WAIT))

    def _hear(self, supervisor: Supervisor, event: Event) -> None:
        """Everybody who acts on what happens in a run; in the brain's thread."""
        self.hands.hear(supervisor, event)
        self.desk.hear(supervisor, event)
        self.boundary.hear(supervisor, event)
        self.drivers.hear(supervisor, event)

    def _delivered(self, supervisor: Supervisor, asked: ControlAsked) -> Receipt:
        return self.desk.delivered(supervisor, asked)

    def _reported(self, run: str, report: Report) -> None:
        self.acts.reported(run, report)

    def _came(self, run: str, request: str, came: Came) -> None:
        """What has come of a request; told in any thread."""
        self.brain.later(lambda: self.desk.came(run, request, came))

    def _ask(self, request: Request, failed: Callable[[], None]) -> None:
        """A request of our own; made in any thread. `failed`: the log did not take it."""

        def look(receipt: Receipt) -> None:
            if receipt.exception() is not None:
                failed()

        def take() -> None:
            try:
                taken = self.desk.take(encode(request))
            except StoreError:
                failed()
                return
            if taken.receipt is not None:
                taken.receipt.add_done_callback(look)

        self.brain.later(take)

    async def _may_hold(self, hold: Hold) -> float:
        """For how many seconds an action may be held; 0: its run is not held any more."""
        supervisor = await self.brain.do(lambda: self.runs.get(hold.run, hold.cwd))
        held = supervisor.state.hand.standing in HOLDING
        return float(supervisor.project.config.control.hold_seconds) if held else 0.0

    def state(self) -> dict[str, object]:
        """How it is. Asked in the brain's thread."""
        problem = self.store.problem
        return {
            "ok": not problem,
            "problem": problem,
            "up_seconds": round(monotonic() - self._began),
            "memory_mb": _memory_mb(),
            "runs": len(self.runs),
        }

    def remove_incidents(self) -> None:
        """Remove the folders of incidents that are too old."""
        remove_incidents(self.home.incidents, self._environ)

    def close(self) -> None:
        """Finish what was begun, and save what is known."""
        self.hands.close()
        self.brain.close()
        self.desk.close()
        self.notifier.close()
        self.runs.save_all()
        self.store.close()

    def _record(self, run: str, event: Event) -> None:
        """Write an event of a run; called in any thread."""
        self.brain.later(lambda: self.runs.get(run, "/").record(event))

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
        contextlib.closing(Daemon(home, environ)) as daemon,
        _unix_socket(home.socket) as path,
        _port_socket(daemon.port) as port,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        spare_what_stays()
        runner.run(_serve(daemon, path, port))


async def _serve(daemon: Daemon, path: socket.socket, port: socket.socket) -> None:
    face = daemon.face()
    app = face.app()
    gate = Gate(app, hook_token=daemon.home.hook_token, control_token=daemon.home.control_token)

    def may_ask(headers: Headers) -> bool:
        return gate.refusal("POST", CLAUDE, headers) is None

    by_path = partial(HookProtocol, answer=face.hook, admits=_everybody)
    by_port = partial(HookProtocol, answer=face.hook, admits=may_ask)
    servers = [(_Server(_config(app, by_path)), path), (_Server(_config(gate, by_port)), port)]

    def stop() -> None:
        daemon.boundary.close()
        for server, _ in servers:
            server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    _log.info("Handrail %s supervises, process %d", __version__, os.getpid())
    daemon.open(loop)
    tasks = [
        asyncio.create_task(daemon.controls.look_into_topic()),
        asyncio.create_task(tidy_daily(daemon.brain, daemon.retention, daemon.remove_incidents)),
        asyncio.create_task(collect_when_idle(daemon.brain)),
    ]
    await asyncio.gather(*(server.serve(sockets=[sock]) for server, sock in servers))
    for task in tasks:
        task.cancel()
    await daemon.opinions.close()
    _log.info("Handrail ends")


def _everybody(headers: Headers) -> bool:
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


def _hit_rate(caches: Iterable[Cache[Reading]]) -> float:
    found = [(cache.hits, cache.hits + cache.misses) for cache in set(caches)]
    asked = sum(total for _, total in found)
    return sum(hits for hits, _ in found) / asked if asked else 0.0


def _memory_mb() -> float:
    """What the process uses now, where the system tells; 0 where it does not."""
    try:
        with open("/proc/self/statm") as file:
            pages = int(file.read().split()[1])
    except OSError:
        return 0.0
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)
