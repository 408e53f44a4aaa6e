"""Count what happened in runs: decisions, findings, interventions, feedback, cost.

A run is read once; later looks read only its new events. Only the few fields that count are
decoded, so that a long log is counted in seconds.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from time import monotonic
from typing import get_args

import msgspec

from handrail.store.port import Store, Topic
from handrail.supervise.log.topics import RUNS, run_of

_PAGE = 500
_BEGIN = b'{"event":"'
_STOPS = ("modify", "block")
_NO_RULE = "risk"


class RunCounts(msgspec.Struct):
    """The numbers of one run so far."""

    run: str = ""
    began: float = 0.0
    """When its topic began: another beginning is another log."""
    seq: int = 0
    """The last event that was counted."""
    host: str = ""
    cwd: str = ""
    actions: int = 0
    changed: int = 0
    stopped: int = 0
    stopped_by: Counter[str] = msgspec.field(default_factory=Counter)
    """By the rule that decided, or `risk`."""
    findings: Counter[str] = msgspec.field(default_factory=Counter)
    interventions: Counter[str] = msgspec.field(default_factory=Counter)
    helped: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    cost_by_day: dict[str, float] = {}
    stops: set[int] = set()
    """The steps that were changed or stopped."""
    judged: dict[int, bool] = {}
    """Of these: whether people called it right; what they overruled was wrong."""
    judged_findings: dict[tuple[int, str], bool] = {}
    """By step and kind, whether people called a finding right."""

    @property
    def right(self) -> int:
        """Return how many changes and stops were called right."""
        return sum(self.judged.values())

    @property
    def wrong(self) -> int:
        """Return how many of them were called wrong, or were overruled."""
        return len(self.judged) - self.right

    def take_in(self, body: bytes) -> None:
        """Count one event; others than those that count are passed over."""
        if (
            body.startswith(_BEGIN)
            and body[len(_BEGIN) : body.find(b'"', len(_BEGIN))] not in _TAGS
        ):
            return
        try:
            event = _decoder.decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return
        event.count(self)

    def use(self, at: float, tokens: int, cost_usd: float) -> None:
        """Note the use of the run so far; what it grew by belongs to this day."""
        self.tokens = max(self.tokens, tokens)
        if cost_usd > self.cost_usd:
            day = datetime.fromtimestamp(at).astimezone().date().isoformat()
            spent = self.cost_by_day.get(day, 0.0)
            self.cost_by_day[day] = spent + cost_usd - self.cost_usd
            self.cost_usd = cost_usd


class CountedEvent(msgspec.Struct, tag_field="event"):
    """The fields of an event that count; each kind knows how."""

    at: float


class _CountedStart(CountedEvent, tag="run_started"):
    host: str = ""
    cwd: str = ""

    def count(self, counts: RunCounts) -> None:
        counts.host, counts.cwd = counts.host or self.host, counts.cwd or self.cwd


class _CountedHit(msgspec.Struct):
    rule: str = ""


class _CountedRules(msgspec.Struct):
    rules: list[_CountedHit] = []


class _CountedVerdict(msgspec.Struct):
    decision: str


class _CountedReview(CountedEvent, tag="action_reviewed"):
    step: int
    review: _CountedRules
    verdict: _CountedVerdict

    def count(self, counts: RunCounts) -> None:
        counts.actions += 1
        decision = self.verdict.decision
        if decision not in _STOPS:
            return
        counts.stops.add(self.step)
        if decision == "modify":
            counts.changed += 1
            return
        counts.stopped += 1
        rules = self.review.rules
        counts.stopped_by[rules[0].rule if rules else _NO_RULE] += 1


class _CountedEnd(CountedEvent, tag="action_ended"):
    step: int
    overruled: bool = False

    def count(self, counts: RunCounts) -> None:
        if self.overruled:
            counts.judged[self.step] = False


class _CountedKind(msgspec.Struct):
    kind: str


class _CountedFinding(CountedEvent, tag="finding_made"):
    finding: _CountedKind

    def count(self, counts: RunCounts) -> None:
        counts.findings[self.finding.kind] += 1


class _CountedMeans(msgspec.Struct):
    means: str


class _CountedDeed(CountedEvent, tag="intervened"):
    intervention: _CountedMeans

    def count(self, counts: RunCounts) -> None:
        counts.interventions[self.intervention.means] += 1


class _CountedEffect(CountedEvent, tag="intervention_judged"):
    worked: bool

    def count(self, counts: RunCounts) -> None:
        counts.helped += self.worked


class _CountedFeedback(CountedEvent, tag="feedback_given"):
    step: int
    right: bool
    finding: str = ""

    def count(self, counts: RunCounts) -> None:
        if self.finding:
            counts.judged_findings[self.step, self.finding] = self.right
        elif self.step in counts.stops:
            counts.judged[self.step] = self.right


class _CountedSample(CountedEvent, tag="usage_sampled"):
    tokens: int = 0
    cost_usd: float = 0.0

    def count(self, counts: RunCounts) -> None:
        counts.use(self.at, self.tokens, self.cost_usd)


class _CountedUsage(CountedEvent, tag="usage_measured"):
    tokens: int = 0
    cost_usd: float = 0.0

    def count(self, counts: RunCounts) -> None:
        counts.use(self.at, self.tokens, self.cost_usd)


class _CountedLook(msgspec.Struct):
    cost_usd: float = 0.0


class _CountedCheck(CountedEvent, tag="desktop_checked"):
    check: _CountedLook

    def count(self, counts: RunCounts) -> None:
        counts.use(self.at, counts.tokens, counts.cost_usd + self.check.cost_usd)


_AnyCounted = (
    _CountedStart
    | _CountedReview
    | _CountedEnd
    | _CountedFinding
    | _CountedDeed
    | _CountedEffect
    | _CountedFeedback
    | _CountedSample
    | _CountedUsage
    | _CountedCheck
)
_decoder: msgspec.json.Decoder[_AnyCounted] = msgspec.json.Decoder(_AnyCounted)
_TAGS = frozenset(str(kind.__struct_config__.tag).encode() for kind in get_args(_AnyCounted))


class RunCounter:
    """The numbers of all runs that somebody asked about; used from one thread."""

    def __init__(self) -> None:
        self._known: dict[str, RunCounts] = {}

    def read_on(self, store: Store, since: float, seconds: float) -> bool:
        """Count new events of the runs since a time, for so long; return whether all is counted."""
        until = monotonic() + seconds
        topics = store.topics(RUNS)
        if len(self._known) > len(topics):  # old runs were removed
            there = {topic.name for topic in topics}
            self._known = {name: each for name, each in self._known.items() if name in there}
        return all(self._count(store, topic, until) for topic in topics if topic.changed >= since)

    def counts(self, store: Store, since: float) -> Iterator[RunCounts]:
        """Yield the numbers of the runs with events since a time, as far as they were counted."""
        for topic in store.topics(RUNS):
            if topic.changed >= since and topic.name in self._known:
                yield self._known[topic.name]

    def _count(self, store: Store, topic: Topic, until: float) -> bool:
        known = self._known.get(topic.name)
        if known is None or known.began != topic.began or known.seq > topic.seq:
            known = self._known[topic.name] = RunCounts(run_of(topic.name), topic.began)
        while known.seq < topic.seq:
            if monotonic() >= until:
                return False
            if not count_on(store, topic.name, known):
                break
        return True


def count_on(store: Store, topic: str, counts: RunCounts) -> bool:
    """Count the next page of a run's events; return False at its end."""
    page = store.read(topic, counts.seq, _PAGE)
    for stored in page:
        counts.take_in(stored.body)
        counts.seq = stored.seq
    return bool(page)


def count_run(store: Store, topic: str) -> RunCounts:
    """Return the numbers of one run."""
    counts = RunCounts(run_of(topic))
    while count_on(store, topic, counts):
        pass
    return counts
