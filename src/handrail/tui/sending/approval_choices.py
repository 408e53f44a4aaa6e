"""The answers that a person can give to an action that waits, and how the daemon hears them."""

import os
from contextlib import closing
from time import time

from handrail.api.client import ApiClient
from handrail.api.messages.approvals import ApprovalDecision, EditOrder
from handrail.config.user_rules import UnwritableRuleError, plan_rule
from handrail.model.event import ApprovalAsked
from handrail.model.ordinal import Decision
from handrail.review.tools.tool_effects import command_field
from handrail.server.control.approval_decisions import RuleRefusedError, always_rule
from handrail.server.home import Home
from handrail.store.errors import StoreError
from handrail.store.opening import open_log
from handrail.tui.sending.decisions import DecisionChoice, OpenDecision
from handrail.views.approval_feed import ApprovalFeed, ApprovalView
from handrail.views.run_overview import RunOverview
from handrail.words.actions import command_of

_APPROVE = DecisionChoice("approve", "approve", "Exactly this action may run, once.")
_DENY = DecisionChoice("deny", "deny", "It does not run; the agent reads your note.")
_EDIT, _ALWAYS = "edit", "always"


class EditStoppedError(Exception):
    """Handrail would stop the edited command, too."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"Handrail would stop that, too: {reason}")


def approval_decision(home: Home, run: RunOverview) -> OpenDecision | None:
    """Return the question of a run about an action, with all answers that are possible."""
    if not run.approval:
        return None
    view = _question(home, run.approval)
    question = None if view is None else view.question
    choices, field = [_APPROVE], ""
    if view is not None and question is not None and view.editable:
        field = command_field(question.action) or "command"
        choices.append(_edit(question))
    if question is not None and (rule := _rule(question)):
        choices.append(rule)
    why = f"\n{view.why}" if view is not None and view.why else ""
    return OpenDecision(
        run.id,
        run.name,
        f"{run.name} waits for your approval",
        f"It wants to: {run.wants}{why}",
        "approval",
        run.approval,
        (*choices, _DENY),
        edits=field,
    )


def answer_approval(api: ApiClient, decision: OpenDecision, choice: str, note: str) -> None:
    """Tell the daemon the answer. Raises EditStoppedError."""
    if choice == _DENY.value:
        given = ApprovalDecision("deny", note)
    elif choice == _EDIT:
        given = ApprovalDecision("approve", edited=_reviewed(api, decision, note))
    else:
        given = ApprovalDecision("approve", note, always=choice == _ALWAYS)
    api.decide_approval(decision.id, given)


def _reviewed(api: ApiClient, decision: OpenDecision, command: str) -> dict[str, object]:
    """Return the edited input, if it may run."""
    edited: dict[str, object] = {decision.edits: command}
    verdict = api.review_edit(decision.id, EditOrder(edited))
    if verdict.decision == Decision.BLOCK.value:
        raise EditStoppedError(verdict.reason)
    return edited


def _edit(question: ApprovalAsked) -> DecisionChoice:
    return DecisionChoice(
        _EDIT,
        "run another command instead",
        "Handrail reviews it first; what it would stop does not run.",
        asks="the command to run instead",
        text=command_of(question.action),
    )


def _rule(question: ApprovalAsked) -> DecisionChoice | None:
    """Return the choice to allow an action for good, with the rule in full; None: there is none."""
    try:
        rule = always_rule(question)
        file = plan_rule(rule, os.environ).path
    except (RuleRefusedError, UnwritableRuleError):
        return None
    where = f", in {rule.folder}" if rule.folder else ""
    what = rule.command or f"{rule.tool} {rule.fingerprint}"
    says = f"Adds to {file}, approvals.always: {rule.project}{where}: {what}"
    return DecisionChoice(_ALWAYS, "always allow it in this project", says)


def _question(home: Home, approval: str) -> ApprovalView | None:
    try:
        with closing(open_log(home.log, "read")) as store:
            return ApprovalFeed().find(store, approval, time())
    except StoreError:
        return None
