"""A run to try the controller on: deeds with findings, one after the other."""

from collections.abc import Sequence

import msgspec

from handrail.config.interventions import Interventions
from handrail.detect.registry import description_of
from handrail.intervene import Capability, InterventionDraft, InterventionHistory, RunSituation
from handrail.intervene.controller import Controller
from handrail.intervene.plugins import InterventionPlugins
from handrail.intervene.registry import KINDS
from handrail.model.event import Intervened, InterventionJudged
from handrail.model.finding import Finding
from handrail.model.intervention import Intervention
from handrail.model.intervention_history import LaterStep
from handrail.model.ordinal import Severity

ALL = frozenset(Capability)


def finding(
    kind: str = "loop",
    severity: Severity = Severity.MEDIUM,
    confidence: float = 1.0,
    *,
    symptom: str = "a",
    evidence: tuple[int, ...] = (1, 2, 3),
    impact: float = 0.0,
    says: str = "The same call came 3 times.",
    facts: dict[str, str] | None = None,
) -> Finding:
    """A finding of which the test says only what matters."""
    return Finding(kind, severity, confidence, evidence, impact, says, symptom, facts or {})


def situation(past: InterventionHistory | None = None, **known: object) -> RunSituation:
    """A situation of which the test says only what matters."""
    usual: dict[str, object] = {
        "now": 1000.0,
        "step": 10,
        "past": past or InterventionHistory(),
        "can": ALL,
    }
    return RunSituation(**(usual | known))  # type: ignore[arg-type]  # the fields have many types


def draft_of(
    means: str,
    found: Finding,
    at: RunSituation,
    settings: Interventions | None = None,
) -> InterventionDraft:
    """What a built-in intervention does about a finding."""
    about = description_of(found.kind)
    draft = KINDS[means].make(found, at, about, settings or Interventions())
    assert draft is not None
    return draft


class ControllerSetup:
    """Goes through the steps of a run as the supervisor does."""

    def __init__(
        self,
        settings: Interventions | None = None,
        *,
        seconds: float = 60.0,
        interventions: InterventionPlugins | None = None,
        strategies: InterventionPlugins | None = None,
        **known: object,
    ) -> None:
        """`seconds` is the time between two steps."""
        self.past = InterventionHistory()
        self.judged: list[InterventionJudged] = []
        self.made: list[Intervention] = []
        self.controller = Controller(
            settings or Interventions(), interventions=interventions, strategies=strategies
        )
        self._seconds = seconds
        self._at = situation(self.past, now=0.0, step=0, **known)

    def step(self, *findings: Finding, seconds: float | None = None) -> Intervention | None:
        """The next deed, and what the detectors find then."""
        passed = self._seconds if seconds is None else seconds
        self._at = msgspec.structs.replace(
            self._at, now=self._at.now + passed, step=self._at.step + 1
        )
        self.past.record_step(LaterStep(self._at.agent, self._at.step))
        return self.look(findings)

    def look(self, findings: Sequence[Finding]) -> Intervention | None:
        """The same deed looked at."""
        at = self._at
        for judged in self.controller.judge(findings, at):
            self.past.record_outcome(judged)
            self.judged.append(judged)
        made = self.controller.choose(findings, at)
        if made is not None:
            self.past.record(Intervened(at.now, made, at.agent))
            self.made.append(made)
        return made

    def steps(self, times: int, *findings: Finding) -> list[str]:
        """The means of what is done in so many deeds with the same findings."""
        made = [self.step(*findings) for _ in range(times)]
        return [each.means for each in made if each is not None]
