"""The findings and interventions in a recorded session."""

import msgspec

from handrail.cli.replays.sessions import PastStep
from handrail.config.schema import Config
from handrail.detect import CompletedStep, RunDetectors, completed_step, intent_of
from handrail.intervene import Capability, InterventionHistory, RunSituation
from handrail.intervene.controller import Controller
from handrail.model.action import Action
from handrail.model.event import Intervened
from handrail.model.finding import Finding
from handrail.model.intervention import Intervention, InterventionName
from handrail.model.intervention_history import LaterStep
from handrail.model.review import Review

_SECONDS_EACH = 10.0
"""Seconds between steps if a record has no times."""
_CAN = frozenset({Capability.INJECT, Capability.REWRITE, Capability.DENY, Capability.STOP})


class StepFindings(msgspec.Struct, frozen=True):
    """The findings and interventions of one step."""

    findings: tuple[Finding, ...] = ()
    interventions: tuple[Intervention, ...] = ()


class PastFindings:
    """Follows one session. Its agent never got the guidance of an intervention."""

    def __init__(self, config: Config, goal: str) -> None:
        self._config = config
        self._goal = goal
        self._now = 0.0
        self._watch = RunDetectors()
        self._past = InterventionHistory()
        self._controller = Controller(config.interventions)

    def add_step(self, number: int, step: PastStep, action: Action, review: Review) -> StepFindings:
        """Add the next step with its outcome and the agent's message after it."""
        self._now = self._now + _SECONDS_EACH if step.at is None else step.at
        if step.prompted:
            self._watch.prompted()
        intent = intent_of(action, review, step.agent)
        if step.outcome is None:
            deed = CompletedStep(number, self._now, intent, "dropped")
        else:
            deed = completed_step(number, self._now, intent, step.outcome)
        self._watch.see(deed)
        ok, touches = deed.ending == "ok", bool(intent.reads or intent.writes)
        self._past.record_step(LaterStep(intent.agent, number, intent.sort, ok, touches))
        noticed = self._notice(number)
        if not step.said:
            return noticed
        self._watch.heard(step.said)
        then = self._notice(number)
        known = {finding.name for finding in then.findings}
        before = (finding for finding in noticed.findings if finding.name not in known)
        return StepFindings((*before, *then.findings), noticed.interventions + then.interventions)

    def _notice(self, number: int) -> StepFindings:
        found = self._watch.findings(self._config.detection)
        return StepFindings(tuple(found), self._interventions(found, number))

    def _interventions(self, found: list[Finding], number: int) -> tuple[Intervention, ...]:
        if not self._config.interventions.enabled:
            return ()
        agent, scope = self._watch.last, self._config.scope
        stopped = any(made.means == InterventionName.EMERGENCY_STOP for made in self._past.made)
        situation = RunSituation(
            self._now, number, self._past, _CAN, self._goal, scope, agent=agent, stopped=stopped
        )
        for judged in self._controller.judge(found, situation):
            self._past.record_outcome(judged)
        chosen = self._controller.choose(found, situation) if found else None
        if chosen is None:
            return ()
        self._past.record(Intervened(self._now, chosen, agent))
        return (chosen,)
