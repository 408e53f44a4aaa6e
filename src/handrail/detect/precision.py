"""Count how often findings were right, by people's feedback."""

from collections.abc import Iterable, Mapping

import msgspec

from handrail.model.event import Event, FeedbackGiven, FindingMade


class FeedbackTally(msgspec.Struct):
    """Feedback about one kind of finding."""

    confirmed: int = 0
    false_alarms: int = 0

    @property
    def precision(self) -> float | None:
        """Return the share of right findings; None without feedback."""
        told = self.confirmed + self.false_alarms
        return self.confirmed / told if told else None


class Precision(msgspec.Struct):
    """The last feedback about each finding."""

    said: dict[tuple[str, int, str], bool] = msgspec.field(default_factory=dict)
    """By run, step and kind."""

    def take(self, event: FeedbackGiven, run: str = "") -> None:
        """Note feedback about a finding; feedback about a verdict does not count."""
        if event.finding:
            self.said[run, event.step, event.finding] = event.right

    def add(self, run: str, said: Mapping[tuple[int, str], bool]) -> None:
        """Note the feedback about the findings of a run, by step and kind."""
        for (step, kind), right in said.items():
            self.said[run, step, kind] = right

    @property
    def kinds(self) -> dict[str, FeedbackTally]:
        """Return the feedback by kind."""
        tallies: dict[str, FeedbackTally] = {}
        for (_, _, kind), right in self.said.items():
            tally = tallies.setdefault(kind, FeedbackTally())
            tally.confirmed += right
            tally.false_alarms += not right
        return tallies


def precision_of(events: Iterable[Event]) -> Precision:
    """Return the precision by all feedback among these events."""
    precision = Precision()
    for event in events:
        if isinstance(event, FeedbackGiven):
            precision.take(event)
    return precision


def last_finding(
    events: Iterable[Event], kind: str, step: int = 0
) -> tuple[FindingMade | None, tuple[str, ...]]:
    """Return the last finding of a kind, or the last one that names a step as evidence, and the
    kinds of all findings."""
    found: FindingMade | None = None
    kinds: dict[str, None] = {}
    for event in events:
        if isinstance(event, FindingMade):
            kinds[event.finding.kind] = None
            if event.finding.kind == kind and (not step or step in event.finding.evidence):
                found = event
    return found, tuple(kinds)
