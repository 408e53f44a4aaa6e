"""What a run wants of a person, in full, and how to answer."""

from collections.abc import Sequence

from handrail.model.action import Action
from handrail.model.event import ActionReviewed, ApprovalAsked
from handrail.tui.text import Line, StyledSpan, wrap
from handrail.views.log_view import TimelineEntry
from handrail.views.run_overview import RunOverview
from handrail.words.actions import command_of
from handrail.words.run_signs import answer_command


def question_lines(run: RunOverview, timeline: Sequence[TimelineEntry], width: int) -> list[Line]:
    """Return the question of a run in full."""
    if run.incident:
        found = run.trouble.says if run.trouble else "Handrail stopped it."
        text = f"stopped in an emergency: {found}"
    else:
        wanted = _wanted_in_full(run, timeline) if run.wants else ""
        text = wanted or (f"wants to: {run.wants}" if run.wants else run.asks)
    return [
        (StyledSpan(f" {line}"),)
        for part in text.splitlines()
        for line in wrap(part.expandtabs(4), max(width - 2, 1))
    ]


def how_to_answer(run: RunOverview) -> str:
    """Return how a person answers a run."""
    if run.incident:
        return f"a decide · handrail incident show {run.incident}"
    if run.approval:
        return f"a approve or deny · handrail approve {run.approval}"
    if run.wants:
        return "answer in the session itself: its host asks you there"
    return answer_command(run.name, run.task)


def _wanted_in_full(run: RunOverview, timeline: Sequence[TimelineEntry]) -> str:
    """Return the action that waits for a person, uncut, and why it waits."""
    for entry in reversed(timeline):
        event = entry.event
        if isinstance(event, ApprovalAsked) and event.approval == run.approval:
            return _in_full(event.action, event.review.reasons)
        if isinstance(event, ActionReviewed) and not run.approval:
            is_open = event.asked and not entry.over
            return _in_full(event.action, (event.verdict.reason,)) if is_open else ""
    return ""


def _in_full(action: Action, reasons: Sequence[str]) -> str:
    what = command_of(action) or "\n".join(map(str, action.input.values()))
    return "\n".join(filter(None, (f"wants to run {action.tool}: {what}", *reasons)))
