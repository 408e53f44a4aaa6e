"""Which checkpoint to go back to, and what to do where there is none."""

from collections.abc import Sequence

from handrail.config.interventions import CheckpointRollback, SafeCheckpointCriteria
from handrail.intervene.capability import Capability
from handrail.intervene.draft import Draft
from handrail.intervene.situation import Situation
from handrail.intervene.wording import fields_for, fill, fresh, templates
from handrail.model.checkpoint import Checkpoint
from handrail.model.finding import Finding
from handrail.model.intervention import Means
from handrail.model.ordinal import Severity
from handrail.model.past import Made

MAX_PLAN = 1_500
_LOOKED_AT = 10
"""Actions before a checkpoint that say whether it is safe."""
_SHORT = 8
_STUCK, _LOST, _EXHAUSTED = "stuck_in_loop", "lost_context", "resource_exhaustion"
PLANS = {
    "scope_creep": _LOST,
    "goal_drift": _LOST,
    "hallucination": _LOST,
    "exploration_wandering": _LOST,
    "confused_state": _LOST,
    "resource_spiral": _EXHAUSTED,
    "runaway_execution": _EXHAUSTED,
}
"""By kind of finding; all others are stuck in a loop."""


def checkpoint_rollback(finding: Finding, at: Situation, settings: CheckpointRollback) -> Draft:
    """The way back, or a plan where there is none or a person has to decide."""
    chosen = choose_checkpoint(finding, at, settings)
    if chosen is None:
        return Draft(_plan(finding, at), limits="There is no safe checkpoint to go back to.")
    if obstacle := _obstacle(finding, at, chosen):
        return Draft(
            _plan(finding, at),
            limits=f"{obstacle}: checkpoint {chosen.id} is from before the trouble "
            f"(step {chosen.step}).",
        )
    limits = "" if Capability.REWIND in at.can else "The agent keeps its memory of what it did."
    return Draft(_gone_back(finding, at, chosen), checkpoint=chosen.id, limits=limits)


def _obstacle(finding: Finding, at: Situation, chosen: Checkpoint) -> str:
    """Why a person has to decide whether to go back; empty: they need not.

    A rollback that was not needed destroys work, and that of others worst of all.
    """
    if at.attended:
        return "Somebody is at the keyboard, so no file is put back without them"
    if finding.severity < Severity.HIGH:
        return "No file is put back for trouble that is less than high"
    if at.writing:
        return "Other calls are just changing files, so none is put back"
    authors = {ended.agent for ended in at.ended if ended.changes and ended.step > chosen.step}
    if at.agent not in authors:
        return "It is not known to have changed any file since then"
    if len(authors) > 1:
        return "Another agent of this run has changed files since then, so none is put back"
    if other := at.neighbour(chosen.at):
        return (
            f"Somebody else, another run ({other[:_SHORT]}), has changed files here since then, "
            "so none is put back"
        )
    return ""


def choose_checkpoint(
    finding: Finding, at: Situation, settings: CheckpointRollback
) -> Checkpoint | None:
    """The newest safe one from before the trouble began, and from before the last change.

    To go back to where nothing has changed since would mend nothing.
    """
    if Capability.FILES not in at.can:
        return None
    began = min(finding.evidence, default=at.step)
    oldest = at.now - settings.checkpoint_retention_minutes * 60
    back = [made for made in at.past.made if made.checkpoint]
    changed = max((ended.step for ended in at.ended if ended.changes), default=began)
    before = [
        checkpoint
        for checkpoint in sorted(at.checkpoints, key=lambda each: (each.step, each.at))
        if checkpoint.step < min(began, changed)
        and checkpoint.at >= oldest
        and not _left_behind(checkpoint, back, at.checkpoints)
    ]
    tried = {made.checkpoint for made in back if made.name == finding.name}
    for checkpoint in reversed(before[-settings.max_rollback_depth :]):
        if checkpoint.id not in tried and is_safe(
            checkpoint, at, settings.safe_checkpoint_criteria
        ):
            return checkpoint
    return None


def is_safe(checkpoint: Checkpoint, at: Situation, criteria: SafeCheckpointCriteria) -> bool:
    """Whether all was well before a checkpoint, as far as that is known."""
    before = [ended for ended in at.ended if ended.step <= checkpoint.step]
    recent = before[-_LOOKED_AT:]
    worked = sum(ended.ok for ended in recent)
    if worked < criteria.min_success_rate * len(recent):
        return False
    since = checkpoint.at - criteria.no_errors_duration_seconds
    return all(ended.ok for ended in before if ended.at > since)


def _left_behind(checkpoint: Checkpoint, back: Sequence[Made], known: Sequence[Checkpoint]) -> bool:
    """Whether it holds what an earlier rollback has undone."""
    steps = {each.id: each.step for each in known}
    return any(
        steps.get(made.checkpoint, made.step) < checkpoint.step <= made.step for made in back
    )


def _gone_back(finding: Finding, at: Situation, chosen: Checkpoint) -> str:
    fields = fields_for(finding, at)
    return fresh(
        f"Handrail puts the files back to what they were after step {chosen.step}, before the "
        f"trouble began: {fields['says']} What was changed since is gone from the work tree (a "
        "person can bring it back). Read the files again before you go on, and do not do what led "
        f"here (steps {fields['steps']}): take another way, in small steps, and check each.",
        at,
        MAX_PLAN,
    )


def _plan(finding: Finding, at: Situation) -> str:
    """Numbered steps; the next plan if one was given already."""
    texts = templates("recovery_plan")[PLANS.get(finding.kind, _STUCK)]
    given = sum(
        made.name == finding.name and made.means == Means.CHECKPOINT_ROLLBACK
        for made in at.past.made
    )
    fields = fields_for(finding, at)
    usable = [text for template in texts if (text := fill(template, fields, MAX_PLAN))]
    return fresh(usable[min(given, len(usable) - 1)], at, MAX_PLAN)
