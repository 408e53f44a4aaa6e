"""What was done about a run so far: a fold of its events."""

import msgspec

from handrail.model.event import Intervened, InterventionJudged


class Made(msgspec.Struct, omit_defaults=True):
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


class Past(msgspec.Struct, omit_defaults=True):
    """All interventions of a run, the newest at the end."""

    made: list[Made] = []

    def take(self, event: Intervened) -> None:
        """Note an intervention."""
        done = event.intervention
        self.made.append(
            Made(done.id, done.means, done.finding.name, event.at, done.step, done.guidance)
        )

    def judge(self, event: InterventionJudged) -> Made | None:
        """Note whether one helped, and give it back."""
        for made in self.made:
            if made.id == event.intervention:
                made.worked = event.worked
                return made
        return None
