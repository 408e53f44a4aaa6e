"""All detectors of one run."""

from collections.abc import Iterable, Iterator

import msgspec

from handrail.config.detection import Detection
from handrail.detect.combine import PARTNERS, combine
from handrail.detect.counting import Counting
from handrail.detect.deed import Deed
from handrail.detect.detector import Detector
from handrail.detect.drift import GoalDrift
from handrail.detect.errors import RepetitiveErrors
from handrail.detect.flow import InformationFlow
from handrail.detect.hallucination import Hallucination
from handrail.detect.loops import Loops
from handrail.detect.plugins import Custom, load_plugins
from handrail.detect.progress import Trail
from handrail.detect.refusals import Refusals
from handrail.detect.resources import ResourceSpiral
from handrail.detect.scope import ScopeCreep
from handrail.detect.stalls import Stalls
from handrail.detect.wandering import Wandering
from handrail.model.finding import Finding

_MAX_AGENTS = 16


class Habits(msgspec.Struct):
    """What is watched in each agent by itself: sub-agents work at the same time."""

    trail: Trail = msgspec.field(default_factory=Trail)
    loops: Loops = msgspec.field(default_factory=Loops)
    stalls: Stalls = msgspec.field(default_factory=Stalls)
    refusals: Refusals = msgspec.field(default_factory=Refusals)
    errors: RepetitiveErrors = msgspec.field(default_factory=RepetitiveErrors)
    drift: GoalDrift = msgspec.field(default_factory=GoalDrift)
    wandering: Wandering = msgspec.field(default_factory=Wandering)

    @property
    def parts(self) -> tuple[Detector, ...]:
        """All detectors."""
        return self.loops, self.stalls, self.refusals, self.errors, self.drift, self.wandering


class Whole(msgspec.Struct):
    """What is watched in the run as a whole, whichever agent does it."""

    scope: ScopeCreep = msgspec.field(default_factory=ScopeCreep)
    resources: ResourceSpiral = msgspec.field(default_factory=ResourceSpiral)
    hallucination: Hallucination = msgspec.field(default_factory=Hallucination)
    flow: InformationFlow = msgspec.field(default_factory=InformationFlow)

    @property
    def parts(self) -> tuple[Detector, ...]:
        """All detectors."""
        return self.scope, self.resources, self.hallucination, self.flow


class Watch(msgspec.Struct):
    """Folds deeds into all detectors, and asks them what they found."""

    agents: dict[str, Habits] = {}
    last: str = ""
    """The agent of the last deed."""
    whole: Whole = msgspec.field(default_factory=Whole)
    counting: Counting = msgspec.field(default_factory=Counting)
    custom: Custom = msgspec.field(default_factory=Custom)

    def see(self, deed: Deed) -> None:
        """Take in the next deed."""
        deed = self._turn_to(deed.intent.agent).trail.mark(deed)
        for detector in self._asked():
            detector.see(deed)
        self.counting.see(deed)
        if load_plugins().detectors:
            self.custom.see(deed)

    def prompted(self) -> None:
        """A person said something."""
        for detector in self._all():
            detector.prompted()
        self.custom.prompted()

    def told(self, score: float) -> None:
        """A model has said how well the last deeds serve the goal, from 0 to 1."""
        for detector in self._all():
            detector.told(score)

    def heard(self, text: str, agent: str = "") -> None:
        """An agent stopped, and said this."""
        self._turn_to(agent)
        for detector in self._asked():
            detector.heard(text)
        self.custom.heard(text)

    def compacted(self) -> None:
        """What was read is left out of the context now: reading it again tells something new."""
        for habits in self.agents.values():
            habits.trail.forget()

    def ended(self, agent: str) -> None:
        """A sub-agent is done."""
        self.agents.pop(agent, None)

    @property
    def faults(self) -> tuple[str, ...]:
        """Detectors of others that could not be loaded or were left out, and why."""
        return (*load_plugins().problems, *self.custom.faults.values())

    def findings(self, settings: Detection) -> list[Finding]:
        """The troubles that the last deed is part of, the worst first."""
        if not settings.enabled:
            return []
        asked = self._asked()
        found = _kept([detector.find(settings) for detector in asked], settings)
        if found:
            partners = {PARTNERS[each.kind] for each in found if each.kind in PARTNERS}
            recent = [each.lately(settings) for each in asked if each.kind in partners]
            found += _kept(combine(found, _kept(recent, settings)), settings)
        if settings.counting:
            found += _kept(self.counting.find(settings), settings)
        if load_plugins().detectors:
            found += _kept(self.custom.find(settings), settings)
        if len(found) > 1:
            found.sort(key=lambda each: (-each.severity.rank, -each.confidence))
        return found

    def _turn_to(self, agent: str) -> Habits:
        self.last = agent
        if agent not in self.agents:
            self.agents[agent] = Habits()
            while len(self.agents) > _MAX_AGENTS:
                del self.agents[next(name for name in self.agents if name)]
        return self.agents[agent]

    def _asked(self) -> tuple[Detector, ...]:
        """The detectors of the agent of the last deed, and those of the run."""
        habits = self.agents.get(self.last)
        return habits.parts + self.whole.parts if habits else self.whole.parts

    def _all(self) -> Iterator[Detector]:
        for habits in self.agents.values():
            yield from habits.parts
        yield from self.whole.parts


def _kept(found: Iterable[Finding | None], settings: Detection) -> list[Finding]:
    return [each for each in found if each is not None and each.kind not in settings.disabled]
