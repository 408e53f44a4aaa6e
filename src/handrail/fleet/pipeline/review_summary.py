"""Sum up the reviews in the log of a run."""

from collections import Counter
from collections.abc import Iterable

from handrail.fleet.pipeline.result import BlockedAction, ReviewSummary
from handrail.model.event import ActionReviewed, Event
from handrail.model.ordinal import Decision


def summarize_reviews(
    step: str, run: str, events: Iterable[Event]
) -> tuple[ReviewSummary, tuple[BlockedAction, ...]]:
    """Return how Handrail decided in a run, and every action that it refused."""
    reviewed = [event for event in events if isinstance(event, ActionReviewed)]
    decided = Counter(event.verdict.decision for event in reviewed)
    blocked = tuple(
        BlockedAction(
            step=step,
            run=run,
            action=event.step,
            tool=event.action.tool,
            input=event.action.input,
            reason=event.verdict.reason,
            alternative=event.verdict.alternative,
        )
        for event in reviewed
        if event.verdict.decision is Decision.BLOCK
    )
    summary = ReviewSummary(
        total=len(reviewed),
        allowed=decided[Decision.ALLOW],
        warned=decided[Decision.WARN],
        modified=decided[Decision.MODIFY],
        blocked_count=decided[Decision.BLOCK],
    )
    return summary, blocked
