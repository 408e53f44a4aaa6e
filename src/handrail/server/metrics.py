"""Numbers for Prometheus, taken from the events as they are written."""

from collections.abc import Callable, Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from handrail.model.event import ActionEnded, ActionReviewed, BreachFound, Event, FaultNoted
from handrail.model.ordinal import Decision

_SECONDS = (0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5)


class Metrics:
    """Counts what happens since the daemon was started."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._reviews = self._counter("reviews", "Actions reviewed.", "decision")
        self._ended = self._counter("actions", "Actions that ran.", "outcome")
        self._feedback = self._counter("feedback", "Verdicts that a person judged.", "verdict")
        self._faults = self._counter("faults", "Times that Handrail could not do its work.", "kind")
        self._breaches = Counter(
            "handrail_breaches", "Actions that ran unreviewed or refused.", registry=self.registry
        )
        self._review_time = self._histogram("review", "Time that a review takes.")
        self._hook_time = self._histogram(
            "hook", "Time from a hook's request to its answer, the write to the disk included."
        )
        for decision in Decision:
            self._reviews.labels(decision.value)
        for judged in ("right", "wrong"):
            self._feedback.labels(judged)
        self._stopped_right = 0
        self._stopped_wrong = 0
        self.watch(
            "false_positive_rate",
            "Share of judged refusals and changes that a person called wrong or overruled.",
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
        if isinstance(event, ActionReviewed):
            self._reviews.labels(event.verdict.decision.value).inc()
            self._review_time.observe(event.ms / 1000)
        elif isinstance(event, ActionEnded):
            self._ended.labels("ok" if event.outcome.ok else "failed").inc()
            self._stopped_wrong += event.overruled
        elif isinstance(event, FaultNoted):
            self._faults.labels(event.kind).inc()
        elif isinstance(event, BreachFound):
            self._breaches.inc()

    def judged(self, decision: Decision, *, right: bool) -> None:
        """Count what a person thinks of a verdict."""
        self._feedback.labels("right" if right else "wrong").inc()
        if decision.stops:
            self._stopped_right += right
            self._stopped_wrong += not right

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
        judged = self._stopped_right + self._stopped_wrong
        return self._stopped_wrong / judged if judged else 0.0

    def _counter(self, name: str, says: str, label: str) -> Counter:
        return Counter(f"handrail_{name}", says, [label], registry=self.registry)

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
