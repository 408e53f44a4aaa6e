"""Metrics for Prometheus, counted from the events."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate, product
from math import inf
from time import time
from typing import NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest
from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from handrail.detect.registry import KINDS
from handrail.intervene.score import LADDER
from handrail.model import event as events
from handrail.model.event_table import by_event
from handrail.model.ordinal import Decision, Severity

HALTING_FAULTS = ("bug", "hooks", "log", "slow")
"""Kinds of faults during which Handrail's reviews do not decide."""
OTHER_FAULTS = ("checkpoint", "guardian", "incident", "notify", "plugin", "repair")
"""Kinds of faults that do not affect the reviews."""

_About = tuple[str, int, str]
"""Run, step, and kind of finding; empty for a verdict."""
_Labels = dict[str, Iterable[object]]
_TROUBLE = (Severity.LOW, Severity.MEDIUM, Severity.HIGH, Severity.CRITICAL)
_SECONDS = (0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5)

_COUNTERS: dict[str, tuple[str, _Labels]] = {
    "reviews": ("Actions reviewed.", {"decision": Decision}),
    "actions": ("Completed actions.", {"outcome": ("ok", "failed")}),
    "feedback": ("Verdicts judged by a person.", {"verdict": ("right", "wrong")}),
    "faults": ("Faults of Handrail itself.", {"kind": (*HALTING_FAULTS, *OTHER_FAULTS)}),
    "breaches": ("Unreviewed or refused actions that ran.", {}),
    "findings": ("Findings.", {"kind": KINDS, "severity": _TROUBLE}),
    "interventions": ("Interventions because of findings.", {"means": LADDER, "finding": KINDS}),
    "interventions_judged": (
        "Interventions with a known effect.",
        {"means": LADDER, "finding": KINDS, "result": ("worked", "failed")},
    ),
    "escalations": ("Interventions after one without effect.", {}),
    "checkpoints": (
        "Checkpoints taken; `partial`: with gaps.", {"coverage": ("complete", "partial")},
    ),
    "rollbacks": ("Restores of a work tree.", {"result": ("ok", "failed")}),
    "emergency_stops": ("Stopped runs; `left`: a process remained.", {"result": ("ok", "left")}),
    "opinions": (
        "Questions to a model.", {"question": ("action", "goal"), "result": ("given", "none")},
    ),
    "opinion_tokens": ("Tokens for second opinions.", {}),
    "finding_feedback": (
        "Findings judged by a person.", {"kind": KINDS, "result": ("confirmed", "false_alarm")},
    ),
}  # fmt: skip
"""The meaning of each counter, and the values of its labels."""
_TIMES = {
    "checkpoint": "Time to take a checkpoint.",
    "review": "Time of a review.",
    "hook": "Time from a hook's request to its answer, including the write to the disk.",
}


class MetricValue(NamedTuple):
    """One number since the daemon started."""

    name: str
    labels: dict[str, str]
    value: float


class Metrics:
    """Counts events since the daemon started."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._counters = {
            name: Counter(f"handrail_{name}", says, tuple(labels), registry=self.registry)
            for name, (says, labels) in _COUNTERS.items()
        }
        self._times = {
            name: _Histogram(f"handrail_{name}_seconds", says) for name, says in _TIMES.items()
        }
        for times in self._times.values():
            self.registry.register(times)
        # Shown before it happens: of what appears as 1, nobody sees that it has grown.
        for name, (_, labels) in _COUNTERS.items():
            for values in product(*labels.values()) if labels else ():
                self._counters[name].labels(*values)
        # Looked up once: these are counted with every hook.
        self._decided = {each: self._counters["reviews"].labels(each.value) for each in Decision}
        ends = {True: "ok", False: "failed"}
        self._ended_well = {ok: self._counters["actions"].labels(end) for ok, end in ends.items()}
        self._said: dict[_About, bool] = {}
        self._stops_judged: dict[_About, bool] = {}
        """The last feedback on each refusal and change."""
        self._overruled = 0
        self.watch(
            "false_positive_rate",
            "Share of judged refusals and changes called wrong or overruled by a person.",
            self._false_positive_rate,
        )

    def watch(self, name: str, says: str, read: Callable[[], float]) -> None:
        """Export a number that another component keeps."""
        Gauge(f"handrail_{name}", says, registry=self.registry).set_function(read)

    def watch_each(
        self, name: str, says: str, label: str, read: Callable[[], Mapping[str, float]]
    ) -> None:
        """Export several such numbers, told apart by a label."""
        self.registry.register(_Watched(f"handrail_{name}", says, label, read))

    def on_event(self, event: events.Event) -> None:
        """Count one event."""
        if (count := _COUNTS.get(type(event))) is not None:
            count(self, event)

    def judged(self, run: str, event: events.FeedbackGiven, decision: Decision | None) -> None:
        """Count feedback on a verdict or, without a decision, on a finding.

        The same feedback counts once; a changed mind counts in both ways.
        """
        about = (run, event.step, event.finding)
        if self._said.get(about) is event.right:
            return
        self._said[about] = event.right
        if decision is None:
            result = "confirmed" if event.right else "false_alarm"
            self._count("finding_feedback", event.finding, result)
            return
        self._count("feedback", "right" if event.right else "wrong")
        if decision.stops:
            self._stops_judged[about] = event.right

    def fault(self, kind: str) -> None:
        """Count a fault that cannot be written into the log."""
        self._count("faults", kind)

    def hook_took(self, seconds: float) -> None:
        """Count one answered hook."""
        self._times["hook"].observe(seconds)

    def text(self) -> bytes:
        """Return all metrics in Prometheus' format."""
        return generate_latest(self.registry)

    def values(self) -> Iterator[MetricValue]:
        """Yield every number that has a value, without those of histograms."""
        for family in self.registry.collect():
            if family.type != "histogram":
                for sample in family.samples:
                    if sample.value and not sample.name.endswith("_created"):
                        yield MetricValue(sample.name, dict(sample.labels), float(sample.value))

    def review_seconds(self, share: float) -> float | None:
        """Return the time within which this share of the reviews was done; None: there is none.

        As exact as the buckets of the histogram.
        """
        buckets = [
            (float(sample.labels["le"]), sample.value)
            for family in self._times["review"].collect()
            for sample in family.samples
            if sample.name.endswith("_bucket")
        ]
        wanted = share * buckets[-1][1]
        below, counted = 0.0, 0.0
        for bound, count in buckets:
            if count >= wanted and count:
                if bound == inf or count == counted:
                    return below
                return below + (bound - below) * (wanted - counted) / (count - counted)
            below, counted = bound, count
        return None

    def _count(self, name: str, *labels: str) -> None:
        self._counters[name].labels(*labels).inc()

    def _false_positive_rate(self) -> float:
        right = sum(self._stops_judged.values())
        judged = len(self._stops_judged) + self._overruled
        return (judged - right) / judged if judged else 0.0

    # One method for each event that is counted

    def _reviewed(self, event: events.ActionReviewed) -> None:
        self._decided[event.verdict.decision].inc()
        self._times["review"].observe(event.ms / 1000)

    def _ended(self, event: events.ActionEnded) -> None:
        self._ended_well[event.outcome.ok].inc()
        self._overruled += event.overruled

    def _faulted(self, event: events.FaultNoted) -> None:
        self._count("faults", event.kind)

    def _breached(self, event: events.BreachFound) -> None:
        self._counters["breaches"].inc()

    def _found(self, event: events.FindingMade) -> None:
        self._count("findings", event.finding.kind, event.finding.severity.value)

    def _intervened(self, event: events.Intervened) -> None:
        done = event.intervention
        self._count("interventions", done.means, done.finding.kind)
        self._counters["escalations"].inc(bool(done.escalation))

    def _helped(self, event: events.InterventionJudged) -> None:
        result = "worked" if event.worked else "failed"
        self._count("interventions_judged", event.means, event.finding, result)

    def _saved(self, event: events.CheckpointTaken) -> None:
        self._count("checkpoints", "partial" if event.partial else "complete")
        self._times["checkpoint"].observe(event.ms / 1000)

    def _rolled_back(self, event: events.RolledBack) -> None:
        self._count("rollbacks", "failed" if event.problem else "ok")

    def _stopped(self, event: events.StopConfirmed) -> None:
        self._count("emergency_stops", "left" if event.left else "ok")

    def _asked(self, event: events.ModelAsked) -> None:
        self._count("opinions", event.question, "none" if event.problem else "given")
        self._counters["opinion_tokens"].inc(event.tokens)


class _Histogram(Collector):
    """How long something takes, noted by one thread.

    The one of prometheus_client takes a lock for each of its numbers, and every hook has two.
    """

    def __init__(self, name: str, says: str) -> None:
        self._name = name
        self._says = says
        self._counts = [0] * (len(_SECONDS) + 1)
        self._sum = 0.0
        self._created = time()

    def observe(self, seconds: float) -> None:
        """Note one duration."""
        self._counts[bisect_left(_SECONDS, seconds)] += 1
        self._sum += seconds

    def collect(self) -> Iterator[HistogramMetricFamily]:
        """Return the current numbers."""
        bounds = map(floatToGoString, (*_SECONDS, inf))
        buckets = list(zip(bounds, map(float, accumulate(self._counts)), strict=True))
        family = HistogramMetricFamily(self._name, self._says, buckets, self._sum)
        family.add_sample(f"{self._name}_created", {}, self._created)
        yield family


class _Watched(Collector):
    def __init__(
        self, name: str, says: str, label: str, read: Callable[[], Mapping[str, float]]
    ) -> None:
        self._name = name
        self._says = says
        self._label = label
        self._read = read

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Return the current numbers."""
        family = GaugeMetricFamily(self._name, self._says, labels=[self._label])
        for value, number in self._read().items():
            family.add_metric([value], number)
        yield family


_COUNTS = by_event(
    Metrics._reviewed, Metrics._ended, Metrics._faulted, Metrics._breached, Metrics._found,
    Metrics._intervened, Metrics._helped, Metrics._saved, Metrics._rolled_back, Metrics._stopped,
    Metrics._asked,
)  # fmt: skip
