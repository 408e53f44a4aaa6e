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
from handrail.cli.driving.undo_check import check_undo
from handrail.cli.history.runs import KnownRuns, find_home, read_log
from handrail.config.sources import PipelineSafety
from handrail.drive.usage import LoopLimits, limits_of
from handrail.hosts import HOSTS, find_host
from handrail.hosts.port import DriveOptions, HostAdapter, HostError, HostProgram, UnsupervisedError
from handrail.model.control import ENDING, Standing
from handrail.server.control.run_processes import has_lost_driver
from handrail.server.driving.agent_driver import (
    AgentPlan,
    NoProgramError,
    PreparedAgent,
    find_program,
    prepare_agent,
)
from handrail.server.home import Home
from handrail.server.http.socket_client import DaemonError
from handrail.supervise.log.state_reader import read_state
from handrail.words.hosts import names_hosts, resume_command, with_hosts

_FOR_HOST = "handrail.for_host"
_ITERATIONS = 10
_HOST = next(iter(HOSTS))
"""The host that Handrail drives."""
_MODES = find_host(_HOST).modes


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
@click.option(
    "--resume",
    "typed",
    metavar="[RUN]",
    is_flag=False,
    flag_value="",
    help="Continue this run; without a name, the tasks of this repository.",
)
@click.option("--slots", type=click.IntRange(1, 100), metavar="N", help="Agents at a time.")
@click.option("--unattended", is_flag=True, help="Nobody is there: save the files first.")
@click.option("--report", metavar="FILE", help="Write the report of many tasks here (.md, .json).")
@click.option(
    "--yes", "accepted", is_flag=True, help="Start even where the work could not be undone."
)
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
    slots: int | None,
    unattended: bool,
    report: str | None,
    accepted: bool,
    as_json: bool,
) -> int:
    """Let $title work in this folder until its task is done.

    Whenever the agent stops, Handrail prompts it again, until the agent reports that
    it is done and the verify command succeeds, or until a limit is reached. If the
    verify command fails, the agent gets its output. PROMPT may be - for stdin.

    Handrail saves the files as it goes, so that you can undo the work. Where it cannot
    (in your home folder, with checkpoints switched off), it starts only with --yes.

    You see here what happens. Use `handrail watch` in another terminal to pause, steer
    or stop the run. Ctrl+C ends the agent; --resume continues the run.

    $title asks nobody for permission (bypassPermissions), because nobody may be
    there. Handrail reviews each action before it runs, and your deny rules still
    apply. With --permission-mode acceptEdits or dontAsk, $title refuses
    everything that your settings do not allow.

    With a file of tasks, such as tasks.yaml, several agents work at a time, each
    in a git worktree of its own. `handrail task` shows the tasks, and `handrail
    merge` brings their work to your branch.

    \b
    Examples:
      handrail run "Fix the failing tests." --verify "pytest -q"
      handrail run "Port the cart to the new API." --max-cost 5 --max-minutes 60
      handrail run - --model haiku < task.md
      handrail run "Tidy the docs." -- --add-dir ../shared
      handrail run --resume shop-3f2a --max-iterations 20
      handrail run tasks.yaml --slots 3
      handrail run tasks.yaml --unattended --report night.md

    Exit code: 0 if the task is done and verified; 1 if it is not (limit reached,
    agent stuck, run cancelled); 2 for an error; 130 after Ctrl+C.
    """
    options.by_a_person()
    if typed == "" or _is_task_file(words):
        from handrail.cli.fleet.fleet_run import FleetRunOptions, run_fleet, tasks_of
        from handrail.cli.fleet.opened_fleet import open_fleet

        tasks = tasks_of(words[0]) if words else ()
        many = FleetRunOptions(
            slots=slots or 0, unattended=unattended, report=report or "", as_json=as_json
        )
        return run_fleet(open_fleet(os.getcwd()), tasks, many)
    if slots or unattended or report:
        raise click.UsageError(
            "--slots, --unattended and --report are for many tasks: handrail run tasks.yaml"
        )
    given = {
        "max_iterations": max_iterations,
        "max_minutes": max_minutes,
        "max_cost_usd": max_cost,
        "max_tokens": max_tokens,
        "max_memory_mb": max_memory,
    }
    limits = {name: value for name, value in given.items() if value is not None}
    wanted = DriveOptions(model=model, mode=mode, arguments=ctx.meta.get(_FOR_HOST, ()))
    host = find_host(_HOST)
    _check(lambda: host.check_arguments(wanted.arguments))
    prompt = _prompt(words)
    if typed is None:
        if not prompt:
            raise click.UsageError(
                'what is the task? For example: handrail run "Fix the failing tests."'
            )
        chosen = msgspec.convert({"max_iterations": _ITERATIONS, **limits}, LoopLimits)
        plan = RunPlan(str(uuid4()), prompt, verify or "", chosen, wanted)
    else:
        plan = _resumed_plan(typed, prompt, verify, limits, wanted)
    _check(lambda: host.check_mode(plan.options.mode))
    return _start(host, plan, accepted=accepted, as_json=as_json)


class RunPlan(AgentPlan, frozen=True):
    """A run that is about to start."""

    resumes: bool = False
    """The run was driven before."""
    held: bool = False
    """A person paused or stopped it."""
    lost: bool = False
    """Its last driver was killed: its agent may still be there."""
    began: float = msgspec.field(default_factory=time)


def _is_task_file(words: tuple[str, ...]) -> bool:
    return len(words) == 1 and words[0].endswith((".yaml", ".yml")) and os.path.isfile(words[0])


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
    limits: dict[str, float],
    wanted: DriveOptions,
) -> RunPlan:
    """Plan to continue a run; new options replace those of the last start, one by one.

    `limits`: the new ones. What the run has used counts against the others, too.
    """
    with read_log(find_home()) as store:
        run = KnownRuns(store).find(typed)
        state = read_state(store, run.id, [])
    loop = state.loop
    if loop is None:
        raise click.ClickException(
            f"{run.name} was not started by handrail run; use {resume_command(_HOST, run.id)}"
        )
    if loop.is_fleet or loop.issue:
        released = f"handrail task retry {loop.issue}, then " if loop.issue else ""
        raise click.ClickException(
            f"{run.name} belongs to a fleet; in its repository, use {released}handrail run --resume"
        )
    if state.hand.standing in (Standing.CANCELLED, Standing.CANCELLING):
        who = f" by {state.hand.by}" if state.hand.by else ""
        raise click.ClickException(
            f"{run.name} was cancelled{who}, which is final; start a new run"
        )
    if not os.path.isdir(state.cwd):
        raise click.ClickException(f"the folder of {run.name} is gone: {state.cwd}")
    lost = has_lost_driver(state) and state.hand.standing not in ENDING
    return RunPlan(
        run.id,
        prompt or loop.goal,
        loop.verify if verify is None else verify,
        msgspec.structs.replace(limits_of(loop), **limits),
        msgspec.structs.replace(wanted, model=wanted.model or state.model),
        state.cwd,
        PipelineSafety(loop.safety, loop.safety_file) if loop.safety else None,
        resumes=True,
        held=lost or state.hand.standing not in (Standing.RUNNING, Standing.DONE),
        lost=lost,
    )


def _start(host: HostAdapter, plan: RunPlan, *, accepted: bool, as_json: bool) -> int:
    """Check that an unattended agent can be supervised and undone, then start it."""
    from handrail.cli.driving.driven_run import drive_to_the_end

    home = find_home()
    try:
        program = find_program(host)
    except NoProgramError as error:
        raise click.ClickException(str(error)) from None
    if why := check_undo(plan.cwd, accepted=accepted):
        click.echo(f"! the work of this run cannot be undone: {why}", err=True)
    try:
        with ready_daemon(home):
            agent = _prepared(host, program, home, plan)
        return drive_to_the_end(home, agent, plan, as_json=as_json)
    except DaemonError as error:
        raise click.ClickException(str(error)) from None


def _prepared(host: HostAdapter, program: HostProgram, home: Home, plan: RunPlan) -> PreparedAgent:
    try:
        return prepare_agent(host, program, home, plan)
    except UnsupervisedError as error:
        raise click.ClickException(
            f"did not start the agent, because it would be unsupervised: {error}"
        ) from None
    except HostError as error:
        raise click.UsageError(str(error)) from None
