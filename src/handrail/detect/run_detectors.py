"""All detectors of one run."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec

from handrail.config.detection import Detection
from handrail.detect.check_results import CheckResults
from handrail.detect.combinations import combine
from handrail.detect.completed_step import CompletedStep
from handrail.detect.counting_rules import CountingRules
from handrail.detect.detector import Detector
from handrail.detect.plugins import CustomDetectors, load_plugins
from handrail.detect.progress_tracker import ProgressTracker
from handrail.detect.registry import COMBINATIONS, DETECTORS
from handrail.detect.usage_sample import UsageSample
from handrail.model.desktop import DESKTOP_TOOLS, DesktopCheck
from handrail.model.finding import Finding
from handrail.model.waiting import asks_to_wait

_MAX_AGENTS = 16


class _OneAgent(msgspec.Struct):
    trail: ProgressTracker = msgspec.field(default_factory=ProgressTracker)

    @property
    def detectors(self) -> tuple[Detector, ...]:
        """Return all of them, by their order."""
        found: tuple[Detector, ...] = msgspec.structs.astuple(self)[1:]
        return found


class _WholeRun(msgspec.Struct):
    @property
    def detectors(self) -> tuple[Detector, ...]:
        """Return all of them, by their order."""
        found: tuple[Detector, ...] = msgspec.structs.astuple(self)
        return found


def _with_detectors(group: type[msgspec.Struct], *, per_agent: bool) -> type[msgspec.Struct]:
    """Return the struct with a field for each detector, so that one pass reads a snapshot."""
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
    """The detectors of one agent: sub-agents work at the same time."""
    WholeRun = _with_detectors(_WholeRun, per_agent=False)
    """The detectors of the run as a whole."""


class RunDetectors(msgspec.Struct):
    """Give completed steps to all detectors, and collect their findings."""

    agents: dict[str, OneAgent] = {}
    last: str = ""
    """The agent of the last step."""
    whole: WholeRun = msgspec.field(default_factory=WholeRun)
    counting: CountingRules = msgspec.field(default_factory=CountingRules)
    custom: CustomDetectors = msgspec.field(default_factory=CustomDetectors)
    checks: CheckResults = msgspec.field(default_factory=CheckResults)
    on_desktop: bool = False
    """The last step was one of a desktop watch, which looks again and again by design."""
    watches: bool = False
    """The last prompt asks to watch something: looking again and again is the task."""

    def see(self, done: CompletedStep) -> None:
        """Give the next step to the detectors of its agent."""
        if self.watches and done.only_looks:
            waits = msgspec.structs.replace(done.intent, waits=True)
            done = msgspec.structs.replace(done, intent=waits)
        self.on_desktop = done.intent.tool in DESKTOP_TOOLS
        agent = self._turn_to(done.intent.agent)
        if not self.on_desktop:
            done = agent.trail.mark(done)
            self.checks.see(done)
        for detector in self._asked():
            detector.see(done)
        self.counting.see(done)
        if not self.custom.is_empty:
            self.custom.see(done)

    def prompted(self, text: str = "") -> None:
        """Tell all detectors about a prompt."""
        self.watches = asks_to_wait(text)
        for detector in self._all():
            detector.prompted()
        self.custom.prompted()

    def told(self, score: float) -> None:
        """Give the opinion of a model to all detectors: how well the last steps serve the goal."""
        for detector in self._all():
            detector.told(score)

    def sampled(self, sample: UsageSample) -> None:
        """Give a measurement to the detectors of the run."""
        for detector in self.whole.detectors:
            detector.sampled(sample)
        self.custom.sampled(sample)

    def checked(self, check: DesktopCheck) -> None:
        """Give a desktop check to the detectors of the run."""
        for detector in self.whole.detectors:
            detector.checked(check)
        self.custom.checked(check)

    def heard(self, text: str, agent: str = "") -> None:
        """Give an agent's last message to its detectors."""
        self.on_desktop = False
        self._turn_to(agent)
        for detector in self._asked():
            detector.heard(text)
        self.custom.heard(text)

    def contradicted(self, claims: tuple[str, ...]) -> None:
        """Tell the detectors which claims in the agent's last message the disk contradicts."""
        for detector in self._asked():
            detector.contradicted(claims)

    def compacted(self) -> None:
        """Forget known results after a compaction: reading them again tells something new."""
        for agent in self.agents.values():
            agent.trail.forget()

    def ended(self, agent: str) -> None:
        """Drop the detectors of a sub-agent that has ended."""
        self.agents.pop(agent, None)

    @property
    def faults(self) -> tuple[str, ...]:
        """Return why detectors of packages were not loaded, or were switched off."""
        return (*load_plugins().problems, *self.custom.faults.values())

    def findings(self, settings: Detection) -> list[Finding]:
        """Return the findings that the last step belongs to, the worst first."""
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
        """Return the detectors of the last agent, and those of the run."""
        agent = self.agents.get(self.last)
        asked = agent.detectors + self.whole.detectors if agent else self.whole.detectors
        return tuple(each for each in asked if each.of_desktop is self.on_desktop)

    def _all(self) -> Iterator[Detector]:
        for agent in self.agents.values():
            yield from agent.detectors
        yield from self.whole.detectors


def _kept(found: Iterable[Finding | None], settings: Detection) -> list[Finding]:
    return [each for each in found if each is not None and each.kind not in settings.disabled]
