"""One action in full, from the events about it."""

from collections.abc import Iterable
from typing import Literal

import msgspec

from handrail.api.messages.timeline import ActionDetail, CommandPart, EffectRow, FactorRow
from handrail.api.rows.edits import diff_of
from handrail.model import event as events
from handrail.model.event import ActionDropped, ActionEnded, ActionReviewed, Event
from handrail.model.ordinal import Decision
from handrail.model.review import Review
from handrail.words.action_status import ActionEnd, action_status
from handrail.words.actions import undo_in_words

_MAX_OUTPUT = 200_000
_MAX_VALUE = 100_000

Feedback = Literal["", "right", "wrong"]


class StepEvents(msgspec.Struct):
    """The events of a run about one action."""

    reviewed: ActionReviewed
    end: ActionEnd | None = None
    after: events.AfterReviewed | None = None
    feedback: Feedback = ""
    checkpoints: tuple[str, ...] = ()
    is_over: bool = False
    """The session ended: no more events will come."""

    def add(self, event: Event) -> None:
        """Take in a later event of the run; those about other actions are passed over."""
        match event:
            case ActionEnded() | ActionDropped() if event.step == self.reviewed.step:
                self.end = event
            case events.AfterReviewed() if event.step == self.reviewed.step:
                self.after = event
            case events.FeedbackGiven() if event.step == self.reviewed.step and not event.finding:
                self.feedback = "right" if event.right else "wrong"
            case events.RunEnded():
                self.is_over = True
            case _:
                pass


def find_step(story: Iterable[Event], step: int) -> StepEvents | None:
    """Collect the events about a step; None: there is no such step."""
    found: StepEvents | None = None
    saved: tuple[str, ...] = ()
    for event in story:
        if isinstance(event, ActionReviewed) and event.step == step:
            found = StepEvents(event, checkpoints=saved)
        elif isinstance(event, events.CheckpointTaken):
            saved = (event.checkpoint.id,) if event.checkpoint.step + 1 == step else saved
        elif found is not None:
            found.add(event)
    return found


def action_detail(run: str, found: StepEvents) -> ActionDetail:
    """Return everything that is known about an action."""
    event = found.reviewed
    review, verdict = event.review, event.verdict
    ended = found.end if isinstance(found.end, ActionEnded) else None
    outcome = None if ended is None else ended.outcome
    status = action_status(event, found.end, waits=not found.is_over)
    refused = verdict.decision > review.decision
    reasons = (verdict.reason,) if refused else review.reasons or (review.explanation,)
    alternatives = (verdict.alternative or review.alternative, *verdict.alternatives)
    return ActionDetail(
        run=run,
        step=event.step,
        at=event.at,
        tool=event.action.tool,
        input=bounded(event.action.input),
        cwd=event.action.cwd,
        decision=verdict.decision.value,
        reason=verdict.reason or review.explanation,
        reasons=reasons,
        alternatives=tuple(dict.fromkeys(filter(None, alternatives))),
        rewritten=None if verdict.updated_input is None else bounded(verdict.updated_input),
        changes=verdict.changes,
        restore=verdict.restore,
        risk=review.risk.score,
        severity=str(review.risk.severity),
        factors=factor_rows(review),
        rationality=review.rationality.score,
        rationality_issues=review.rationality.issues,
        rules=tuple(dict.fromkeys(hit.rule for hit in review.rules)),
        effects=effect_rows(review),
        parts=command_parts(review),
        review_ms=event.ms,
        status=f"{status.mark} {status.words}".strip(),
        ended=None if found.end is None else found.end.at,
        ok=None if outcome is None else outcome.ok,
        exit_code=None if outcome is None else outcome.exit_code,
        output="" if outcome is None else outcome.output[:_MAX_OUTPUT],
        error="" if outcome is None else outcome.error[:_MAX_OUTPUT],
        duration_ms=0.0 if outcome is None else outcome.duration_ms,
        diff=diff_of(event.action),
        created=() if ended is None else ended.created,
        changed=() if ended is None else ended.changed,
        unforeseen=() if found.after is None else found.after.differences,
        checkpoints=found.checkpoints,
        undoable=ended is not None and verdict.decision is not Decision.BLOCK,
        feedback=found.feedback,
    )


def effect_rows(review: Review) -> tuple[EffectRow, ...]:
    """Return the effects of a review, each once."""
    return tuple(
        dict.fromkeys(
            EffectRow(
                effect.kind.value,
                effect.text,
                effect.target,
                str(effect.severity),
                undo_in_words(effect),
            )
            for effect in review.effects
        )
    )


def factor_rows(review: Review) -> tuple[FactorRow, ...]:
    """Return the numbers behind a risk."""
    return tuple(FactorRow(each.name, each.weight) for each in review.risk.factors)


def command_parts(review: Review) -> tuple[CommandPart, ...]:
    """Return the simple commands of an action as Handrail understood them."""
    return tuple(CommandPart(step.text, step.says, step.blamed) for step in review.steps)


def bounded(given: dict[str, object]) -> dict[str, object]:
    """Return the input of a tool with its long texts cut."""
    return {key: _cut(value) for key, value in given.items()}


def _cut(value: object) -> object:
    if isinstance(value, str) and len(value) > _MAX_VALUE:
        return f"{value[:_MAX_VALUE]}\n… {len(value) - _MAX_VALUE:,} more characters"
    return value
