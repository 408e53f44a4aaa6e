"""Let a person decide about actions, one by one: about refused ones, or about all of a kind."""

from collections.abc import Collection
from secrets import token_hex
from typing import NamedTuple

import msgspec

from handrail.model.action_kind import ActionKind, action_kinds
from handrail.model.event import ApprovalAsked
from handrail.model.ordinal import Decision
from handrail.model.review import Review, Verdict
from handrail.supervise.decision.always_allowed import is_always_allowed
from handrail.supervise.decision.checkpoint_need import action_line
from handrail.supervise.decision.tool_call import CallUnderReview
from handrail.supervise.state.approval_state import ALWAYS, Approval
from handrail.supervise.supervised_run import SupervisedRun

MOST_SECONDS = 10_080 * 60.0
"""How long a question stays open at most (`approvals.answer_minutes`): people are away, too."""
QUESTION_LENGTH = 4000
"""How much of an action a question shows: a person answers only for what they can read."""
_ID_BYTES = 4
_MINUTE = 60.0
_AFTER_INCIDENT = "Since an incident, a person approves everything of this kind in this run."
_ALWAYS_HERE = "A person always allows this in this project"
_EXACTLY = (
    "Go on with something else. Handrail tells you when it is approved; then make exactly this "
    "call again."
)
_NOT_AGAIN = (
    "Do not try it in another form. Go on with something else, or say that you cannot go on."
)

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
    edit: Approval | None = None
    """An approval of another input: the verdict on that one counts."""


def verdict_with_approval(
    run: SupervisedRun, call: CallUnderReview, review: Review, decided: Verdict, now: float
) -> ApprovedVerdict | None:
    """Ask a person about a call, or use their answer; None: the call waits for it."""
    refused = decided.decision is Decision.BLOCK
    if refused and (decided.stop or not decided.overrulable):
        return ApprovedVerdict(decided)
    known = run.state.approvals.find(call.name, now)
    kinds = _kinds(run, review, refused=refused)
    if not refused and not kinds:
        is_other = known is not None and (known.approved is False or known.edited is not None)
        return _by_answer(known, call, decided) if known and is_other else ApprovedVerdict(decided)
    if _is_allowed_for_good(run, call):
        return ApprovedVerdict(overruled(decided, _ALWAYS_HERE) if refused else decided, ALWAYS)
    if call.may_ask:
        return ApprovedVerdict(decided if refused else ASK_PERSON)
    if refused and not (known.refused if known else run.project.holds_refused):
        return ApprovedVerdict(decided)
    if known is None:
        if run.broken:
            return ApprovedVerdict(decided)  # the lost log decides
        if unanswered := _given_up(run, call, now):
            return ApprovedVerdict(unanswered)
        known = _ask(run, call, review, kinds, decided.reason if refused else "", now)
    return _by_answer(known, call, decided)


def kinds_to_approve(
    review: Review, required: Collection[ActionKind], free: Collection[ActionKind] = ()
) -> tuple[ActionKind, ...]:
    """Return the kinds for which an action needs an approval."""
    return tuple(kind for kind in action_kinds(review) if kind in required and kind not in free)


def overruled(decided: Verdict, answer: str) -> Verdict:
    """Return the verdict on an action that a person lets run; `answer`: what they said."""
    return Verdict(Decision.WARN, f"{answer}. Handrail would have stopped it: {decided.reason}")


def edited_verdict(edit: Approval, decided: Verdict) -> Verdict:
    """Return the verdict on a call that a person has edited; `decided`: on the edited input."""
    if decided.decision is Decision.BLOCK and not decided.overrulable:
        return decided
    who, why = edit.by or "A person", f" Why: {edit.reason}" if edit.reason else ""
    change = f"{who} changed it to `{edit.edited_says}`.{why}"
    return Verdict(
        Decision.MODIFY,
        change,
        updated_input=decided.updated_input or edit.edited,
        changes=(change, *decided.changes),
        restore=decided.restore,
    )


def not_answered(approval: Approval) -> Verdict:
    """Return the verdict on a call whose host does not wait any longer."""
    return Verdict(
        Decision.BLOCK,
        f"A person has to approve this, and was asked (approval {approval.id}).",
        _EXACTLY,
        passing=True,
    )


def denied(approval: Approval) -> Verdict:
    """Return the verdict on a call that a person has denied."""
    why = f": {approval.reason}" if approval.reason else "."
    return Verdict(Decision.BLOCK, f"{approval.by or 'A person'} denied this call{why}", _NOT_AGAIN)


def _kinds(run: SupervisedRun, review: Review, *, refused: bool) -> tuple[ActionKind, ...]:
    """Return the kinds that a person approves in this run; a refused action has none."""
    if refused or not run.state.course.approval:
        return ()
    settings = run.project.config.approvals
    return kinds_to_approve(review, settings.require_approval_for, settings.auto_approve)


def _is_allowed_for_good(run: SupervisedRun, call: CallUnderReview) -> bool:
    if call.name in run.state.approvals.always:
        return True
    return is_always_allowed(call.action, call.name, run.project.always_allowed)


def _ask(
    run: SupervisedRun,
    call: CallUnderReview,
    review: Review,
    kinds: tuple[ActionKind, ...],
    refusal: str,
    now: float,
) -> Approval:
    """Ask the person about a call; `refusal`: why Handrail would refuse it."""
    event = ApprovalAsked(
        now,
        token_hex(_ID_BYTES),
        call.name,
        action_line(call.action, run.redactor, QUESTION_LENGTH),
        call.action,
        review,
        kinds or action_kinds(review),
        now + run.project.config.approvals.answer_minutes * _MINUTE,
        call.agent,
        refused=bool(refusal),
        why=refusal or _AFTER_INCIDENT,
    )
    run.record(event)
    return run.state.approvals.kept[event.approval]


def _by_answer(known: Approval, call: CallUnderReview, decided: Verdict) -> ApprovedVerdict | None:
    if known.approved and known.edited is not None:
        return ApprovedVerdict(decided, known.id, known)
    if known.approved:
        if decided.decision is Decision.BLOCK:
            why = f" ({known.reason})" if known.reason else ""
            decided = overruled(decided, f"{known.by or 'A person'} approved this, once{why}")
        return ApprovedVerdict(decided, known.id)
    if known.approved is False:
        return ApprovedVerdict(denied(known), known.id)
    if call.must_answer or not call.action.id:
        return ApprovedVerdict(not_answered(known))
    return None


def _given_up(run: SupervisedRun, call: CallUnderReview, now: float) -> Verdict | None:
    """Return the refusal of a call about which nobody answered in time, or None."""
    asked = run.state.approvals.unanswered(call.name, now)
    is_final = run.project.config.approvals.unanswered == "deny" or call.must_answer
    if asked is None or not is_final:
        return None
    verdict = Verdict(
        Decision.BLOCK,
        f"A person had to approve this, and nobody answered in time (approval {asked.id}).",
        _NOT_AGAIN,
    )
    return msgspec.structs.replace(verdict, passing=True) if call.must_answer else verdict
