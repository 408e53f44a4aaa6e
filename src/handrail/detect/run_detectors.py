"""All detectors of one run."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec

from handrail.config.detection import Detection
from handrail.detect.combinations import combine
from handrail.detect.completed_step import CompletedStep
from handrail.detect.counting_rules import CountingRules
from handrail.detect.detector import Detector
from handrail.detect.plugins import CustomDetectors, load_plugins
from handrail.detect.progress_tracker import ProgressTracker
from handrail.detect.registry import COMBINATIONS, DETECTORS
from handrail.model.finding import Finding

_MAX_AGENTS = 16


class _OneAgent(msgspec.Struct):
    trail: ProgressTracker = msgspec.field(default_factory=ProgressTracker)

    @property
    def detectors(self) -> tuple[Detector, ...]:
        """All of them, by their order."""
        found: tuple[Detector, ...] = msgspec.structs.astuple(self)[1:]
        return found


class _WholeRun(msgspec.Struct):
    @property
    def detectors(self) -> tuple[Detector, ...]:
        """All of them, by their order."""
        found: tuple[Detector, ...] = msgspec.structs.astuple(self)
        return found


def _with_detectors(group: type[msgspec.Struct], *, per_agent: bool) -> type[msgspec.Struct]:
    """The struct with a field for each detector, so that a snapshot is read in one go."""
    fields = [
        (each.kind, each, msgspec.field(default_factory=each, name=each.saved_as or each.kind))
        for each in DETECTORS
        if each.per_agent is per_agent
    ]
    return msgspec.defstruct(group.__name__[1:], fields, bases=(group,))


if TYPE_CHECKING:
    OneAgent = _OneAgent
    WholeRun = _WholeRun
else:
    OneAgent = _with_detectors(_OneAgent, per_agent=True)
    """What is watched in each agent by itself: sub-agents work at the same time."""
    WholeRun = _with_detectors(_WholeRun, per_agent=False)
    """What is watched in the run as a whole, whichever agent does it."""


class RunDetectors(msgspec.Struct):
    """Folds deeds into all detectors, and asks them what they found."""

    agents: dict[str, OneAgent] = {}
    last: str = ""
    """The agent of the last deed."""
    whole: WholeRun = msgspec.field(default_factory=WholeRun)
    counting: CountingRules = msgspec.field(default_factory=CountingRules)
    custom: CustomDetectors = msgspec.field(default_factory=CustomDetectors)

    def see(self, deed: CompletedStep) -> None:
        """Take in the next deed."""
        deed = self._turn_to(deed.intent.agent).trail.mark(deed)
        for detector in self._asked():
            detector.see(deed)
        self.counting.see(deed)
        if not self.custom.is_empty:
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
        for agent in self.agents.values():
            agent.trail.forget()

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
            kinds = {each.kind for each in found}
            parts = {kind for each in COMBINATIONS for kind in each.parts_beside(kinds)}
            recent = [each.lately(settings) for each in asked if each.kind in parts]
            found += _kept(combine(COMBINATIONS, found, _kept(recent, settings)), settings)
        if settings.counting:
            found += _kept(self.counting.find(settings), settings)
        if not self.custom.is_empty:
            found += _kept(self.custom.find(settings), settings)
        if len(found) > 1:
            found.sort(key=lambda each: (-each.severity.rank, -each.confidence))
        return found

    def _turn_to(self, agent: str) -> OneAgent:
        self.last = agent
        if agent not in self.agents:
            self.agents[agent] = OneAgent()
            while len(self.agents) > _MAX_AGENTS:
                del self.agents[next(name for name in self.agents if name)]
        return self.agents[agent]

    def _asked(self) -> tuple[Detector, ...]:
        """The detectors of the agent of the last deed, and those of the run."""
        agent = self.agents.get(self.last)
        return agent.detectors + self.whole.detectors if agent else self.whole.detectors

    def _all(self) -> Iterator[Detector]:
        for agent in self.agents.values():
            yield from agent.detectors
        yield from self.whole.detectors


def _kept(found: Iterable[Finding | None], settings: Detection) -> list[Finding]:
    return [each for each in found if each is not None and each.kind not in settings.disabled]
