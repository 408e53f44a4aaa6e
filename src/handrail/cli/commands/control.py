"""`handrail pause`, `resume`, `stop` … : a person's hand on a run, from the rows of the table."""

import math
import sys
from time import time
from typing import TYPE_CHECKING

import click
import msgspec

from handrail.cli import options
from handrail.model.control import FINAL, ControlCommand, OnCommandLine

if TYPE_CHECKING:
    from handrail.cli.requests.sending import ChosenRuns

_AT_FIRST = 5.0
"""Seconds for which the confirmation is awaited where nobody says --wait."""
EXIT_NOT_CONFIRMED = 2

_RUN = """RUN is a name as in `handrail status` (shop-3f2a), the beginning of a
session's id, a project or `last`: then the last run that can be told so is meant."""
_CODES = """Exit code: 0 if it is confirmed; 1 if it was refused or has failed; 3 if it was
acknowledged and is not confirmed yet: it stays asked for; 2 for an error."""


def _seconds(ctx: click.Context, _param: click.Parameter, value: str) -> float:
    """A number of seconds; what is none was probably meant as the run."""
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1.0
    if math.isnan(seconds) or seconds < 0:
        raise click.UsageError(
            f"--wait {value}: SECONDS is a number; write --wait at the end: "
            f"handrail {ctx.info_name} RUN --wait"
        )
    return seconds


def _help(command: ControlCommand, line: OnCommandLine) -> str:
    """The text of `--help`."""
    examples = "\n".join(f"  handrail {command} {each}" for each in line.examples)
    more = f"{line.more} It is confirmed when {line.confirmed}."
    parts = (line.brief, more, _RUN, f"\b\nExamples:\n{examples}", _CODES)
    return "\n\n".join(parts)


def _make(command: ControlCommand, line: OnCommandLine) -> click.Command:
    def run(words: tuple[str, ...], **given: object) -> int:
        order = msgspec.convert({**given, "words": words}, _TypedCommand)
        return _carry_out(command, order, _operand(line))

    given = [
        click.Argument(["words"], nargs=-1, metavar=f"RUN|--all {_operand(line)}".strip()),
        click.Option(["--all", "all_runs"], is_flag=True, help="Every run that can be told so."),
        click.Option(["--reason"], default="", metavar="TEXT", help="Why; others will read it."),
        click.Option(
            ["--wait"],
            is_flag=False,
            flag_value="inf",
            default=f"{_AT_FIRST:g}",
            callback=_seconds,
            metavar="[SECONDS]",
            help=f"Until it is confirmed, or so long; without this {_AT_FIRST:g} s.",
        ),
    ]
    if line.text and not _operand(line):
        text = f"The {command.spec.text.name}; without this {line.default}."
        option = [line.text, "text"]
        given.append(click.Option(option, default=line.default, metavar="NAME", help=text))
    if command.spec.confirm:
        given.append(click.Option(["--yes", "-y"], is_flag=True, help="Do it without asking."))
    made = click.Command(command.value, callback=run, params=given, help=_help(command, line))
    for option_of in (options.color_option, options.json_option("Print each message as JSON.")):
        made = option_of(made)
    return made


def _operand(line: OnCommandLine) -> str:
    """What has to be said beside the run: TEXT, GOAL."""
    return "" if line.text.startswith("--") else line.text


class _TypedCommand(msgspec.Struct, frozen=True):
    """What was typed."""

    words: tuple[str, ...]
    all_runs: bool
    reason: str
    wait: float
    as_json: bool
    text: str = ""
    yes: bool = False


def _carry_out(command: ControlCommand, order: _TypedCommand, operand: str) -> int:
    options.by_a_person()
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

    return send_and_report(
        home,
        command,
        chosen,
        reason=order.reason,
        text=text,
        seconds=order.wait,
        form="json" if order.as_json else "words",
    )


def _read(command: ControlCommand, order: _TypedCommand, operand: str) -> tuple[str, str]:
    """The run as it was typed, and what the command is about."""
    name, words = command.value, list(order.words)
    if not order.all_runs and not words:
        raise click.UsageError(f"{name} which run? handrail status lists them; --all is every one")
    typed = "" if order.all_runs else words.pop(0)
    if operand and not " ".join(words).strip():
        one = "--all" if order.all_runs else typed
        raise click.UsageError(f'{name} needs a text: handrail {name} {one} "{operand}"')
    if words and not operand:
        both = "a RUN or --all, not both" if order.all_runs else "one RUN at a time, or --all"
        raise click.UsageError(f"{name}: give {both}")
    text = " ".join(words) or order.text
    for given in (text, order.reason):
        given.encode()  # bytes that are no text cannot be told; the error says so
    return typed, text


def _is_agreed_to(command: ControlCommand, order: _TypedCommand, chosen: "ChosenRuns") -> bool:
    """Whether a person wants it, where that has to be asked."""
    name = command.value
    if not command.spec.confirm or order.yes or len(chosen.runs) < 2:
        return True
    if order.as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.ClickException(f"nobody is here to confirm it: handrail {name} --all --yes")
    from handrail.cli.requests.send_and_report import list_runs

    list_runs(options.screen(), chosen)
    for_good = " for good" if command.spec.then in FINAL else ""
    question = f" {name.capitalize()} these {len(chosen.runs)} runs{for_good}?"
    if click.confirm(question, default=False):
        return True
    click.echo(" Nothing was asked for.")
    return False


commands = {
    each.value: _make(each, line)
    for each in ControlCommand
    if (line := each.spec.on_command_line) is not None
}
"""By name; `handrail.cli` finds them here."""
