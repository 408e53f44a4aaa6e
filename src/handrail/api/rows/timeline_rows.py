"""Entries of a timeline as messages."""

from typing import Literal

from handrail.api.messages.timeline import DesktopCheckRow, RecoveryStepRow, TimelineRow
from handrail.api.rows.edits import changed_lines
from handrail.api.rows.run_rows import tone
from handrail.model import event as events
from handrail.model.desktop import DesktopCheck
from handrail.model.event import ActionReviewed, Event
from handrail.model.ordinal import Decision
from handrail.views.log_view import TimelineEntry
from handrail.words.action_status import action_remark, action_status
from handrail.words.actions import action_subject
from handrail.words.desktop import result_in_words, seen_in_words, step_in_words
from handrail.words.sentence import shorten_paths

_MAX_TEXT = 600
_MAX_RESPONSE = 4_000
_MAX_STEPS = 50

RowKind = Literal["action", "event", "finding", "intervention", "checkpoint", "control", "desktop"]

_KINDS: tuple[tuple[RowKind, tuple[type, ...]], ...] = (
    ("finding", (events.FindingMade, events.BreachFound)),
    ("intervention", (events.Intervened, events.InterventionJudged, events.StopConfirmed)),
    ("checkpoint", (events.CheckpointTaken, events.RolledBack, events.RestoreAsked)),
    (
        "control",
        (
            events.ControlAsked,
            events.ControlAnswered,
            events.ActionHeld,
            events.ApprovalAsked,
            events.ApprovalDecided,
            events.IncidentResolved,
        ),
    ),
    ("desktop", (events.DesktopChecked,)),
)


def timeline_row(entry: TimelineEntry) -> TimelineRow:
    """Return one entry as a row."""
    event = entry.event
    if isinstance(event, ActionReviewed):
        return _action(entry, event)
    said = entry.said
    text = "" if said is None else said.text
    return TimelineRow(
        seq=entry.seq,
        at=event.at,
        kind=_kind(event),
        mark="" if said is None else said.mark,
        tone="" if said is None else tone(said.style),
        text=text[:_MAX_TEXT],
        step=getattr(event, "step", 0),
        remark="" if said is None else said.hint[:_MAX_TEXT],
        agent=entry.agent,
        about=event.finding.evidence if isinstance(event, events.FindingMade) else (),
        checkpoints=tuple(saved.id for saved in entry.saved),
        desktop=_desktop(event.check) if isinstance(event, events.DesktopChecked) else None,
    )


def _desktop(check: DesktopCheck) -> DesktopCheckRow:
    return DesktopCheckRow(
        status=check.status.value,
        outcome=check.outcome.value,
        confidence=check.confidence,
        description=check.description[:_MAX_TEXT],
        says=seen_in_words(check)[:_MAX_TEXT],
        result=result_in_words(check)[:_MAX_TEXT],
        source=check.source,
        expected_file=check.expected_file,
        actual_file=check.actual_file,
        symptom=check.symptom[:_MAX_TEXT],
        attempt=check.attempt,
        steps=tuple(
            RecoveryStepRow(
                each.action[:_MAX_TEXT],
                step_in_words(each)[:_MAX_TEXT],
                each.ok,
                each.error[:_MAX_TEXT],
            )
            for each in check.steps[:_MAX_STEPS]
        ),
        why=check.why[:_MAX_TEXT],
        raw_response=check.raw_response[:_MAX_RESPONSE],
        screenshot=check.screenshot,
        after=check.after,
        context=check.context[:_MAX_TEXT],
        ms=check.ms,
        cost_usd=check.cost_usd,
    )


def _action(entry: TimelineEntry, event: ActionReviewed) -> TimelineRow:
    status = action_status(event, entry.end, waits=not entry.over)
    added, removed = changed_lines(event.action)
    outcome = entry.end.outcome if isinstance(entry.end, events.ActionEnded) else None
    return TimelineRow(
        seq=entry.seq,
        at=event.at,
        kind="action",
        mark=status.mark,
        tone=tone(status.style),
        text=shorten_paths(action_subject(event.action)[:_MAX_TEXT], entry.cwd),
        tool=event.action.tool,
        step=event.step,
        decision=event.verdict.decision.value,
        status=status.words,
        remark=action_remark(event, entry.end, entry.cwd)[:_MAX_TEXT],
        risk=event.review.risk.score,
        agent=entry.agent,
        added=added,
        removed=removed,
        has_output=outcome is not None and bool(outcome.output or outcome.error),
        has_diff=bool(added or removed),
        undoable=outcome is not None and event.verdict.decision is not Decision.BLOCK,
        checkpoints=tuple(saved.id for saved in entry.saved),
        over=entry.over or event.verdict.decision is Decision.BLOCK,
    )


def _kind(event: Event) -> RowKind:
    return next((name for name, kinds in _KINDS if isinstance(event, kinds)), "event")
