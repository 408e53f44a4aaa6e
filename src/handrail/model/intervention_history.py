"""The interventions of a run so far, folded from its events."""

from typing import NamedTuple

import msgspec

from handrail.model.event import Intervened, InterventionJudged
from handrail.model.intervention import InterventionName, TestedBy
from handrail.model.ordinal import Severity

_MAX_AGENTS = 16


class PastIntervention(msgspec.Struct, omit_defaults=True):
    """A past intervention, and whether it helped."""

    id: str
    means: str
    name: str
    """The name of the finding."""
    at: float
    step: int
    text: str = ""
    worked: bool | None = None
    """None as long as nobody knows."""
    kind: str = ""
    """The kind of the finding."""
    agent: str = ""
    checkpoint: str = ""
    deeds: int = 0
    """Number of steps that the agent took since then."""
    severity: Severity = Severity.NONE
    """The severity of the finding at that time."""
    tested_by: TestedBy = "any"
    sort: str = ""
    """The sort of the action before it."""
    tested: int = 0
    """Number of later actions that could have shown the trouble, and worked."""

    def is_tested_by(self, step: "LaterStep") -> bool:
        """Return whether an action tells something about the trouble."""
        if self.tested_by == "paths":
            return step.touches
        return self.tested_by == "any" or (step.ok and step.sort == self.sort)


class LaterStep(NamedTuple):
    """An ended action of an agent, as far as it tells something about an earlier intervention."""

    agent: str
    step: int
    sort: str = ""
    ok: bool = True
    touches: bool = True
    """It touched a file."""


class InterventionHistory(msgspec.Struct, omit_defaults=True):
    """All interventions of a run, the newest at the end."""

    made: list[PastIntervention] = []
    acted: dict[str, str] = {}
    """The sort of the last action of each agent."""

    def record(self, event: Intervened) -> None:
        """Record an intervention."""
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
                tested_by=done.tested_by,
                sort=self.acted.get(event.agent, ""),
            )
        )

    def record_step(self, later: LaterStep) -> None:
        """Count a step of an agent that began after an intervention."""
        self.acted.pop(later.agent, None)
        self.acted[later.agent] = later.sort
        if len(self.acted) > _MAX_AGENTS:
            del self.acted[next(iter(self.acted))]
        for made in self.made:
            if made.worked is None and made.agent == later.agent and later.step > made.step:
                made.deeds += 1
                made.tested += made.is_tested_by(later)

    def record_outcome(self, event: InterventionJudged) -> PastIntervention | None:
        """Record whether an intervention helped, and return it."""
        for made in self.made:
            if made.id == event.intervention:
                made.worked = event.worked
                return made
        return None

    @property
    def has_undecided(self) -> bool:
        """Whether the outcome of any intervention is still open."""
        return any(
            made.worked is None and made.means != InterventionName.EMERGENCY_STOP
            for made in self.made
        )

    def against(self, name: str, agent: str) -> list[PastIntervention]:
        """Return the interventions against one trouble of one agent since the last stop.

        After a stop they count from zero: failures before it must not stop the run again at the
        first sign.
        """
        return [made for made in self._since_stop() if made.name == name and made.agent == agent]

    def was_told(self, text: str) -> bool:
        """Whether the agent got the same text before."""
        return any(made.text == text for made in self.made)

    def _since_stop(self) -> list[PastIntervention]:
        stops = (
            i for i, made in enumerate(self.made) if made.means == InterventionName.EMERGENCY_STOP
        )
        return self.made[max(stops, default=-1) + 1 :]
