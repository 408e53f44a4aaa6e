"""Drive one agent to its end: no terminal, no printing."""

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager

import msgspec

from handrail.config.sources import PipelineSafety
from handrail.control.client import UnreachableError, make_request, request_stages
from handrail.control.message import Result
from handrail.drive.background_task import background_task
from handrail.drive.drive_task import AskPerson, DriveTask, FleetPart
from handrail.drive.loop import drive
from handrail.drive.loop_end import LoopEnd
from handrail.drive.usage import LoopLimits
from handrail.hosts.driven_agent import MARK, DrivenAgent
from handrail.hosts.port import DriveOptions, HostAdapter, HostError, HostProgram, LaunchRequest
from handrail.intervene.processes.control_group import ControlGroup, make_group, remove_group
from handrail.intervene.processes.subreaper import OrphanReaper, become_subreaper
from handrail.model.control import ControlCommand
from handrail.server.control.connection import DaemonConnection
from handrail.server.driving.driver_client import PermissionListener, SocketDaemonClient
from handrail.server.home import Home
from handrail.server.hook_connection import hook_connection

STOP_SECONDS = 15.0
"""Seconds to wait until no process of a stopped run is left."""
_REAP_SECONDS = 5.0


class NoProgramError(HostError):
    """The host's program is not on this machine."""

    def __init__(self, title: str, program: str) -> None:
        super().__init__(f"cannot find {title}; install it, or put `{program}` into your PATH")


class AgentPlan(msgspec.Struct, frozen=True):
    """The run of an agent that is about to start."""

    run: str
    goal: str
    verify: str = ""
    limits: LoopLimits = LoopLimits()
    options: DriveOptions = DriveOptions()
    cwd: str = msgspec.field(default_factory=os.getcwd)
    pipeline: PipelineSafety | None = None
    """The settings of the pipeline that this run is a step of."""
    fleet: FleetPart | None = None
    """The part of a fleet that it is."""


class PreparedAgent(msgspec.Struct, frozen=True):
    """An agent that would be supervised if it started now."""

    host: HostAdapter
    program: str
    settings: str
    """Its settings with our hooks, from `HostAdapter.prepare`."""


def find_program(host: HostAdapter, environ: Mapping[str, str] = os.environ) -> HostProgram:
    """Find the host's program; raises NoProgramError."""
    program = host.find_program(environ)
    if program is None:
        raise NoProgramError(host.profile.title, host.profile.program)
    return program


def prepare_agent(
    host: HostAdapter,
    program: HostProgram,
    home: Home,
    plan: AgentPlan,
    environ: Mapping[str, str] = os.environ,
) -> PreparedAgent:
    """Check that the hooks of an agent will run; the daemon must be ready.

    Raises UnsupervisedError if something disables the hooks, and HostError if the plan does not
    fit the host.
    """
    home.client(environ)
    settings = host.prepare(
        program, hook_connection(home), plan.run, plan.cwd, environ, plan.options
    )
    return PreparedAgent(host, program.path, settings)


class AgentDriver:
    """Drives one agent, from its start to its end."""

    def __init__(
        self,
        home: Home,
        agent: PreparedAgent,
        plan: AgentPlan,
        *,
        environ: Mapping[str, str] = os.environ,
        on_permission: PermissionListener = lambda go: None,
        on_turn_end: Callable[[str], None] = lambda problem: None,
        client: SocketDaemonClient | None = None,
        ask: AskPerson | None = None,
    ) -> None:
        """`on_permission` gets every reply about the state of the run, `on_turn_end` the problem
        of each turn, or "". `client`: a connection that also listens; `ask`: answers the
        questions of the agent."""
        self._ask = ask
        self._home = home
        self._agent = agent
        self._plan = plan
        self._environ = environ
        self._on_turn_end = on_turn_end
        self._group: ControlGroup | None = None
        self._client = client or SocketDaemonClient(
            home, plan.run, on_permission=on_permission, environ=environ
        )

    @property
    def begun(self) -> asyncio.Event:
        """Set when the daemon knows the run."""
        return self._client.begun

    async def drive(self) -> LoopEnd:
        """Drive the agent to its end. Cancelling it ends the agent's process, and raises.

        Raises DaemonError if the daemon does not come back.
        """
        plan = self._plan
        self._group = await asyncio.to_thread(make_group, plan.run, self._environ)
        task = DriveTask(
            goal=plan.goal,
            cwd=plan.cwd,
            model=plan.options.model,
            verify=plan.verify,
            limits=plan.limits,
            environ={**self._environ, MARK: plan.run},
            adopts=become_subreaper(),
            group=self._group.path if self._group else "",
            pipeline=plan.pipeline,
            fleet=plan.fleet,
        )
        try:
            async with background_task(_reap_orphans()):
                return await drive(task, self._client, self._start, ask=self._ask)
        finally:
            if self._group:
                remove_group(self._group.path)

    def _start(self, *, resume: bool, model: str) -> AbstractAsyncContextManager[DrivenAgent]:
        plan = self._plan
        request = LaunchRequest(
            program=self._agent.program,
            run=plan.run,
            cwd=plan.cwd,
            environ=self._environ,
            settings=self._agent.settings,
            settings_file=driven_settings(self._home.path, plan.run),
            options=msgspec.structs.replace(plan.options, model=model),
            resume=resume,
            start=self._group.start if self._group else (),
        )
        return self._agent.host.drive(request, self._on_turn_end)


def driven_settings(home: str, run: str) -> str:
    """Return the settings file of a driven session; it holds a token."""
    return os.path.join(home, "driven", f"{run}.json")


def stop_run(
    home: Home,
    run: str,
    reason: str,
    *,
    seconds: float = STOP_SECONDS,
    environ: Mapping[str, str] = os.environ,
) -> bool:
    """Stop a run; return whether the daemon has confirmed that no process of it is left."""
    request = make_request(ControlCommand.STOP, run, reason=reason)
    try:
        stages = list(request_stages(DaemonConnection(home, environ), request, seconds=seconds))
    except UnreachableError:
        return False
    return any(isinstance(message, Result) and message.ok for message in stages)


async def _reap_orphans() -> None:
    """Take note of the ends of processes that this one has adopted."""
    reaper = OrphanReaper()
    while True:
        await asyncio.sleep(_REAP_SECONDS)
        await asyncio.to_thread(reaper.look)
