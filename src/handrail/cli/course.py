"""What Handrail would have found in a recorded session, and what it would have done about it."""

import msgspec

from handrail.config.schema import Config
from handrail.detect import Deed, Watch, deed_of, intent_of
from handrail.intervene import Capability, Controller, Past, Situation
from handrail.model.action import Action, Outcome
from handrail.model.event import Intervened
from handrail.model.finding import Finding
from handrail.model.intervention import Intervention
from handrail.model.review import Review

_SECONDS_EACH = 10.0
"""How far apart steps are taken to be where a record has no times."""
_CAN = frozenset({Capability.INJECT, Capability.REWRITE, Capability.DENY, Capability.STOP})


class Noticed(msgspec.Struct, frozen=True):
    """What one step of a session shows."""

    findings: tuple[Finding, ...] = ()
    interventions: tuple[Intervention, ...] = ()


class Course:
    """Takes in the steps of one session. The agent did not hear of any intervention."""

    def __init__(self, config: Config, goal: str) -> None:
        self._config = config
        self._goal = goal
        self._watch = Watch()
        self._past = Past()
        self._controller = Controller(config.interventions)

    def prompted(self) -> None:
        """A person said something."""
        self._watch.prompted()

    def take(
        self, step: int, action: Action, review: Review, outcome: Outcome | None, at: float | None
    ) -> Noticed:
        """The next step, with what came of it."""
        now = step * _SECONDS_EACH if at is None else at
        intent = intent_of(action, review)
        if outcome is None:
            self._watch.see(Deed(step, now, intent, "dropped"))
        else:
            self._watch.see(deed_of(step, now, intent, outcome))
        found = self._watch.findings(self._config.detection)
        return Noticed(tuple(found), self._interventions(found, step, now))

    def _interventions(
        self, found: list[Finding], step: int, now: float
    ) -> tuple[Intervention, ...]:
        if not self._config.interventions.enabled:
            return ()
        situation = Situation(now, step, self._past, _CAN, self._goal, self._config.scope)
        for judged in self._controller.judge(found, situation):
            self._past.judge(judged)
        chosen = self._controller.choose(found, situation) if found else None
        if chosen is None:
            return ()
        self._past.take(Intervened(now, chosen))
        return (chosen,)
