"""`handrail run`: drive an agent until its task is done, unattended."""

import os
import sys
from collections.abc import Callable
from time import time
from uuid import uuid4

import click
import msgspec

from handrail.cli import options
from handrail.cli.daemon_request import ready_daemon
from handrail.cli.history.runs import KnownRuns, find_home, read_log
from handrail.cli.output.file_changes import hook_connection
from handrail.drive.usage import LoopLimits
from handrail.hosts import HOSTS, find_host
from handrail.hosts.port import DriveOptions, HostAdapter, HostError, HostProgram, UnsupervisedError
from handrail.model.control import Standing
from handrail.server.home import Home
from handrail.server.http.socket_client import DaemonError
from handrail.supervise.log.state_reader import read_state
from handrail.words.hosts import names_hosts, resume_command, with_hosts

_FOR_HOST = "handrail.for_host"
_ITERATIONS = 10
_HOST = next(iter(HOSTS))
"""The host that Handrail drives."""
_MODES = find_host(_HOST).modes
_NO_PROGRAM = "cannot find $title; install it, or put `$program` into your PATH"


class _RunCommand(click.Command):
    """Keeps the arguments behind `--` for the host's program."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            at = args.index("--")
            ctx.meta[_FOR_HOST] = tuple(args[at + 1 :])
            args = args[:at]
        return super().parse_args(ctx, args)


def _limit(
    name: str, kind: type[float], metavar: str, text: str
) -> Callable[[options.Function], options.Function]:
    """Make an option for a limit above 0."""

    def check(_ctx: click.Context, _param: click.Parameter, value: float | None) -> float | None:
        if value is not None and not value > 0:
            raise click.UsageError(f"{name} {value}: use a number above 0")
        return value

    return click.option(name, type=kind, metavar=metavar, callback=check, help=text)


@click.command(cls=_RunCommand, options_metavar="[OPTIONS]")
@click.argument("words", nargs=-1, metavar=f"PROMPT [-- {_HOST.upper()} ARGS…]")
@click.option("--verify", metavar="CMD", help="The task is done only if this command succeeds.")
@click.option("--model", default="", metavar="NAME", help=with_hosts("Default: $title's own."))
@_limit("--max-iterations", int, "N", f"Stop after N prompts. Default: {_ITERATIONS}.")
@_limit("--max-minutes", float, "N", "Stop after N minutes of work.")
@_limit("--max-cost", float, "USD", "Stop when the run has cost this much.")
@_limit("--max-tokens", int, "N", "Stop after N tokens.")
@_limit("--max-memory", float, "MB", "Stop when the agent and its processes use more.")
@click.option(
    "--permission-mode",
    "mode",
    type=click.Choice(_MODES),
    default=_MODES[0],
    metavar="MODE",
    help=with_hosts(f"$title's permission mode. Default: {_MODES[0]}."),
)
@click.option("--resume", "typed", metavar="RUN", help="Continue this run.")
@options.json_option("Print each event and a summary as JSON.")
@options.color_option
@click.pass_context
@names_hosts
def command(
    ctx: click.Context,
    words: tuple[str, ...],
    verify: str | None,
    model: str,
    max_iterations: int | None,
    max_minutes: float | None,
    max_cost: float | None,
    max_tokens: int | None,
    max_memory: float | None,
    mode: str,
    typed: str | None,
    as_json: bool,
) -> int:
    """Let $title work in this folder until its task is done.

    Whenever the agent stops, Handrail prompts it again, until the agent reports that
    it is done and the verify command succeeds, or until a limit is reached. If the
    verify command fails, the agent gets its output. PROMPT may be - for stdin.

    You see here what happens. Use `handrail watch` in another terminal to pause, steer
    or stop the run. Ctrl+C ends the agent; --resume continues the run.

    $title asks nobody for permission (bypassPermissions), because nobody may be
    there. Handrail reviews each action before it runs, and your deny rules still
    apply. With --permission-mode acceptEdits or dontAsk, $title refuses
    everything that your settings do not allow.

    \b
    Examples:
      handrail run "Fix the failing tests." --verify "pytest -q"
      handrail run "Port the cart to the new API." --max-cost 5 --max-minutes 60
      handrail run - --model haiku < task.md
      handrail run "Tidy the docs." -- --add-dir ../shared
      handrail run --resume shop-3f2a --max-iterations 20

    Exit code: 0 if the task is done and verified; 1 if it is not (limit reached,
    agent stuck, run cancelled); 2 for an error; 130 after Ctrl+C.
    """
    options.by_a_person()
    limits = LoopLimits(
        max_iterations=max_iterations or _ITERATIONS,
        max_minutes=max_minutes or 0,
        max_cost_usd=max_cost or 0,
        max_tokens=max_tokens or 0,
        max_memory_mb=max_memory or 0,
    )
    wanted = DriveOptions(model=model, mode=mode, arguments=ctx.meta.get(_FOR_HOST, ()))
    host = find_host(_HOST)
    _check(lambda: host.check_arguments(wanted.arguments))
    prompt = _prompt(words)
    if typed is None:
        if not prompt:
            raise click.UsageError(
                'what is the task? For example: handrail run "Fix the failing tests."'
            )
        plan = RunPlan(str(uuid4()), prompt, verify or "", limits, wanted)
    else:
        plan = _resumed_plan(typed, prompt, verify, max_iterations, limits, wanted)
    _check(lambda: host.check_mode(plan.options.mode))
    return _start(host, plan, as_json=as_json)


class RunPlan(msgspec.Struct, frozen=True):
    """A run that is about to start."""

    run: str
    goal: str
    verify: str
    limits: LoopLimits
    options: DriveOptions
    cwd: str = msgspec.field(default_factory=os.getcwd)
    resumes: bool = False
    """The run was driven before."""
    held: bool = False
    """A person paused or stopped it."""
    began: float = msgspec.field(default_factory=time)


def _prompt(words: tuple[str, ...]) -> str:
    text = sys.stdin.read() if words == ("-",) else " ".join(words)
    return text.strip()


def _check(check: Callable[[], None]) -> None:
    try:
        check()
    except HostError as error:
        raise click.UsageError(str(error)) from None


def _resumed_plan(
    typed: str,
    prompt: str,
    verify: str | None,
    max_iterations: int | None,
    limits: LoopLimits,
    wanted: DriveOptions,
) -> RunPlan:
    """Plan to continue a run; new options replace those of the first start."""
    with read_log(find_home()) as store:
        run = KnownRuns(store).find(typed)
        state = read_state(store, run.id, [])
    loop = state.loop
    if loop is None:
        raise click.ClickException(
            f"{run.name} was not started by handrail run; use {resume_command(_HOST, run.id)}"
        )
    if state.hand.standing in (Standing.CANCELLED, Standing.CANCELLING):
        who = f" by {state.hand.by}" if state.hand.by else ""
        raise click.ClickException(
            f"{run.name} was cancelled{who}, which is final; start a new run"
        )
    if not os.path.isdir(state.cwd):
        raise click.ClickException(f"the folder of {run.name} is gone: {state.cwd}")
    return RunPlan(
        run.id,
        prompt or loop.goal,
        loop.verify if verify is None else verify,
        msgspec.structs.replace(limits, max_iterations=max_iterations or loop.max),
        msgspec.structs.replace(wanted, model=wanted.model or state.model),
        state.cwd,
        resumes=True,
        held=state.hand.standing not in (Standing.RUNNING, Standing.DONE),
    )


def _start(host: HostAdapter, plan: RunPlan, *, as_json: bool) -> int:
    """Check that an unattended agent can be supervised, then start it."""
    from handrail.cli.driving.driven_run import drive_to_the_end

    home = find_home()
    program = host.find_program(os.environ)
    if program is None:
        raise click.ClickException(with_hosts(_NO_PROGRAM))
    try:
        with ready_daemon(home):
            settings = _settings(host, home, program, plan)
        return drive_to_the_end(host, home, program.path, plan, settings, as_json=as_json)
    except DaemonError as error:
        raise click.ClickException(str(error)) from None


def _settings(host: HostAdapter, home: Home, program: HostProgram, plan: RunPlan) -> str:
    """Return the hooks, unless they are installed; fail if something disables them."""
    home.client()
    try:
        return host.prepare(
            program, hook_connection(home), plan.run, plan.cwd, os.environ, plan.options
        )
    except UnsupervisedError as error:
        raise click.ClickException(
            f"did not start the agent, because it would be unsupervised: {error}"
        ) from None
    except HostError as error:
        raise click.UsageError(str(error)) from None
