"""`handrail pause`, `resume`, `stop` … : a person's hand on a run. One table, one command each."""

import math
import sys
from time import time
from typing import TYPE_CHECKING

import click
import msgspec

from handrail.cli import options
from handrail.model.control import Command

if TYPE_CHECKING:
    from handrail.cli.sending import Chosen

_AT_FIRST = 5.0
"""Seconds for which the confirmation is awaited where nobody says --wait."""
_MODEL = "opus"
EXIT_NOT_CONFIRMED = 2

_RUN = """RUN is a name as in `handrail status` (shop-3f2a), the beginning of a
session's id, a project or `last`: then the last run that can be told so is meant."""
_CODES = """Exit code: 0 if it is confirmed; 1 if it was refused or has failed; 3 if it was
acknowledged and is not confirmed yet: it stays asked for; 2 for an error."""


class Offer(msgspec.Struct, frozen=True):
    """One command."""

    command: Command
    does: str
    """In a line."""
    more: str
    examples: tuple[str, ...]
    about: str = ""
    """What has to be said beside the run: TEXT, GOAL."""
    grave: bool = False
    """For more than one run it has to be agreed to."""

    @property
    def help(self) -> str:
        """The text of `--help`."""
        examples = "\n".join(f"  handrail {self.command} {each}" for each in self.examples)
        return f"{self.does}\n\n{self.more}\n\n{_RUN}\n\n\b\nExamples:\n{examples}\n\n{_CODES}"


OFFERS = (
    Offer(
        Command.PAUSE,
        "Pause a run at its next action.",
        "What is under way goes on to its end; the next action is held before it begins, and "
        "runs when you resume. A pause is confirmed when nothing runs.",
        ("shop", 'shop --reason "fixing the fixture first"', "--all --wait"),
    ),
    Offer(
        Command.RESUME,
        "Let a run go on that was paused, frozen or stopped.",
        "A held action runs then. A stopped run is started again by the `handrail run` that "
        "drives it; where that is gone: handrail run --resume RUN.",
        ("shop", "--all"),
    ),
    Offer(
        Command.INTERRUPT,
        "Break off what the agent is doing, the model's answer too; then it is paused.",
        "For runs that `handrail run` has started. In a session of your own press Esc.",
        ("shop", 'shop --reason "wrong branch"'),
    ),
    Offer(
        Command.FREEZE,
        "Stop all processes of a run where they are, also in mid-action.",
        "For two minutes at most (control.freeze_seconds); then the run is paused.",
        ("shop", '--all --reason "the disk is nearly full"'),
    ),
    Offer(
        Command.STOP,
        "Save the files of a run, and end all its processes.",
        "It is confirmed when no process of the run is left. `handrail resume` takes it up "
        "again. For more than one run it asks first.",
        ('shop --reason "out of budget"', "--all --yes"),
        grave=True,
    ),
    Offer(
        Command.CANCEL,
        "End a run for good: it cannot be resumed.",
        "The files stay as they are; `handrail undo --task --run RUN` takes back what it did. "
        "It is confirmed when no process of the run is left. For more than one run it asks "
        "first.",
        ('shop --reason "not needed any more"', "--all --yes"),
        grave=True,
    ),
    Offer(
        Command.STEER,
        "Tell the agent something.",
        "It reads it with the answer to its next action, or with its next prompt, and goes on "
        "with its task. It is confirmed when the agent has been told.",
        (
            'shop "use pytest, not unittest"',
            '--all "the API is down until 15:00: work on the tests"',
        ),
        about="TEXT",
    ),
    Offer(
        Command.REDIRECT,
        "Give the agent another goal, which replaces the one it has.",
        "It is told with the answer to its next action, or with its next prompt. It is "
        "confirmed when the agent has been told.",
        (
            'shop "leave the cart; fix the login first"',
            'last "only write the tests" --reason "out of scope"',
        ),
        about="GOAL",
    ),
    Offer(
        Command.ESCALATE,
        "Have the agent use another model from its next call on.",
        "For runs that `handrail run` has started. In a session of your own: /model.",
        ("shop", 'shop --model sonnet --reason "opus is too dear for this"'),
    ),
)


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


def _make(offer: Offer) -> click.Command:
    def run(words: tuple[str, ...], **given: object) -> int:
        order = msgspec.convert({**given, "words": words}, _Order)
        return _carry_out(offer, order)

    given = [
        click.Argument(["words"], nargs=-1, metavar=f"RUN|--all {offer.about}".strip()),
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
    if offer.command is Command.ESCALATE:
        text = f"The model; without this {_MODEL}."
        given.append(click.Option(["--model"], default=_MODEL, metavar="NAME", help=text))
    if offer.grave:
        given.append(click.Option(["--yes", "-y"], is_flag=True, help="Do it without asking."))
    made = click.Command(offer.command.value, callback=run, params=given, help=offer.help)
    for option in (options.color_option, options.json_option("Print each message as JSON.")):
        made = option(made)
    return made


class _Order(msgspec.Struct, frozen=True):
    """What was typed."""

    words: tuple[str, ...]
    all_runs: bool
    reason: str
    wait: float
    as_json: bool
    model: str = ""
    yes: bool = False


def _carry_out(offer: Offer, order: _Order) -> int:
    options.by_a_person()
    typed, text = _read(offer, order)
    from handrail.cli.runs import Runs, find_home, read_log
    from handrail.cli.sending import choose_all, choose_one

    home = find_home()
    with read_log(home) as store:
        runs = Runs(store)
        if order.all_runs:
            chosen = choose_all(runs, store, offer.command, time())
        else:
            chosen = choose_one(runs, store, offer.command, typed)
    if not _is_agreed_to(offer, order, chosen):
        return EXIT_NOT_CONFIRMED
    from handrail.cli.control_talk import talk

    return talk(
        home,
        offer.command,
        chosen,
        reason=order.reason,
        text=text,
        seconds=order.wait,
        form="json" if order.as_json else "words",
    )


def _read(offer: Offer, order: _Order) -> tuple[str, str]:
    """The run as it was typed, and what the command is about."""
    name, words = offer.command.value, list(order.words)
    if not order.all_runs and not words:
        raise click.UsageError(f"{name} which run? handrail status lists them; --all is every one")
    typed = "" if order.all_runs else words.pop(0)
    if offer.about and not " ".join(words).strip():
        one = "--all" if order.all_runs else typed
        raise click.UsageError(f'{name} needs a text: handrail {name} {one} "{offer.about}"')
    if words and not offer.about:
        both = "a RUN or --all, not both" if order.all_runs else "one RUN at a time, or --all"
        raise click.UsageError(f"{name}: give {both}")
    text = " ".join(words) or order.model
    for given in (text, order.reason):
        given.encode()  # bytes that are no text cannot be told; the error says so
    return typed, text


def _is_agreed_to(offer: Offer, order: _Order, chosen: "Chosen") -> bool:
    """Whether a person wants it, where that has to be asked."""
    name = offer.command.value
    if not offer.grave or order.yes or len(chosen.runs) < 2:
        return True
    if order.as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.ClickException(f"nobody is here to confirm it: handrail {name} --all --yes")
    from handrail.cli.control_talk import list_runs

    list_runs(options.screen(), chosen)
    for_good = " for good" if offer.command is Command.CANCEL else ""
    question = f" {name.capitalize()} these {len(chosen.runs)} runs{for_good}?"
    if click.confirm(question, default=False):
        return True
    click.echo(" Nothing was asked for.")
    return False


commands = {offer.command.value: _make(offer) for offer in OFFERS}
"""By name; `handrail.cli` finds them here."""
