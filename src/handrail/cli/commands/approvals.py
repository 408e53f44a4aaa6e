"""`handrail approvals`, `approve`, `deny`: answer the actions that wait for a person."""

from collections.abc import Iterator
from time import time

import click
import msgspec

from handrail.cli import options
from handrail.cli.daemon_request import ask_daemon
from handrail.cli.history.runs import LAST, KnownRun, KnownRuns, find_home, read_log
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput, visible
from handrail.control.client import user_name
from handrail.supervise.decision.approvals import QUESTION_SECONDS
from handrail.supervise.log.state_reader import read_state
from handrail.supervise.state.approval_state import Approval
from handrail.words.run_signs import NEEDS_YOU, RUN_SIGNS
from handrail.words.times import duration_in_words

_NONE = "No action waits for an approval."


class WaitingApproval(msgspec.Struct, frozen=True):
    """An action that waits for a person, and its run."""

    run: KnownRun
    approval: Approval


@click.command()
@options.json_option("Print JSON.")
@options.color_option
def approvals(as_json: bool) -> int:
    """List the actions that wait for your approval, the oldest first.

    A run asks for approvals if you let it go on after an emergency stop with
    `--option manual_approval`. The setting `approvals` says what it asks for.

    \b
    Examples:
      handrail approvals
      handrail approvals --json | jq -r '.[].id'
    """
    found = list(_waiting())
    if as_json:
        print_json([_json(each) for each in found])
    else:
        _list(options.screen(), found)
    return 0


@click.command()
@click.argument("name", metavar="ID")
@click.option("--reason", default="", metavar="TEXT", help="Why. Others will read it.")
@options.json_option("Print JSON.")
@options.color_option
def approve(name: str, reason: str, as_json: bool) -> int:
    """Let one action run that waits for your approval.

    ID is an id from `handrail approvals`, its start, or `last`. The approval lets
    exactly this action run, once, within approvals.valid_minutes (a setting).

    \b
    Examples:
      handrail approve 7f3a
      handrail approve last --reason "the fixture is mine"
    """
    return _answer("approve", name, reason, as_json=as_json)


@click.command()
@click.argument("name", metavar="ID")
@click.option("--reason", default="", metavar="TEXT", help="Why. The agent reads it.")
@options.json_option("Print JSON.")
@options.color_option
def deny(name: str, reason: str, as_json: bool) -> int:
    """Refuse one action that waits for your approval.

    ID is an id from `handrail approvals`, its start, or `last`. The agent hears the
    reason and goes on with something else.

    \b
    Examples:
      handrail deny 7f3a --reason "use the staging database"
      handrail deny last
    """
    return _answer("deny", name, reason, as_json=as_json)


commands = {"approvals": approvals, "approve": approve, "deny": deny}
"""The click commands by name, for `handrail.cli`."""


def _answer(decision: str, name: str, reason: str, *, as_json: bool) -> int:
    options.by_a_person()
    one = _find(name)
    given = {"decision": decision, "by": user_name(), "reason": reason}
    path = f"/runs/{one.run.id}/approvals/{one.approval.id}"
    answer = ask_daemon(find_home(), path, given, "waiting for the daemon")
    if as_json:
        print_json({**answer, "id": one.approval.id, "decision": decision})
        return 0
    screen = options.screen()
    done = "Approved, once" if decision == "approve" else "Denied"
    screen.paragraph(f"{done}: {one.run.name}, {one.approval.says}")
    return 0


def _waiting() -> Iterator[WaitingApproval]:
    """Find the open questions of all runs, the oldest first."""
    now = time()
    found = []
    with read_log(find_home()) as store:
        for run in KnownRuns(store).changed_since(now - QUESTION_SECONDS):
            state = read_state(store, run.id, [])
            found += [WaitingApproval(run, each) for each in state.approvals.waiting(now)]
    yield from sorted(found, key=lambda each: each.approval.asked)


def _find(typed: str) -> WaitingApproval:
    """Find the question that the user means."""
    waiting = list(_waiting())
    if not waiting:
        raise click.ClickException(_NONE)
    found = (
        waiting[-1:]
        if typed == LAST
        else [each for each in waiting if typed and each.approval.id.startswith(typed)]
    )
    if not found:
        raise click.ClickException(f"no approval {typed!r} is open; see handrail approvals")
    if len(found) > 1:
        names = ", ".join(each.approval.id for each in found)
        raise click.ClickException(f"{typed!r} matches several: {names}")
    return found[0]


def _list(screen: TerminalOutput, found: list[WaitingApproval]) -> None:
    if not found:
        screen.say(f" {_NONE}")
        return
    for each in found:
        asked = each.approval
        age = screen.paint(f"{duration_in_words(time() - asked.asked)} ago", "dim")
        name = screen.paint(asked.id, "bold")
        mark = screen.paint(*RUN_SIGNS[NEEDS_YOU])
        screen.say(f" {mark} {name}  {visible(each.run.name)}  {', '.join(asked.kinds)}  {age}")
        screen.paragraph(asked.says, indent=3)  # in full: it is what the person answers for
    screen.say()
    last = found[-1].approval.id
    screen.say(f" handrail approve {last}, or handrail deny {last} --reason TEXT")


def _json(each: WaitingApproval) -> dict[str, object]:
    asked = each.approval
    return {
        "id": asked.id,
        "run": each.run.id,
        "name": each.run.name,
        "says": asked.says,
        "kinds": asked.kinds,
        "asked": asked.asked,
        "until": asked.until,
        "agent": asked.agent,
    }
