"""Numbers for Prometheus, taken from the events as they are written."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import cast

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from handrail.detect.registry import KINDS
from handrail.intervene.score import LADDER
from handrail.model.event import (
    ActionEnded,
    ActionReviewed,
    BreachFound,
    CheckpointTaken,
    Event,
    FaultNoted,
    FeedbackGiven,
    FindingMade,
    Intervened,
    InterventionJudged,
    ModelAsked,
    RolledBack,
    StopConfirmed,
)
from handrail.model.ordinal import Decision, Severity

HALTING_FAULTS = ("bug", "hooks", "log", "slow")
"""Kinds of faults while which it is not Handrail's reviews that decide what runs."""
OTHER_FAULTS = ("checkpoint", "incident", "notify", "plugin")
"""Kinds of faults that leave the reviews as they are."""

_About = tuple[str, int, str]
"""Run, step, and kind of finding; empty: the verdict."""
_TROUBLE = (Severity.LOW, Severity.MEDIUM, Severity.HIGH, Severity.CRITICAL)
_SECONDS = (0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5)


class Metrics:
    """Counts what happens since the daemon was started."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._reviews = self._counter("reviews", "Actions reviewed.", "decision")
        self._ended = self._counter("actions", "Completed actions.", "outcome")
        self._feedback = self._counter("feedback", "Verdicts judged by a person.", "verdict")
        self._faults = self._counter("faults", "Faults of Handrail itself.", "kind")
        self._breaches = Counter(
            "handrail_breaches", "Unreviewed or refused actions that ran.", registry=self.registry
        )
        self._findings = self._counter("findings", "Findings.", "kind", "severity")
        self._interventions = self._counter(
            "interventions", "Interventions because of findings.", "means", "finding"
        )
        self._effects = self._counter(
            "interventions_judged",
            "Interventions with a known effect.",
            "means",
            "finding",
            "result",
        )
        self._escalations = Counter(
            "handrail_escalations",
            "Interventions after one without effect.",
            registry=self.registry,
        )
        self._checkpoints = self._counter(
            "checkpoints", "Checkpoints taken; `partial`: with gaps.", "coverage"
        )
        self._checkpoint_time = self._histogram("checkpoint", "Time to take a checkpoint.")
        self._rollbacks = self._counter("rollbacks", "Restores of a work tree.", "result")
        self._stops = self._counter(
            "emergency_stops", "Stopped runs; `left`: a process remained.", "result"
        )
        self._opinions = self._counter("opinions", "Questions to a model.", "question", "result")
        self._opinion_tokens = Counter(
            "handrail_opinion_tokens", "Tokens for second opinions.", registry=self.registry
        )
        self._finding_feedback = self._counter(
            "finding_feedback", "Findings judged by a person.", "kind", "result"
        )
        self._review_time = self._histogram("review", "Time of a review.")
        self._hook_time = self._histogram(
            "hook", "Time from a hook's request to its answer, including the write to the disk."
        )
        self._begin_with_zero()
        # Looked up once: these are counted with every hook.
        self._decided = {each: self._reviews.labels(each.value) for each in Decision}
        self._worked, self._failed = map(self._ended.labels, ("ok", "failed"))
        self._said: dict[_About, bool] = {}
        self._stops_judged: dict[_About, bool] = {}
        """Of refusals and changes, what was said last."""
        self._overruled = 0
        self.watch(
            "false_positive_rate",
            "Share of judged refusals and changes called wrong or overruled by a person.",
            self._false_positive_rate,
        )

    def watch(self, name: str, says: str, read: Callable[[], float]) -> None:
        """Show a number that somebody else keeps."""
        Gauge(f"handrail_{name}", says, registry=self.registry).set_function(read)

    def watch_each(
        self, name: str, says: str, label: str, read: Callable[[], Mapping[str, float]]
    ) -> None:
        """Show several numbers that somebody else keeps, told apart by a label."""
        self.registry.register(_Watched(f"handrail_{name}", says, label, read))

    def on_event(self, event: Event) -> None:
        """Count one event."""
        count = _COUNTS.get(type(event))
        if count is not None:
            count(self, event)

    def reviewed(self, event: ActionReviewed) -> None:
        """An action was judged."""
        self._decided[event.verdict.decision].inc()
        self._review_time.observe(event.ms / 1000)

    def ended(self, event: ActionEnded) -> None:
        """An action ran."""
        (self._worked if event.outcome.ok else self._failed).inc()
        self._overruled += event.overruled

    def faulted(self, event: FaultNoted) -> None:
        """Handrail could not do its work."""
        self._faults.labels(event.kind).inc()

    def breached(self, event: BreachFound) -> None:
        """Something ran that should not have."""
        self._breaches.inc()

    def found(self, event: FindingMade) -> None:
        """A run goes wrong."""
        self._findings.labels(event.finding.kind, event.finding.severity.value).inc()

    def intervened(self, event: Intervened) -> None:
        """Something was done about it."""
        done = event.intervention
        self._interventions.labels(done.means, done.finding.kind).inc()
        self._escalations.inc(bool(done.escalation))

    def helped(self, event: InterventionJudged) -> None:
        """It is known whether that helped."""
        result = "worked" if event.worked else "failed"
        self._effects.labels(event.means, event.finding, result).inc()

    def saved(self, event: CheckpointTaken) -> None:
        """Files were saved."""
        self._checkpoints.labels("partial" if event.partial else "complete").inc()
        self._checkpoint_time.observe(event.ms / 1000)

    def rolled_back(self, event: RolledBack) -> None:
        """Files were put back, or could not be."""
        self._rollbacks.labels("failed" if event.problem else "ok").inc()

    def stopped(self, event: StopConfirmed) -> None:
        """A run was stopped for certain, or something is left of it."""
        self._stops.labels("left" if event.left else "ok").inc()

    def asked(self, event: ModelAsked) -> None:
        """A model was asked."""
        self._opinions.labels(event.question, "none" if event.problem else "given").inc()
        self._opinion_tokens.inc(event.tokens)

    def judged(self, run: str, event: FeedbackGiven, decision: Decision | None) -> None:
        """Count what a person thinks of a verdict or, without a decision, of a finding.

        What is said again counts once; who changes their mind is counted with both.
        """
        about = (run, event.step, event.finding)
        if self._said.get(about) is event.right:
            return
        self._said[about] = event.right
        if decision is None:
            result = "confirmed" if event.right else "false_alarm"
            self._finding_feedback.labels(event.finding, result).inc()
            return
        self._feedback.labels("right" if event.right else "wrong").inc()
        if decision.stops:
            self._stops_judged[about] = event.right

    def fault(self, kind: str) -> None:
        """Count a fault that cannot be written into the log."""
        self._faults.labels(kind).inc()

    def hook_took(self, seconds: float) -> None:
        """Count one answered hook."""
        self._hook_time.observe(seconds)

    def text(self) -> bytes:
        """Everything, as Prometheus reads it."""
        return generate_latest(self.registry)

    def _false_positive_rate(self) -> float:
        right = sum(self._stops_judged.values())
        judged = len(self._stops_judged) + self._overruled
        return (judged - right) / judged if judged else 0.0

    def _begin_with_zero(self) -> None:
        """Show what can be counted before it happens: what appears as 1 has not grown."""
        known: tuple[tuple[Counter, tuple[Iterable[object], ...]], ...] = (
            (self._reviews, (Decision,)),
            (self._ended, (("ok", "failed"),)),
            (self._feedback, (("right", "wrong"),)),
            (self._faults, ((*HALTING_FAULTS, *OTHER_FAULTS),)),
            (self._findings, (KINDS, _TROUBLE)),
            (self._interventions, (LADDER, KINDS)),
            (self._effects, (LADDER, KINDS, ("worked", "failed"))),
            (self._checkpoints, (("complete", "partial"),)),
            (self._rollbacks, (("ok", "failed"),)),
            (self._stops, (("ok", "left"),)),
            (self._opinions, (("action", "goal"), ("given", "none"))),
            (self._finding_feedback, (KINDS, ("confirmed", "false_alarm"))),
        )
        for counter, labels in known:
            for values in product(*labels):
                counter.labels(*values)

    def _counter(self, name: str, says: str, *labels: str) -> Counter:
        return Counter(f"handrail_{name}", says, labels, registry=self.registry)

    def _histogram(self, name: str, says: str) -> Histogram:
        return Histogram(f"handrail_{name}_seconds", says, buckets=_SECONDS, registry=self.registry)


class _Watched(Collector):
    def __init__(
        self, name: str, says: str, label: str, read: Callable[[], Mapping[str, float]]
    ) -> None:
        self._name = name
        self._says = says
        self._label = label
        self._read = read

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """The numbers as they are now."""
        family = GaugeMetricFamily(self._name, self._says, labels=[self._label])
        for value, number in self._read().items():
            family.add_metric([value], number)
        yield family


_Count = Callable[[Metrics, Event], None]
_COUNTS: dict[type, _Count] = {
    kind: cast("_Count", count)
    for kind, count in (
        (ActionReviewed, Metrics.reviewed),
        (ActionEnded, Metrics.ended),
        (FaultNoted, Metrics.faulted),
        (BreachFound, Metrics.breached),
        (FindingMade, Metrics.found),
        (Intervened, Metrics.intervened),
        (InterventionJudged, Metrics.helped),
        (CheckpointTaken, Metrics.saved),
        (RolledBack, Metrics.rolled_back),
        (StopConfirmed, Metrics.stopped),
        (ModelAsked, Metrics.asked),
    )
}
