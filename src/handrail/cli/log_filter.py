"""Which events a person wants to see."""

import re
from math import inf

from handrail.cli.answer import shown_action
from handrail.model.event import (
    ActionDropped,
    ActionEnded,
    ActionReviewed,
    BreachFound,
    Event,
    FaultNoted,
    FeedbackGiven,
    FindingMade,
    IncidentResolved,
    Intervened,
    InterventionJudged,
    IterationEnded,
    ModelAsked,
    PromptGiven,
    RolledBack,
    SettingsChanged,
    StopConfirmed,
)

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
)


class Filter:
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
    if isinstance(event, ActionReviewed):
        verdict = event.verdict
        return [event.action.tool, shown_action(event.action), verdict.reason, *verdict.changes]
    if isinstance(event, PromptGiven):
        return [event.text]
    if isinstance(event, SettingsChanged):
        return [event.path, event.refused]
    if isinstance(event, FeedbackGiven):
        return [event.note, event.finding]
    if isinstance(event, FindingMade):
        return [event.finding.kind, event.finding.says]
    if isinstance(event, Intervened):
        done = event.intervention
        return [done.means, done.finding.kind, done.guidance, done.incident]
    if isinstance(event, RolledBack):
        return [*event.files, event.problem]
    if isinstance(event, IncidentResolved):
        return [event.incident, event.option, event.note]
    if isinstance(event, _WITH_WORDS):
        return [event.says]
    return []
