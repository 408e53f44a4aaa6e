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
    IterationEnded,
    PromptGiven,
    SettingsChanged,
)

_OF_A_STEP = (ActionEnded, ActionDropped, BreachFound, FeedbackGiven)


class Filter:
    """Takes events in order: what came of an action is wanted if the action was."""

    def __init__(
        self,
        *,
        decisions: frozenset[str] = frozenset(),
        tools: frozenset[str] = frozenset(),
        since: float = -inf,
        pattern: re.Pattern[str] | None = None,
    ) -> None:
        self._decisions = decisions
        self._tools = tools
        self._since = since
        self._pattern = pattern
        self._narrow = bool(decisions or tools or pattern)
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
        if isinstance(event, ActionReviewed):
            if self._decisions and event.verdict.decision.value not in self._decisions:
                return False
            if self._tools and event.action.tool.lower() not in self._tools:
                return False
        elif self._decisions or self._tools:
            return False
        return self._pattern is None or any(map(self._pattern.search, _texts(event)))


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
        return [event.note]
    if isinstance(event, BreachFound | FaultNoted | IterationEnded | ActionDropped):
        return [event.says]
    return []
