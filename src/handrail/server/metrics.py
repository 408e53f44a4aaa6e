"""Numbers for Prometheus, taken from the events as they are written."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from handrail.model.event import (
    ActionEnded,
    ActionReviewed,
    BreachFound,
    Event,
    FaultNoted,
    FeedbackGiven,
)

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
        self._review_time = Histogram(
            "handrail_review_seconds",
            "Time that a review takes.",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._hook_time = Histogram(
            "handrail_hook_seconds",
            "Time from a hook's request to its answer, the write to the disk included.",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._stopped_right = 0
        self._stopped_wrong = 0
        self._gauge(
            "false_positive_rate",
            "Share of judged refusals and changes that a person called wrong or overruled.",
            self._false_positive_rate,
        )

    def watch(self, name: str, says: str, read: Callable[[], float]) -> None:
        """Show a number that somebody else keeps."""
        self._gauge(name, says, read)

    def on_event(self, event: Event) -> None:
        """Count one event."""
        if isinstance(event, ActionReviewed):
            self._reviews.labels(event.verdict.decision.value).inc()
            self._review_time.observe(event.ms / 1000)
        elif isinstance(event, ActionEnded):
            self._ended.labels("ok" if event.outcome.ok else "failed").inc()
            self._stopped_wrong += event.overruled
        elif isinstance(event, FeedbackGiven):
            self._feedback.labels("right" if event.right else "wrong").inc()
            self._stopped_right += event.right
            self._stopped_wrong += not event.right
        elif isinstance(event, FaultNoted):
            self._faults.labels(event.kind).inc()
        elif isinstance(event, BreachFound):
            self._breaches.inc()

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

    def _gauge(self, name: str, says: str, read: Callable[[], float]) -> None:
        Gauge(f"handrail_{name}", says, registry=self.registry).set_function(read)
