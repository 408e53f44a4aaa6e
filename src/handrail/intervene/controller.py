"""Chooses what is done about a finding."""

from collections.abc import Sequence

from handrail.config.interventions import Interventions
from handrail.intervene.situation import Situation
from handrail.model.event import InterventionJudged
from handrail.model.finding import Finding
from handrail.model.intervention import Intervention, Means
from handrail.model.ordinal import Severity

_WEIGHTS = {
    Severity.NONE: 0.0,
    Severity.LOW: 0.2,
    Severity.MEDIUM: 0.5,
    Severity.HIGH: 0.8,
    Severity.CRITICAL: 1.0,
}
_EFFECT_WITHIN = 5
"""Deeds without the finding after which an intervention has helped."""


class Controller:
    """Decides, for one project's settings; everything it knows of a run is in the situation."""

    def __init__(self, settings: Interventions) -> None:
        self.settings = settings

    def judge(self, findings: Sequence[Finding], at: Situation) -> list[InterventionJudged]:
        """What is now known about the interventions so far."""
        names = {finding.name for finding in findings}
        judged = []
        for made in at.past.made:
            if made.worked is not None or at.step <= made.step:
                continue
            if made.name in names:
                judged.append(InterventionJudged(at.now, made.id, at.step, worked=False))
            elif at.step >= made.step + _EFFECT_WITHIN:
                judged.append(InterventionJudged(at.now, made.id, at.step, worked=True))
        return judged

    def choose(self, findings: Sequence[Finding], at: Situation) -> Intervention | None:
        """The one thing to do now, if anything; the worst finding comes first."""
        for finding in findings:
            if any(made.name == finding.name and made.step >= at.step for made in at.past.made):
                continue
            score = _WEIGHTS[finding.severity] * finding.confidence * (1 + finding.impact)
            number = len(at.past.made) + 1
            return Intervention(
                f"i{number}",
                Means.SOFT_CORRECTION,
                finding,
                at.step,
                score,
                guidance=f"{finding.says} Try something else.",
            )
        return None
