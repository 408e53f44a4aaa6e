"""What was done about a run so far: a fold of its events."""

import msgspec

from handrail.model.event import Intervened, InterventionJudged
from handrail.model.intervention import InterventionName
from handrail.model.ordinal import Severity


class PastIntervention(msgspec.Struct, omit_defaults=True):
    """An intervention that was made, and whether it helped."""

    id: str
    means: str
    name: str
    """Of the finding."""
    at: float
    step: int
    text: str = ""
    worked: bool | None = None
    """None: that is not known yet."""
    kind: str = ""
    """Of the finding."""
    agent: str = ""
    checkpoint: str = ""
    deeds: int = 0
    """What the agent has done since then."""
    severity: Severity = Severity.NONE
    """Of the finding then."""


class InterventionHistory(msgspec.Struct, omit_defaults=True):
    """All interventions of a run, the newest at the end."""

    made: list[PastIntervention] = []

    def take(self, event: Intervened) -> None:
        """Note an intervention."""
        done = event.intervention
        self.made.append(
            PastIntervention(
                done.id,
                done.means,
                done.finding.name,
                event.at,
                done.step,
                done.guidance,
                kind=done.finding.kind,
                agent=event.agent,
                checkpoint=done.checkpoint,
                severity=done.finding.severity,
            )
        )

    def see(self, agent: str, step: int) -> None:
        """Note a deed of an agent; what was under way when it was told does not count."""
        for made in self.made:
            if made.worked is None and made.agent == agent and step > made.step:
                made.deeds += 1

    def judge(self, event: InterventionJudged) -> PastIntervention | None:
        """Note whether one helped, and give it back."""
        for made in self.made:
            if made.id == event.intervention:
                made.worked = event.worked
                return made
        return None

    @property
    def undecided(self) -> bool:
        """Whether there is one of which it is not known yet whether it helped."""
        return any(
            made.worked is None and made.means != InterventionName.EMERGENCY_STOP
            for made in self.made
        )

    def against(self, name: str, agent: str) -> list[PastIntervention]:
        """What was tried against one trouble of one agent since the run was last stopped.

        Where a person let a stopped run go on, it begins anew: what failed before the stop must not
        stop it again at the first sign.
        """
        return [made for made in self._since_stop() if made.name == name and made.agent == agent]

    def knows(self, text: str) -> bool:
        """Whether the agent was told the very same before."""
        return any(made.text == text for made in self.made)

    def _since_stop(self) -> list[PastIntervention]:
        stops = (
            i for i, made in enumerate(self.made) if made.means == InterventionName.EMERGENCY_STOP
        )
        return self.made[max(stops, default=-1) + 1 :]
