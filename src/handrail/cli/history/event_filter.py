"""The filter of `handrail log`."""

import re
from collections.abc import Callable
from math import inf
from typing import cast

from handrail.model import event as events
from handrail.model.event import ActionReviewed, Event, FeedbackGiven, Intervened
from handrail.words.actions import action_in_words

_OF_A_STEP = (
    events.ActionEnded, events.AfterReviewed, events.ActionDropped, events.BreachFound,
    FeedbackGiven,
)  # fmt: skip
_CORRECTIONS = (
    events.FindingMade, Intervened, events.InterventionJudged, events.RolledBack,
    events.StopConfirmed, events.IncidentResolved, events.CleanedUp,
)  # fmt: skip
_WITH_MESSAGE = (
    events.BreachFound, events.FaultNoted, events.IterationEnded, events.ActionDropped,
    events.InterventionJudged, events.StopConfirmed, events.ModelAsked, events.ActionHeld,
    events.LoopEnded, events.ApprovalAsked,
)  # fmt: skip


class EventFilter:
    """Filters events in order. With an action, it lets through the later events of that step."""

    def __init__(
        self,
        *,
        decisions: frozenset[str] = frozenset(),
        tools: frozenset[str] = frozenset(),
        since: float = -inf,
        pattern: re.Pattern[str] | None = None,
        findings: bool = False,
    ) -> None:
        """With `findings`, let through only findings and interventions."""
        self.findings = findings
        self._decisions = decisions
        self._tools = tools
        self._since = since
        self._pattern = pattern
        self._narrow = bool(decisions or tools or pattern or findings)
        self._wanted: set[tuple[str, int]] = set()

    def wants(self, run: str, event: Event) -> bool:
        """Return whether to show an event."""
        if not self._narrow:
            return event.at >= self._since
        if isinstance(event, _OF_A_STEP) and (run, event.step) in self._wanted:
            return True
        if event.at < self._since or not self._matches(event):
            return False
        if isinstance(event, ActionReviewed):
            self._wanted.add((run, event.step))
        return True

    def wants_text(self, at: float, text: str) -> bool:
        """Return whether to show an event of a fleet, which is no action and no finding."""
        if self._decisions or self._tools or self.findings or at < self._since:
            return False
        return self._pattern is None or bool(self._pattern.search(text))

    def _matches(self, event: Event) -> bool:
        if self.findings and not _corrects(event):
            return False
        if isinstance(event, ActionReviewed):
            if self._decisions and event.verdict.decision.value not in self._decisions:
                return False
            if self._tools and event.action.tool.lower() not in self._tools:
                return False
        elif self._decisions or self._tools:
            return False
        return self._pattern is None or any(map(self._pattern.search, _texts(event)))


def _corrects(event: Event) -> bool:
    if isinstance(event, FeedbackGiven):
        return bool(event.finding)
    return isinstance(event, _CORRECTIONS)


def _texts(event: Event) -> list[str]:
    """Return the texts that --grep searches."""
    give = _TEXTS.get(type(event))
    return give(event) if give else []


def _of_action(event: ActionReviewed) -> list[str]:
    verdict = event.verdict
    return [event.action.tool, action_in_words(event.action), verdict.reason, *verdict.changes]


def _of_intervention(event: Intervened) -> list[str]:
    done = event.intervention
    return [done.means, done.finding.kind, done.guidance, done.incident]


_Give = Callable[[Event], list[str]]
_TEXTS = cast(
    "dict[type, _Give]",
    {
        **dict.fromkeys(_WITH_MESSAGE, lambda event: [event.says]),
        ActionReviewed: _of_action,
        events.PromptGiven: lambda event: [event.text],
        events.SettingsChanged: lambda event: [event.path, event.refused],
        FeedbackGiven: lambda event: [event.note, event.finding],
        events.FindingMade: lambda event: [event.finding.kind, event.finding.says],
        Intervened: _of_intervention,
        events.RolledBack: lambda event: [*event.files, event.problem],
        events.IncidentResolved: lambda event: [event.incident, event.option, event.note],
        events.ApprovalDecided: lambda event: [event.approval, event.by, event.reason],
        events.CleanedUp: lambda event: [event.incident, *event.removed, *event.left],
        events.ControlAsked: lambda event: [event.command, event.by, event.text, event.reason],
        events.ControlAnswered: lambda event: [event.command, event.says, *event.evidence],
        events.LoopBegun: lambda event: [event.goal, event.verify],
        events.Verified: lambda event: [event.command, event.says],
    },
)
