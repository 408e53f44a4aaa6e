"""Resource spirals: use that grows in every sample."""

from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar, NamedTuple

import msgspec

from handrail.config.detection import Detection
from handrail.detect.completed_step import CompletedStep
from handrail.detect.description import (
    GREEDY,
    SLOW_DOWN,
    SPIRALLING,
    FindingDescription,
    paragraphs,
)
from handrail.detect.detector import Detector
from handrail.detect.usage_sample import UsageSample
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity

_WINDOW = 5
"""Steps in one sample."""
_MOST_SAMPLES = 6
_STEADY = 1.2
"""A spiral grows in every sample; a single leap may be a test suite after some reading."""


class Series(NamedTuple):
    """One measured thing, and the values that matter."""

    base: float
    """Growth cannot start from a sample below this."""
    matters: float
    """Growth below this does not matter."""
    worst: Severity
    says: str


SERIES: dict[str, Series] = {
    "memory": Series(64, 512, Severity.HIGH, "The memory of its commands grew to {:,.0f} MB"),
    "file_operations": Series(4, 40, Severity.HIGH, "The files that it changes grew to {:,.0f}"),
    "tokens": Series(40_000, 400_000, Severity.HIGH, "The tokens that it uses grew to {:,.0f}"),
    "calls": Series(10, 120, Severity.MEDIUM, "Its calls grew to {:,.0f} a minute"),
    "time": Series(20, 240, Severity.HIGH, "The time of its commands grew to {:,.0f} seconds"),
    "output": Series(
        8_000, 60_000, Severity.LOW, "The output that it reads grew to {:,.0f} characters"
    ),
}
"""Values per sample; memory is the maximum."""
ANSWER = Series(20_000, 200_000, Severity.HIGH, "The tokens of one answer grew to {:,.0f}")
"""Every answer reads the whole conversation again: one that grows so fast is soon too large."""
_SEVERITIES = ((3.0, Severity.HIGH), (2.0, Severity.MEDIUM), (0.0, Severity.LOW))


class Sample(msgspec.Struct, gc=False):
    """The use of a few steps."""

    memory: float = 0.0
    file_operations: int = 0
    tokens: int = 0
    calls: float = 0.0
    time: float = 0.0
    output: int = 0

    def add(self, done: CompletedStep) -> None:
        """Add a step."""
        outcome = done.outcome
        self.memory = max(self.memory, outcome.memory_mb)
        self.file_operations += len(done.changed) or (len(done.intent.writes) if outcome.ok else 0)
        self.tokens += outcome.tokens
        self.time += outcome.duration_ms / 1000
        self.output += len(outcome.output) + len(outcome.error)

    def of(self, series: str) -> float:
        """Return the value of one series."""
        value: float = getattr(self, series)
        return value


class ResourceSpiralDetector(Detector):
    """Samples of each series, one for five steps, and the tokens of the last answers."""

    kind: ClassVar[str] = "resource_spiral"
    order: ClassVar[int] = 8
    saved_as: ClassVar[str] = "resources"
    # Restoring files gives back no time, no calls and no memory.
    about: ClassVar[FindingDescription] = FindingDescription(
        label="Used more and more",
        meaning="The run uses more and more: memory, files, tokens, calls, time or output.",
        fitting=SLOW_DOWN,
        pattern=SPIRALLING,
        hints=paragraphs("""
            {says} Do it in pieces: a part of the data, one file, a limit on the output. Look at
            what one piece costs before you start the next.

            {says} Something is done more often than it needs to be. Name it, and do it once: keep
            what you found instead of finding it again, search instead of reading everything, end
            what still runs.

            {says} Stop adding to it. Say what uses so much and whether the task needs it; then take
            the cheaper way, or do without that part.
        """),
        constraint="Work in small pieces, and end what you started before you start more.",
        example="Search for the lines that matter and read only those, instead of whole files one "
        "after another.",
        plan="resource_exhaustion",
        tested_by="any",
        advice=GREEDY,
    )
    samples: list[Sample] = msgspec.field(default_factory=list)
    steps: list[int] = msgspec.field(default_factory=list)
    """The last step of each sample."""
    current: Sample = msgspec.field(default_factory=Sample)
    count: int = 0
    """Steps in the current sample."""
    began: float = 0.0
    """The start of the current sample."""
    memory: float = 0.0
    """The last measured memory; it holds until the next measurement."""
    answers: list[int] = msgspec.field(default_factory=list)
    """The tokens of the last answers."""
    unseen: bool = False
    """Answers were measured after the last step."""
    fresh: bool = False
    """Answers were measured just before the last step."""
    recent: list[int] = msgspec.field(default_factory=list)
    """The last steps."""

    def see(self, done: CompletedStep) -> None:
        """Add the use of a step; close a full sample."""
        if not self.count and not self.samples:
            self.began = done.at
        self.count += 1
        self.fresh, self.unseen = self.unseen, False
        self.recent.append(done.step)
        del self.recent[:-_MOST_SAMPLES]
        if done.ending in ("ok", "failed"):
            self.current.add(done)
        if self.count == _WINDOW:
            seconds = done.at - self.began
            # The first sample begins with the end of its first step: one pause less.
            pauses = _WINDOW if self.samples else _WINDOW - 1
            # Simultaneous calls are one step of the agent; without times nothing is known.
            self.current.calls = pauses * 60 / max(seconds, 1.0) if seconds > 0 else 0.0
            self.samples.append(self.current)
            self.steps.append(done.step)
            del self.samples[:-_MOST_SAMPLES], self.steps[:-_MOST_SAMPLES]
            self.current, self.count, self.began = Sample(self.memory), 0, done.at

    def sampled(self, sample: UsageSample) -> None:
        """Note measured memory and answers.

        Answers are compared one by one: each reads the conversation again, so the sums of a healthy
        run grow, too.
        """
        self.memory = sample.commands_mb
        self.current.memory = max(self.current.memory, self.memory)
        if sample.answers:
            self.answers = [*self.answers, *sample.answers][-_MOST_SAMPLES:]
            self.unseen = True

    def prompted(self) -> None:
        """Start again: the next task may need more."""
        self.samples, self.steps, self.current, self.count = [], [], Sample(self.memory), 0
        self.answers, self.unseen, self.fresh = [], False, False

    def find(self, settings: Detection) -> Finding | None:
        """Report growth when a sample is complete, or the tokens of the last answers grew."""
        if not self.count and (found := self._in_samples(settings)) is not None:
            return found
        return self._in_answers(settings) if self.fresh else None

    def lately(self, settings: Detection) -> Finding | None:
        """Report growth up to the last sample or answer."""
        return self._in_samples(settings) or self._in_answers(settings)

    def _in_answers(self, settings: Detection) -> Finding | None:
        samples = settings.resource_spiral.samples
        growth = _growth(ANSWER, self.answers[-samples:]) if len(self.answers) >= samples else 0.0
        if growth <= settings.resource_spiral.growth:
            return None
        reached = ANSWER.says.format(self.answers[-1])
        says = f"{reached} within {samples} answers, {growth:.1f} times as much each time."
        return _finding("tokens", {"tokens": growth}, tuple(self.recent[-samples:]), says)

    def _in_samples(self, settings: Detection) -> Finding | None:
        wanted = settings.resource_spiral
        if len(self.samples) < wanted.samples:
            return None
        grown = {
            name: growth
            for name in SERIES
            if (growth := self._growth(name, wanted.samples)) > wanted.growth
        }
        if not grown:
            return None
        worst = max(grown, key=lambda name: (_severity(name, grown[name]), grown[name]))
        reached = SERIES[worst].says.format(self.samples[-1].of(worst))
        says = f"{reached} within {_WINDOW} actions, {grown[worst]:.1f} times as much each time."
        return _finding(worst, grown, tuple(self.steps[-wanted.samples :]), says)

    def _growth(self, name: str, samples: int) -> float:
        return _growth(SERIES[name], [sample.of(name) for sample in self.samples[-samples:]])


def _growth(series: Series, values: Sequence[float]) -> float:
    """Return the mean growth from value to value; 0 unless it grows all the time."""
    if values[-1] < series.matters or values[0] < series.base:
        return 0.0
    pairs = list(pairwise(values))
    if any(later < earlier * _STEADY for earlier, later in pairs):
        return 0.0
    return sum(later / earlier for earlier, later in pairs) / len(pairs)


def _finding(worst: str, grown: dict[str, float], steps: tuple[int, ...], says: str) -> Finding:
    growth = grown[worst]
    sure = min(0.5 + 0.1 * len(grown) + 0.05 * len(steps), 0.95)
    impact = min(0.2 * (growth - 1), 0.6)
    facts = {"series": worst} | {name: f"{by:.2f}" for name, by in grown.items()}
    severity = _severity(worst, growth)
    return Finding(ResourceSpiralDetector.kind, severity, sure, steps, impact, says, worst, facts)


def _severity(name: str, growth: float) -> Severity:
    reached = next(severity for least, severity in _SEVERITIES if growth >= least)
    return min(reached, SERIES[name].worst)
