"""Feedback, statistics, replay, settings."""

import msgspec


class FeedbackRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person's judgment of a verdict, or of a finding."""

    right: bool
    step: int = 0
    """Of a finding: one of the steps that it is about; 0: the last finding of its kind."""
    finding: str = ""
    """The kind of the finding; empty: it is about the verdict of the step."""
    note: str = ""


class RateRow(msgspec.Struct, frozen=True):
    """How often people called something right or wrong."""

    name: str
    label: str
    right: int
    wrong: int


class FeedbackRates(msgspec.Struct, frozen=True):
    """The rates of verdicts and of each kind of finding."""

    verdicts: tuple[RateRow, ...]
    findings: tuple[RateRow, ...]


class Done(msgspec.Struct, frozen=True):
    """It is recorded."""

    says: str


class CountRow(msgspec.Struct, frozen=True):
    """A number with a name."""

    name: str
    label: str
    count: int


class StatisticsRow(msgspec.Struct, frozen=True):
    """One project and host over a while."""

    project: str
    host: str
    runs: int
    actions: int
    changed: int
    stopped: int
    findings: int
    interventions: int
    helped: int
    tokens: int
    cost_usd: float


class Statistics(msgspec.Struct, frozen=True):
    """What was stopped, changed and found, what helped, and what it cost."""

    days: int
    rows: tuple[StatisticsRow, ...]
    stopped_by: tuple[CountRow, ...]
    findings_by: tuple[CountRow, ...]
    interventions_by: tuple[CountRow, ...]
    cost_by_day: dict[str, float]


class ReplayRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Other settings, as text of a handrail.yaml, to be tried on stored runs."""

    settings: str
    days: int = 7
    folder: str = ""


class ReplayDifference(msgspec.Struct, frozen=True):
    """An action that would have been decided otherwise."""

    run: str
    run_name: str
    step: int
    says: str
    before: str
    after: str
    why: str


class ReplayResult(msgspec.Struct, frozen=True):
    """What the settings would have changed."""

    runs: int
    actions: int
    differences: tuple[ReplayDifference, ...]
    cut: bool
    seconds: float


class SettingRow(msgspec.Struct, frozen=True):
    """One setting, its value, and where it comes from; secrets are taken out."""

    key: str
    value: str
    source: str


class SettingList(msgspec.Struct, frozen=True):
    """The settings of a folder, with their origin."""

    folder: str
    items: tuple[SettingRow, ...]
    withheld: tuple[str, ...]
    """Those that are not in force yet: they wait for `handrail config trust`."""


class MetricRow(msgspec.Struct, frozen=True):
    """A counter since the daemon started."""

    name: str
    labels: dict[str, str]
    value: float


class MetricsSummary(msgspec.Struct, frozen=True):
    """The daemon in numbers."""

    memory_mb: float
    uptime_seconds: float
    review_p50_ms: float | None
    review_p99_ms: float | None
    items: tuple[MetricRow, ...]
