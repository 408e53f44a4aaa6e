"""All detectors of one run."""

from collections.abc import Iterator

import msgspec

from handrail.config.detection import Detection
from handrail.detect.deed import Deed
from handrail.detect.detector import Detector
from handrail.detect.errors import RepetitiveErrors
from handrail.model.finding import Finding

_MAX_AGENTS = 16


class Habits(msgspec.Struct):
    """What is watched in each agent by itself: sub-agents work at the same time."""

    errors: RepetitiveErrors = msgspec.field(default_factory=RepetitiveErrors)

    def __iter__(self) -> Iterator[Detector]:
        yield self.errors


class Watch(msgspec.Struct):
    """Folds deeds into all detectors, and asks them what they found."""

    agents: dict[str, Habits] = {}
    last: str = ""
    """The agent of the last deed."""

    def see(self, deed: Deed) -> None:
        """Take in the next deed."""
        self.last = deed.intent.agent
        if self.last not in self.agents:
            self.agents[self.last] = Habits()
            while len(self.agents) > _MAX_AGENTS:
                del self.agents[next(name for name in self.agents if name)]
        for detector in self.agents[self.last]:
            detector.see(deed)

    def prompted(self) -> None:
        """A person said something."""
        for detector in self._all():
            detector.prompted()

    def told(self, score: float) -> None:
        """A model has said how well the last deeds serve the goal, from 0 to 1."""
        for detector in self._all():
            detector.told(score)

    def heard(self, text: str, agent: str = "") -> None:
        """An agent stopped, and said this."""
        self.last = agent
        for detector in self.agents.get(agent, ()):
            detector.heard(text)

    def ended(self, agent: str) -> None:
        """A sub-agent is done."""
        self.agents.pop(agent, None)

    def findings(self, settings: Detection) -> list[Finding]:
        """The troubles that the last deed is part of, the worst first."""
        if not settings.enabled:
            return []
        found = [detector.find(settings) for detector in self.agents.get(self.last, ())]
        kept = [each for each in found if each is not None and each.kind not in settings.disabled]
        return sorted(kept, key=lambda each: (-each.severity.rank, -each.confidence))

    def _all(self) -> Iterator[Detector]:
        for habits in self.agents.values():
            yield from habits
