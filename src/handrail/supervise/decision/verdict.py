"""Make the verdict for the host, from a review or a fault."""

from typing import Literal

import msgspec

from handrail.model.effect import Kind
from handrail.model.ordinal import Decision, Severity
from handrail.model.review import Review, Verdict
from handrail.supervise.decision.checkpoint_request import CheckpointResult

OnFault = Literal["deny", "deny_all", "warn"]

_LAXEST_FIRST: tuple[OnFault, ...] = ("warn", "deny", "deny_all")
_HARMLESS = frozenset({Kind.READ})
_MAX_SAID = 3
_COMMIT_FIRST = (
    "Commit these files, then try again; or delete them with a plain `rm PATH` in a command of its "
    "own: Handrail moves them to the trash instead."
)


def verdict_of(review: Review, refusals: int, saved: CheckpointResult | None = None) -> Verdict:
    """Return the verdict of a review.

    `refusals`: earlier refusals of the same action; `saved`: the checkpoint before it.
    """
    if review.decision is Decision.ALLOW:
        return Verdict(Decision.ALLOW)
    reason = " ".join(review.reasons[:_MAX_SAID]) or review.explanation
    if review.decision is Decision.WARN and not review.checkpoint_first:
        return Verdict(Decision.WARN, reason)
    if review.checkpoint_first and saved is not None and saved.checkpoint:
        return Verdict(Decision.WARN, f"{reason} Checkpoint {saved.checkpoint} has what is there.")
    if review.checkpoint_first and not _is_serious(review):
        return Verdict(Decision.WARN, reason)
    if review.decision is Decision.MODIFY and review.rewrite is not None:
        rewrite = review.rewrite
        return Verdict(
            Decision.MODIFY,
            reason,
            updated_input=rewrite.input,
            changes=rewrite.changes,
            restore=rewrite.restore,
        )
    if review.checkpoint_first:
        why = f": {saved.problem.rstrip('.')}" if saved is not None and saved.problem else ""
        reason = f"{reason} No checkpoint could be taken first{why}."
    may_overrule = overrulable(review)
    return Verdict(
        Decision.BLOCK,
        reason,
        review.alternative or _COMMIT_FIRST,
        guidance=_again(refusals),
        overrulable=may_overrule,
        permitted_by=review.permitted_by if may_overrule else "",
        alternatives=review.alternatives[1:],
    )


def _is_serious(review: Review) -> bool:
    """Return whether an action may not run without the checkpoint that it needs."""
    worst = max((effect.severity for effect in review.effects), default=Severity.NONE)
    return max(worst, review.risk.severity) >= Severity.HIGH


def refused_strictly(verdict: Verdict, review: Review) -> Verdict:
    """Return the verdict for a strictly watched run: a refusal instead of a mere warning."""
    if verdict.decision is not Decision.WARN or review.checkpoint_first:
        return verdict
    return Verdict(
        Decision.BLOCK,
        f"{verdict.reason} Since an incident, this run is watched strictly: Handrail refuses what "
        "it would only warn about otherwise.",
        review.alternative or "Take a way that changes less, or say what a person should do.",
        overrulable=overrulable(review),
    )


def overrulable(review: Review) -> bool:
    """Return whether a person may permit a refused action.

    Not if it is critical, if Handrail could not read it, or if it touches Handrail itself.
    """
    return (
        review.risk.severity < Severity.CRITICAL
        and not review.faults
        and not any(effect.kind is Kind.TAMPER for effect in review.effects)
    )


def only_reads(review: Review) -> bool:
    """Return whether an action changes nothing."""
    return not review.strange and all(
        effect.kind in _HARMLESS and not effect.opaque for effect in review.effects
    )


def fault_verdict(*, harmless: bool, problem: str, fix: str, policy: OnFault) -> Verdict:
    """Return the verdict when Handrail itself cannot do its work."""
    said = f"Handrail cannot do its work: {problem.rstrip('.')}."
    if policy == "warn":
        return Verdict(Decision.WARN, f"{said} It runs all the same (on_fault: warn). Fix: {fix}")
    if harmless and policy == "deny":
        return Verdict(Decision.ALLOW)
    kept = "nothing runs" if policy == "deny_all" else "only what reads may run"
    return Verdict(
        Decision.BLOCK,
        f"{said} Until that is fixed, {kept}.",
        f"Tell the person who started you; for them: {fix}",
    )


def stricter_policy(one: OnFault, other: OnFault) -> OnFault:
    """Return the stricter of two policies for faults."""
    return max(one, other, key=_LAXEST_FIRST.index)


def with_notice(verdict: Verdict, *guidance: str, alarm: str = "") -> Verdict:
    """Return the verdict with further texts for the agent, and an alarm for the person."""
    return msgspec.structs.replace(
        verdict,
        guidance=(*verdict.guidance, *guidance),
        alarm=f"{verdict.alarm} {alarm}".strip() if alarm else verdict.alarm,
    )


def under_fault(verdict: Verdict, fault: Verdict) -> Verdict:
    """Return the stricter of a verdict and a fault, with both alarms."""
    said = (fault.reason,) if fault.reason else ()
    both = with_notice(verdict, *said, alarm=fault.alarm)
    if fault.decision > verdict.decision:
        return msgspec.structs.replace(fault, alarm=both.alarm)
    if fault.decision is not Decision.BLOCK:
        return both
    # Nobody can permit an action that could not be recorded.
    return msgspec.structs.replace(both, overrulable=False)


def _again(refusals: int) -> tuple[str, ...]:
    if not refusals:
        return ()
    times = {1: "a second time", 2: "a third time"}.get(refusals, f"{refusals + 1} times")
    says = f"The same has now been refused {times}; the answer stays the same."
    return (f"{says} Do something else, or say that you cannot go on.",)
