"""Let a person approve the actions of a run, one by one."""

from collections.abc import Collection
from secrets import token_hex
from typing import NamedTuple

from handrail.model.action_kind import ActionKind, action_kinds
from handrail.model.event import ApprovalAsked
from handrail.model.ordinal import Decision
from handrail.model.review import Review, Verdict
from handrail.supervise.decision.checkpoint_need import action_line
from handrail.supervise.decision.tool_call import CallUnderReview
from handrail.supervise.state.approval_state import Approval
from handrail.supervise.supervised_run import SupervisedRun

QUESTION_SECONDS = 86_400.0
"""How long a question stays open: the person may be asleep."""
QUESTION_LENGTH = 4000
"""How much of an action a question shows: a person answers only for what they can read."""
_ID_BYTES = 4

ASK_PERSON = Verdict(
    Decision.BLOCK,
    "Since an incident a person approves everything in this run that changes something.",
    "Say what you want to do and why, and wait for the person.",
    overrulable=True,
    passing=True,
)
"""For a host that asks the person at it."""


class ApprovedVerdict(NamedTuple):
    """A verdict, and the approval that led to it."""

    verdict: Verdict
    approval: str = ""


def verdict_with_approval(
    run: SupervisedRun, call: CallUnderReview, review: Review, decided: Verdict, now: float
) -> ApprovedVerdict | None:
    """Ask a person about a call, or use their answer; None: the call waits for it."""
    kinds = kinds_to_approve(review, decided, run.project.config.approvals.require_approval_for)
    if not kinds:
        return ApprovedVerdict(decided)
    if call.may_ask:
        return ApprovedVerdict(ASK_PERSON)
    known = run.state.approvals.find(call.name, now)
    if known is None:
        if run.broken:
            return ApprovedVerdict(decided)  # the lost log decides
        says = action_line(call.action, run.redactor, QUESTION_LENGTH)
        event = question_about(call, review, kinds, says, now)
        run.record(event)
        known = run.state.approvals.kept[event.approval]
    if known.approved:
        return ApprovedVerdict(decided, known.id)
    if known.approved is False:
        return ApprovedVerdict(denied(known), known.id)
    if call.must_answer or not call.action.id:
        return ApprovedVerdict(not_answered(known))
    return None


def kinds_to_approve(
    review: Review, decided: Verdict, required: Collection[ActionKind]
) -> tuple[ActionKind, ...]:
    """Return the kinds for which an action needs an approval; a refused action needs none."""
    if decided.decision is Decision.BLOCK:
        return ()
    return tuple(kind for kind in action_kinds(review) if kind in required)


def question_about(
    call: CallUnderReview, review: Review, kinds: tuple[ActionKind, ...], says: str, now: float
) -> ApprovalAsked:
    """Return the question to the person about a call."""
    return ApprovalAsked(
        now,
        token_hex(_ID_BYTES),
        call.name,
        says,
        call.action,
        review,
        kinds,
        now + QUESTION_SECONDS,
        call.agent,
    )


def not_answered(approval: Approval) -> Verdict:
    """Return the verdict on a call whose host does not wait any longer."""
    return Verdict(
        Decision.BLOCK,
        f"A person has to approve this, and was asked (approval {approval.id}).",
        "Go on with something else. Handrail tells you when it is approved; then make exactly "
        "this call again.",
        passing=True,
    )


def denied(approval: Approval) -> Verdict:
    """Return the verdict on a call that a person has denied."""
    why = f": {approval.reason}" if approval.reason else "."
    return Verdict(
        Decision.BLOCK,
        f"{approval.by or 'A person'} denied this call{why}",
        "Do not try it in another form. Go on with something else, or say that you cannot go on.",
    )
