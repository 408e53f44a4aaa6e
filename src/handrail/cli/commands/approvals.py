"""`handrail approvals`, `approve`, `deny`: answer the actions that wait for a person."""

from time import time

import click

from handrail.api.messages.approvals import ApprovalDecision, EditOrder
from handrail.cli import options
from handrail.cli.daemon_request import ready_api
from handrail.cli.history.runs import LAST, find_home, read_log
from handrail.cli.output.approval_lines import approval_json, list_approvals, show_edit, show_rule
from handrail.cli.output.file_changes import ask_to_agree
from handrail.cli.output.json_line import print_json
from handrail.model.ordinal import Decision
from handrail.review.tools.tool_effects import command_field
from handrail.views.approval_feed import ApprovalFeed, ApprovalView

_NONE = "No action waits for an approval."


@click.command()
@options.json_option("Print JSON.")
@options.color_option
def approvals(as_json: bool) -> int:
    """List the actions that wait for your approval, the oldest first.

    With the setting `approvals.hold_refused`, a refused action that you may overrule
    waits for you. A run that you let go on after an emergency stop with
    `--option manual_approval` asks about everything that changes something.

    \b
    Examples:
      handrail approvals
      handrail approvals --json | jq -r '.[].id'
    """
    found = _waiting()
    if as_json:
        print_json([approval_json(each) for each in found])
    elif found:
        list_approvals(options.screen(), found, time())
    else:
        options.screen().say(f" {_NONE}")
    return 0


@click.command()
@click.argument("name", metavar="ID")
@click.option("--reason", default="", metavar="TEXT", help="Why. Others will read it.")
@click.option("--edit", metavar="COMMAND", help="Run this instead. Handrail reviews it first.")
@click.option(
    "--always", is_flag=True, help="Allow it for good in this project: a rule in your own settings."
)
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@options.json_option("Print JSON; do not ask.")
@options.color_option
def approve(
    name: str, reason: str, edit: str | None, always: bool, yes: bool, as_json: bool
) -> int:
    """Let one action run that waits for your approval.

    ID is an id from `handrail approvals`, its start, or `last`. The approval lets
    exactly this action run, once, within approvals.valid_minutes (a setting).

    With --edit, another command runs instead, and the agent reads what you changed.
    With --always, Handrail shows the rule that it adds to
    ~/.config/handrail/handrail.yaml, and asks you.

    \b
    Examples:
      handrail approve 7f3a
      handrail approve last --reason "the fixture is mine"
      handrail approve 7f3a --edit "npm publish --dry-run"
      handrail approve 7f3a --always
    """
    options.by_a_person()
    if edit is not None and always:
        raise click.UsageError("use --edit or --always, not both: an edited command runs once")
    one = _find(name)
    edited = None if edit is None else _reviewed_edit(one, edit, yes=yes, as_json=as_json)
    if always:
        _agree_to_rule(one, yes=yes, as_json=as_json)
    done = "Approved for good in this project" if always else "Approved, once"
    decision = ApprovalDecision("approve", reason, edited, always)
    return _answer(one, decision, done, as_json=as_json)


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
    options.by_a_person()
    return _answer(_find(name), ApprovalDecision("deny", reason), "Denied", as_json=as_json)


commands = {"approvals": approvals, "approve": approve, "deny": deny}
"""The click commands by name, for `handrail.cli`."""


def _answer(one: ApprovalView, decision: ApprovalDecision, done: str, *, as_json: bool) -> int:
    with ready_api(find_home()) as api:
        result = api.decide_approval(one.approval.id, decision)
    if as_json:
        print_json(
            {
                "ok": result.ok,
                "id": one.approval.id,
                "run": one.run,
                "decision": decision.decision,
                "says": one.approval.says,
                "runs": result.runs,
                "note": result.note,
            }
        )
        return 0
    screen = options.screen()
    screen.paragraph(f"{done}: {one.run_name}, {result.runs or one.approval.says}")
    if result.note:
        screen.paragraph(result.note)
    return 0


def _reviewed_edit(
    one: ApprovalView, command: str, *, yes: bool, as_json: bool
) -> dict[str, object]:
    """Show the verdict on another command, and return the input to approve."""
    action = None if one.question is None else one.question.action
    field = (command_field(action) if action is not None else None) or "command"
    edited: dict[str, object] = {field: command}
    with ready_api(find_home()) as api:
        found = api.review_edit(one.approval.id, EditOrder(edited))
    if not found.possible:
        raise click.ClickException(f"nobody can approve this: {found.reason}")
    if not as_json:
        show_edit(options.screen(), found)
    if found.decision == Decision.BLOCK.value:
        ask = ask_to_agree("Let it run nevertheless?", yes=yes, asks=not as_json, default=False)
        if not ask:
            raise click.Abort
    return edited


def _agree_to_rule(one: ApprovalView, *, yes: bool, as_json: bool) -> None:
    """Show the rule, and ask whether to write it."""
    with ready_api(find_home()) as api:
        asked = api.get_approval(one.approval.id)
    if not asked.always:
        why = asked.no_rule or "it has an answer, or has expired"
        raise click.ClickException(f"no rule can allow this for good: {why}")
    if not as_json:
        show_rule(options.screen(), asked.always)
    if not ask_to_agree("Write this rule?", yes=yes, asks=not as_json):
        raise click.Abort


def _waiting() -> list[ApprovalView]:
    """Find the open questions of all runs, the oldest first."""
    now = time()
    with read_log(find_home()) as store:
        return [each for each in ApprovalFeed().all(store, now) if each.approval.is_open(now)]


def _find(typed: str) -> ApprovalView:
    """Find the question that the user means."""
    waiting = _waiting()
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
