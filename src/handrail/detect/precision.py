"""How often the findings of each kind were right, by what people said."""

from collections.abc import Iterable

import msgspec

from handrail.model.event import Event, FeedbackGiven


class Tally(msgspec.Struct):
    """What people said about one kind of finding."""

    confirmed: int = 0
    false_alarms: int = 0

    @property
    def precision(self) -> float | None:
        """The share that was right; None where nobody said anything."""
        told = self.confirmed + self.false_alarms
        return self.confirmed / told if told else None


class Precision(msgspec.Struct):
    """A fold of feedback: for each kind of finding what people said about it."""

    kinds: dict[str, Tally] = msgspec.field(default_factory=dict)

    def take(self, event: FeedbackGiven) -> None:
        """Count what a person said; feedback on a verdict is no feedback on a finding."""
        if not event.finding:
            return
        tally = self.kinds.setdefault(event.finding, Tally())
        if event.right:
            tally.confirmed += 1
        else:
            tally.false_alarms += 1


def precision_of(events: Iterable[Event]) -> Precision:
    """The precision by all feedback among these events."""
    precision = Precision()
    for event in events:
        if isinstance(event, FeedbackGiven):
            precision.take(event)
    return precision
