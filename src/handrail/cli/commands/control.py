"""`handrail pause`, `resume`, `stop` …: one command for each row of the control table."""

import math
import sys
from time import time
from typing import TYPE_CHECKING

import click
import msgspec

from handrail.cli import options
from handrail.model.control import FINAL, ChoiceField, ControlCommand, OnCommandLine

if TYPE_CHECKING:
    from handrail.cli.requests.sending import ChosenRuns

_WAIT = 5.0
"""Seconds to wait for the confirmation without --wait."""
EXIT_NOT_CONFIRMED = 2

_TASK_FORM = {ControlCommand.REDIRECT: ControlCommand.REASSIGN}
"""The command for the slot of a task's run, where the user names another task with --task."""
_TASK_HELP = "Of a task's run: give its slot to this task instead of a GOAL."
_RUN = """RUN is a name from `handrail status` (shop-3f2a), the start of a session id,
a project, or `last`. With a project or `last`, Handrail picks the latest run that
can take the command."""
_CODES = """Exit code: 0 confirmed; 1 refused or failed; 2 error; 3 not confirmed yet,
but the request stays open."""


def _seconds(ctx: click.Context, _param: click.Parameter, value: str) -> float:
    """Read the number of seconds. If it is not a number, the user probably meant the run."""
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1.0
    if math.isnan(seconds) or seconds < 0:
        raise click.UsageError(
            f"--wait {value}: SECONDS must be a number. Write --wait last: "
            f"handrail {ctx.info_name} RUN --wait"
        )
    return seconds


def _help(command: ControlCommand, line: OnCommandLine) -> str:
    """Build the text of `--help`."""
    examples = "\n".join(f"  handrail {command} {each}" for each in line.examples)
    more = f"{line.more} Handrail confirms this once {line.confirmed}."
    parts = (line.brief, more, _RUN, f"\b\nExamples:\n{examples}", _CODES)
    return "\n\n".join(parts)


def _make(command: ControlCommand, line: OnCommandLine) -> click.Command:
    def run(words: tuple[str, ...], **given: object) -> int:
        order = msgspec.convert({**given, "words": words}, _TypedCommand)
        return _carry_out(command, order, _operand(line))

    given = [
        click.Argument(["words"], nargs=-1, metavar=f"RUN|--all {_operand(line)}".strip()),
        click.Option(["--all", "all_runs"], is_flag=True, help="All runs that can take it."),
        click.Option(["--reason"], default="", metavar="TEXT", help="Why. Others will read it."),
        click.Option(
            ["--wait"],
            is_flag=False,
            flag_value="inf",
            default=f"{_WAIT:g}",
            callback=_seconds,
            metavar="[SECONDS]",
            help=f"Wait until confirmed, or at most SECONDS. Default: {_WAIT:g}.",
        ),
    ]
    if line.text and not _operand(line):
        text = f"The {command.spec.text.name}. Default: {line.default}."
        option = [line.text, "text"]
        given.append(click.Option(option, default=line.default, metavar="NAME", help=text))
    given += map(_choice_option, _choices(command))
    if command in _TASK_FORM:
        given.append(click.Option(["--task"], default="", metavar="ID", help=_TASK_HELP))
    if command.spec.confirm:
        given.append(click.Option(["--yes", "-y"], is_flag=True, help="Do not ask."))
    made = click.Command(command.value, callback=run, params=given, help=_help(command, line))
    for option_of in (options.color_option, options.json_option("Print each message as JSON.")):
        made = option_of(made)
    return made


def _choice_option(choice: ChoiceField) -> click.Option:
    default = choice.values[0]
    return click.Option(
        [f"--{choice.name}", "choice"],
        type=click.Choice(choice.values),
        default=default,
        help=f"Default: {default}.",
    )


def _choices(command: ControlCommand) -> list[ChoiceField]:
    """Return the choice of a command, or of its form for tasks."""
    specs = (each.spec.choice for each in (command, _TASK_FORM.get(command)) if each is not None)
    return [each for each in specs if each.values]


def _operand(line: OnCommandLine) -> str:
    """Return the argument that follows the run: TEXT, GOAL or none."""
    return "" if line.text.startswith("--") else line.text


class _TypedCommand(msgspec.Struct, frozen=True):
    """The arguments and options as the user typed them."""

    words: tuple[str, ...]
    all_runs: bool
    reason: str
    wait: float
    as_json: bool
    text: str = ""
    choice: str = ""
    task: str = ""
    yes: bool = False


def _carry_out(command: ControlCommand, order: _TypedCommand, operand: str) -> int:
    options.by_a_person()
    if order.task:
        command, operand = _TASK_FORM[command], ""
    typed, text = _read(command, order, operand)
    from handrail.cli.history.runs import KnownRuns, find_home, read_log
    from handrail.cli.requests.sending import choose_all, choose_one

    home = find_home()
    with read_log(home) as store:
        runs = KnownRuns(store)
        if order.all_runs:
            chosen = choose_all(runs, store, command, time())
        else:
            chosen = choose_one(runs, store, command, typed)
    if not _is_agreed_to(command, order, chosen):
        return EXIT_NOT_CONFIRMED
    from handrail.cli.requests.send_and_report import send_and_report

    if order.all_runs:
        from handrail.cli.requests.all_fleets import change_dispatch

        change_dispatch(home, command, order.reason, as_json=order.as_json)
    return send_and_report(
        home,
        command,
        chosen,
        reason=order.reason,
        text=text,
        choice=order.choice,
        seconds=order.wait,
        form="json" if order.as_json else "words",
    )


def _read(command: ControlCommand, order: _TypedCommand, operand: str) -> tuple[str, str]:
    """Return the run as it was typed, and the text of the command."""
    name, words = command.value, list(order.words)
    if not order.all_runs and not words:
        raise click.UsageError(f"{name} which run? See handrail status, or use --all")
    typed = "" if order.all_runs else words.pop(0)
    if operand and not " ".join(words).strip():
        one = "--all" if order.all_runs else typed
        raise click.UsageError(f'{name} needs a text: handrail {name} {one} "{operand}"')
    if words and not operand:
        both = "a RUN or --all, not both" if order.all_runs else "one RUN at a time, or --all"
        raise click.UsageError(f"{name}: give {both}")
    text = " ".join(words) or order.text or order.task
    for given in (text, order.reason):
        given.encode()  # raises for bytes that are not text
    return typed, text


def _is_agreed_to(command: ControlCommand, order: _TypedCommand, chosen: "ChosenRuns") -> bool:
    """Ask the user to confirm, if the command needs that."""
    name = command.value
    if not command.spec.confirm or order.yes or len(chosen.runs) < 2:
        return True
    if order.as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.ClickException(f"this needs a confirmation: handrail {name} --all --yes")
    from handrail.cli.requests.send_and_report import list_runs

    list_runs(options.screen(), chosen)
    for_good = " for good" if command.spec.then in FINAL else ""
    question = f" {name.capitalize()} these {len(chosen.runs)} runs{for_good}?"
    if click.confirm(question, default=False):
        return True
    click.echo(" Nothing was sent.")
    return False


commands = {
    each.value: _make(each, line)
    for each in ControlCommand
    if (line := each.spec.on_command_line) is not None
}
"""The click commands by name, for `handrail.cli`."""
