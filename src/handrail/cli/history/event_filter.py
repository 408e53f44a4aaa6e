"""Which events a person wants to see."""

import re
from collections.abc import Callable
from math import inf
from typing import cast

from handrail.model.event import (
    ActionDropped,
    ActionEnded,
    ActionHeld,
    ActionReviewed,
    BreachFound,
    ControlAnswered,
    ControlAsked,
    Event,
    FaultNoted,
    FeedbackGiven,
    FindingMade,
    IncidentResolved,
    Intervened,
    InterventionJudged,
    IterationEnded,
    LoopBegun,
    LoopEnded,
    ModelAsked,
    PromptGiven,
    RolledBack,
    SettingsChanged,
    StopConfirmed,
    Verified,
)
from handrail.words.actions import action_in_words

_OF_A_STEP = (ActionEnded, ActionDropped, BreachFound, FeedbackGiven)
_CORRECTIONS = (
    FindingMade,
    Intervened,
    InterventionJudged,
    RolledBack,
    StopConfirmed,
    IncidentResolved,
)
_WITH_WORDS = (
    BreachFound,
    FaultNoted,
    IterationEnded,
    ActionDropped,
    InterventionJudged,
    StopConfirmed,
    ModelAsked,
    ActionHeld,
    LoopEnded,
)


class EventFilter:
    """Takes events in order: what came of an action is wanted if the action was."""

    def __init__(
        self,
        *,
        decisions: frozenset[str] = frozenset(),
        tools: frozenset[str] = frozenset(),
        since: float = -inf,
        pattern: re.Pattern[str] | None = None,
        findings: bool = False,
    ) -> None:
        """`findings`: only what was found, and what was done about it."""
        self.findings = findings
        self._decisions = decisions
        self._tools = tools
        self._since = since
        self._pattern = pattern
        self._narrow = bool(decisions or tools or pattern or findings)
        self._wanted: set[tuple[str, int]] = set()

    def wants(self, run: str, event: Event) -> bool:
        """Whether an event is to be shown."""
        if not self._narrow:
            return event.at >= self._since
        if isinstance(event, _OF_A_STEP) and (run, event.step) in self._wanted:
            return True
        if event.at < self._since or not self._matches(event):
            return False
        if isinstance(event, ActionReviewed):
            self._wanted.add((run, event.step))
        return True

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
    """What may be searched in."""
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
        **dict.fromkeys(_WITH_WORDS, lambda event: [event.says]),
        ActionReviewed: _of_action,
        PromptGiven: lambda event: [event.text],
        SettingsChanged: lambda event: [event.path, event.refused],
        FeedbackGiven: lambda event: [event.note, event.finding],
        FindingMade: lambda event: [event.finding.kind, event.finding.says],
        Intervened: _of_intervention,
        RolledBack: lambda event: [*event.files, event.problem],
        IncidentResolved: lambda event: [event.incident, event.option, event.note],
        ControlAsked: lambda event: [event.command, event.by, event.text, event.reason],
        ControlAnswered: lambda event: [event.command, event.says, *event.evidence],
        LoopBegun: lambda event: [event.goal, event.verify],
        Verified: lambda event: [event.command, event.says],
    },
)
