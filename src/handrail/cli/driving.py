"""An agent is driven, shown while it works, and ended for certain when somebody leaves."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import click
import msgspec

from handrail.cli import EXIT_INTERRUPTED, options, settle
from handrail.cli.log import Log
from handrail.cli.log_filter import Filter
from handrail.cli.office import DaemonOffice
from handrail.cli.render import wrap
from handrail.cli.run_end import EXIT_CODES, tell_end, tell_left
from handrail.cli.runs import KnownRun, Runs, open_log
from handrail.fleet.ends import End
from handrail.fleet.loop import Task, drive
from handrail.fleet.office import Go
from handrail.hosts.claude_driver import ClaudeDriver
from handrail.hosts.claude_launch import MARK, Launch, launch
from handrail.hosts.driven import AgentGoneError, Turn
from handrail.model.control import Command, Standing
from handrail.server.home import Home

if TYPE_CHECKING:
    from handrail.cli.run import Plan

_LEAVES = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_STOPPED = frozenset({Standing.STOPPING, Standing.STOPPED})
_STOP_SECONDS = 15.0
_MAX_SAYS = 400


def drive_to_the_end(home: Home, claude: str, plan: "Plan", settings: str, *, as_json: bool) -> int:
    """Drive an agent, tell what happens, and give the exit code."""
    driving = _Driving(home, claude, plan, settings, as_json=as_json)
    settle()
    end = asyncio.run(driving.go())
    known = driving.known
    if known is None:  # it has never begun
        return EXIT_INTERRUPTED
    if end is not None:
        tell_end(home, known, end, as_json=as_json)
        return EXIT_CODES.get(end.reason, 1)
    _stop(home, known, as_json=as_json)
    tell_left(home, known, as_json=as_json)
    return EXIT_INTERRUPTED if driving.left_by == signal.SIGINT else 128 + driving.left_by


def _stop(home: Home, known: KnownRun, *, as_json: bool) -> None:
    """The agent has ended; the daemon looks whether anything of it is left, and says so."""
    from handrail.cli.control_talk import talk
    from handrail.cli.sending import Chosen

    with suppress(click.ClickException):  # then nobody can look, which was said
        talk(
            home,
            Command.STOP,
            Chosen((known,)),
            reason="Ctrl+C where it was driven",
            text="",
            seconds=_STOP_SECONDS,
            as_json=as_json,
        )


class _Driving:
    """One agent, from its start to its end."""

    def __init__(
        self, home: Home, claude: str, plan: "Plan", settings: str, *, as_json: bool
    ) -> None:
        self.known: KnownRun | None = None
        """The run as people call it, as soon as the daemon knows it."""
        self.left_by = 0
        """The signal by which somebody wanted to leave; 0: nobody did."""
        self._home = home
        self._claude = claude
        self._plan = plan
        self._settings = settings
        self._as_json = as_json
        self._screen = options.screen()
        self._over = threading.Event()
        self._office = DaemonOffice(home, plan.run, told=self._hear)
        self._is_stopped = plan.held
        self._problem = ""
        """Why the agent has failed; told when it is tried again."""
        self._timeline: threading.Thread | None = None

    async def go(self) -> End | None:
        """Until it has ended; None: somebody has left."""
        plan = self._plan
        task = Task(
            goal=plan.goal,
            cwd=plan.cwd,
            model=plan.wish.model,
            verify=plan.verify,
            limits=plan.limits,
            marks={MARK: plan.run},
        )
        driven = asyncio.ensure_future(drive(task, self._office, self._agent))
        loop = asyncio.get_running_loop()
        for number in _LEAVES:
            loop.add_signal_handler(number, self._leave, number, driven)
        beside = asyncio.ensure_future(self._accompany())
        try:
            return await driven
        except asyncio.CancelledError:
            if not self.left_by:
                raise
            return None
        finally:
            beside.cancel()
            await asyncio.wait({beside})
            await self._end_timeline()

    def _leave(self, number: int, driven: "asyncio.Future[End]") -> None:
        if not self.left_by:
            if sys.stdout.isatty() and not self._as_json:
                click.echo()  # after the ^C that the terminal shows
            self._say("Ending the agent … (Ctrl+C again: at once)")
        self.left_by = self.left_by or number
        driven.cancel()

    def _agent(self, *, resume: bool, model: str) -> "_HeardDriver":
        plan = self._plan
        launched = launch(
            self._claude,
            plan.run,
            plan.cwd,
            os.environ,
            settings=self._settings,
            settings_file=os.path.join(self._home.path, "driven", f"{plan.run}.json"),
            wish=msgspec.structs.replace(plan.wish, model=model),
            resume=resume,
        )
        return _HeardDriver(launched, self._complain)

    # What happens beside

    async def _accompany(self) -> None:
        await self._office.begun.wait()
        self.known = await asyncio.to_thread(self._find)
        self._timeline = threading.Thread(target=self._show, args=(self.known,), daemon=True)
        self._timeline.start()
        if self._plan.held:
            await self._resume(self.known)

    def _find(self) -> KnownRun:
        with open_log(self._home) as store:
            return Runs(store).find(self._plan.run)

    async def _resume(self, known: KnownRun) -> None:
        """It stood still when it was taken up: that is over."""
        from handrail.control.client import UnreachableError, make_request, stages
        from handrail.server.control_line import DaemonLine

        request = make_request(Command.RESUME, known.id, reason="handrail run --resume")

        def ask() -> None:
            with suppress(UnreachableError):
                for _ in stages(DaemonLine(self._home), request, seconds=_STOP_SECONDS):
                    pass

        await asyncio.to_thread(ask)

    def _show(self, known: KnownRun) -> None:
        since = self._plan.began if self._plan.resumes else float("-inf")
        with open_log(self._home) as store:
            log = Log(store, Filter(since=since), self._screen, as_json=self._as_json)
            log.go_along(known, self._over)

    async def _end_timeline(self) -> None:
        self._over.set()
        if self._timeline is not None:
            await asyncio.to_thread(self._timeline.join)

    # What is said

    def _hear(self, go: Go) -> None:
        is_stopped = go.standing in _STOPPED
        if is_stopped and not self._is_stopped and self.known is not None:
            who = f" by {go.by}" if go.by else ""
            why = f" ({go.reason})" if go.reason else ""
            self._say(f"Stopped{who}{why}. This waits here until somebody resumes the run:")
            self._say(f"  handrail resume {self.known.name}      Ctrl+C leaves")
        self._is_stopped = is_stopped
        if self._problem and go.standing == Standing.RUNNING:  # else somebody has wanted it
            self._say(f"! {self._problem[:_MAX_SAYS]}", "yellow")
        self._problem = ""

    def _complain(self, problem: str) -> None:
        self._problem = problem

    def _say(self, text: str, style: str = "dim") -> None:
        """Not on stdout where a program reads that."""
        for line in wrap(text, self._screen.width - 1):
            click.echo(self._screen.paint(f" {line}", style), err=self._as_json)
        sys.stdout.flush()


class _HeardDriver(ClaudeDriver):
    """One whose troubles are told as they come: the loop tries again, and that takes a while."""

    def __init__(self, launched: Launch, complain: Callable[[str], None]) -> None:
        super().__init__(launched)
        self._complain = complain

    async def take_turn(self, prompt: str) -> Turn:
        try:
            turn = await super().take_turn(prompt)
        except AgentGoneError as error:
            self._complain(str(error))
            raise
        if turn.problem:
            self._complain(f"the agent failed: {turn.problem}")
        return turn
