"""Drive an agent, show its work, and end it for certain when the user leaves."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, suppress
from typing import TYPE_CHECKING

import click
import msgspec

from handrail.cli import freeze_loaded_objects, options
from handrail.cli.commands.log import LogPrinter
from handrail.cli.driving.run_summary import EXIT_CODES, show_end, show_left
from handrail.cli.driving.socket_client import SocketDaemonClient
from handrail.cli.history.event_filter import EventFilter
from handrail.cli.history.runs import KnownRun, KnownRuns, read_log
from handrail.cli.output.terminal import wrap
from handrail.control.client import UnreachableError, make_request, request_stages
from handrail.drive.daemon_client import IterationPermission
from handrail.drive.loop import PAUSES, DriveTask, drive
from handrail.drive.loop_end import LoopEnd
from handrail.hosts.driven_agent import MARK, DrivenAgent
from handrail.hosts.port import HostAdapter, LaunchRequest
from handrail.intervene.incidents.recovery import RecoveryOption, resume_command
from handrail.intervene.processes.control_group import ControlGroup, make_group, remove_group
from handrail.intervene.processes.subreaper import OrphanReaper, become_subreaper
from handrail.model.control import ControlCommand, Standing
from handrail.server.control.connection import DaemonConnection
from handrail.server.home import Home

if TYPE_CHECKING:
    from handrail.cli.commands.run import RunPlan

_LEAVES: dict[int, str] = {
    signal.SIGINT: "Ctrl+C in handrail run",
    signal.SIGTERM: "handrail run was terminated",
    signal.SIGHUP: "the terminal of handrail run was closed",
    signal.SIGPIPE: "nobody reads the output of handrail run",
}
"""The signals by which the user leaves, and the reason for the stop."""
_DEAF = frozenset({signal.SIGHUP, signal.SIGPIPE})
"""After these, nobody reads our output."""
_STOPPED = frozenset({Standing.STOPPING, Standing.STOPPED})
_STOP_SECONDS = 15.0
_REAP_SECONDS = 5.0
_LOST = "handrail run --resume takes it over"
_NOT_ENDED = (
    "the agent of the last `handrail run`, which was killed, could not be ended; try "
    "handrail stop {run}"
)
_MAX_SAYS = 400


def drive_to_the_end(
    host: HostAdapter, home: Home, program: str, plan: "RunPlan", settings: str, *, as_json: bool
) -> int:
    """Drive an agent, show what happens, and return the exit code."""
    if plan.lost and not _stop(home, find_run(home, plan.run), _LOST, silent=as_json):
        raise click.ClickException(_NOT_ENDED.format(run=plan.run))
    driving = _DrivenRun(host, home, program, plan, settings, as_json=as_json)
    freeze_loaded_objects()
    end = asyncio.run(driving.go())
    if not driving.begun:
        return 128 + driving.left_by
    known = find_run(home, plan.run)
    if end is not None:
        show_end(home, known, end, as_json=as_json)
        return EXIT_CODES.get(end.reason, 1)
    number = driving.left_by
    certain = _stop(home, known, _LEAVES[number], silent=as_json or number in _DEAF)
    if number not in _DEAF:
        show_left(home, known, as_json=as_json, certain=certain)
    return 128 + number


async def _reap_orphans() -> None:
    """Take note of the ends of processes that this one has adopted."""
    reaper = OrphanReaper()
    while True:
        await asyncio.sleep(_REAP_SECONDS)
        await asyncio.to_thread(reaper.look)


def ways_on(go: IterationPermission, name: str) -> Iterator[str]:
    """Return the commands by which a person lets a stopped run go on; `name`: that of the run."""
    if go.incident:
        yield f"handrail incident show {go.incident}"
        yield resume_command(go.incident, RecoveryOption.RESUME_WITH_LIMITS)
    else:
        yield f"handrail resume {name}"


def find_run(home: Home, run: str) -> KnownRun:
    """Find a run by its id."""
    with read_log(home) as store:
        return KnownRuns(store).find(run)


def _stop(home: Home, known: KnownRun, reason: str, *, silent: bool) -> bool:
    """Let the daemon check that no process is left; return whether that is certain."""
    from handrail.cli.requests.send_and_report import send_and_report
    from handrail.cli.requests.sending import ChosenRuns

    try:
        code = send_and_report(
            home,
            ControlCommand.STOP,
            ChosenRuns((known,)),
            reason=reason,
            text="",
            seconds=_STOP_SECONDS,
            form="silent" if silent else "words",
        )
    except click.ClickException:
        return False
    return code == 0


class _DrivenRun:
    """One agent, from its start to its end."""

    def __init__(
        self,
        host: HostAdapter,
        home: Home,
        program: str,
        plan: "RunPlan",
        settings: str,
        *,
        as_json: bool,
    ) -> None:
        self.left_by = 0
        """The signal by which the user left, or 0."""
        self._home = home
        self._host = host
        self._program = program
        self._plan = plan
        self._settings = settings
        self._as_json = as_json
        self._screen = options.screen()
        self._over = threading.Event()
        self._daemon = SocketDaemonClient(home, plan.run, on_permission=self._on_permission)
        self._is_stopped = plan.held
        self._problem = ""
        """Why the agent failed. It is shown with the next try."""
        self._failures = 0
        """Failures in a row."""
        self._name = plan.run
        """The name of the run, once it is known."""
        self._group: ControlGroup | None = None
        """The control group of the agent's processes."""

    @property
    def begun(self) -> bool:
        """Whether the daemon knows the run."""
        return self._daemon.begun.is_set()

    async def go(self) -> LoopEnd | None:
        """Drive the agent to its end; return None if the user left."""
        plan = self._plan
        self._group = await asyncio.to_thread(make_group, plan.run, os.environ)
        task = DriveTask(
            goal=plan.goal,
            cwd=plan.cwd,
            model=plan.options.model,
            verify=plan.verify,
            limits=plan.limits,
            marks={MARK: plan.run},
            adopts=become_subreaper(),
            group=self._group.path if self._group else "",
        )
        driven = asyncio.ensure_future(drive(task, self._daemon, self._agent))
        self._heed_signals(driven)
        progress = asyncio.ensure_future(self._show_progress(driven))
        reaping = asyncio.ensure_future(_reap_orphans())
        try:
            return await driven
        except asyncio.CancelledError:
            if not self.left_by:
                raise
            return None
        finally:
            self._over.set()
            if self._group:
                remove_group(self._group.path)
            reaping.cancel()
            progress.cancel()
            with suppress(asyncio.CancelledError):
                await progress

    def _heed_signals(self, driven: "asyncio.Future[LoopEnd]") -> None:
        loop = asyncio.get_running_loop()
        for number in _LEAVES:
            # Respect an ignored signal, as after nohup; Python itself ignores SIGPIPE.
            if signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, self._leave, number, driven)

    def _leave(self, number: int, driven: "asyncio.Future[LoopEnd]") -> None:
        driven.cancel()
        if not self.left_by and number not in _DEAF:
            # On a new line, after the ^C of the terminal.
            start = "\n " if sys.stdout.isatty() and not self._as_json else " "
            self._say("Ending the agent … (Ctrl+C again: at once)", start=start)
        self.left_by = self.left_by or number

    def _agent(self, *, resume: bool, model: str) -> AbstractAsyncContextManager[DrivenAgent]:
        plan = self._plan
        request = LaunchRequest(
            program=self._program,
            run=plan.run,
            cwd=plan.cwd,
            environ=os.environ,
            settings=self._settings,
            settings_file=os.path.join(self._home.path, "driven", f"{plan.run}.json"),
            options=msgspec.structs.replace(plan.options, model=model),
            resume=resume,
            start=self._group.start if self._group else (),
        )
        return self._host.drive(request, self._turn_ended)

    # Meanwhile

    async def _show_progress(self, driven: "asyncio.Future[LoopEnd]") -> None:
        """Show what happens until the run is over and everything is shown."""
        await self._daemon.begun.wait()
        known = await asyncio.to_thread(find_run, self._home, self._plan.run)
        self._name = known.name
        if self._plan.held:
            # A daemon thread, so that Ctrl+C does not wait for it.
            threading.Thread(target=self._resume, args=(known,), daemon=True).start()
        loop = asyncio.get_running_loop()

        def leave() -> None:
            loop.call_soon_threadsafe(self._leave, signal.SIGPIPE, driven)

        shown = asyncio.ensure_future(asyncio.to_thread(self._show, known, leave))
        try:
            await asyncio.shield(shown)
        except asyncio.CancelledError:
            await shown
            raise

    def _resume(self, known: KnownRun) -> None:
        """Resume a run that was held."""
        request = make_request(ControlCommand.RESUME, known.id, reason="handrail run --resume")
        with suppress(UnreachableError):
            for _ in request_stages(DaemonConnection(self._home), request, seconds=_STOP_SECONDS):
                pass

    def _show(self, known: KnownRun, leave: Callable[[], None]) -> None:
        """Print what happens; call `leave` if nobody reads it."""
        since = self._plan.began if self._plan.resumes else float("-inf")
        try:
            with read_log(self._home) as store:
                log = LogPrinter(
                    store, EventFilter(since=since), self._screen, as_json=self._as_json
                )
                log.follow_until(known, self._over)
        except OSError:
            leave()
        except click.ClickException as error:
            self._say(f"! cannot show what happens: {error.message}", "yellow")

    # Messages

    def _on_permission(self, go: IterationPermission) -> None:
        is_stopped = go.standing in _STOPPED
        if is_stopped and not self._is_stopped:
            who = f" by {go.by}" if go.by else ""
            why = f" ({go.reason})" if go.reason else ""
            self._say(f"Stopped{who}{why}. Waiting for somebody to resume the run:")
            for command in ways_on(go, self._name):
                self._print(f"   {command}")  # on one line, for copying
            self._say("  Ctrl+C quits")
        self._is_stopped = is_stopped
        if self._problem and go.standing == Standing.RUNNING:  # otherwise a person ended the turn
            again = "; trying again" if self._failures <= len(PAUSES) else ""
            self._say(f"! {self._problem[:_MAX_SAYS]}{again}", "yellow")
        self._problem = ""

    def _turn_ended(self, problem: str) -> None:
        """Remember the problem of a turn; it is shown with the next try, which takes a while."""
        self._problem = problem
        self._failures = self._failures + 1 if problem else 0

    def _say(self, text: str, style: str = "dim", *, start: str = " ") -> None:
        """Print a message; to stderr if a program reads stdout."""
        for line in wrap(text, self._screen.width - 1):
            self._print(start + self._screen.paint(line, style))
            start = " "

    def _print(self, line: str) -> None:
        with suppress(OSError):  # the reader is gone
            click.echo(line, err=self._as_json)
            sys.stdout.flush()
