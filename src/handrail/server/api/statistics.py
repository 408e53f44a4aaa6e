"""The operations that tell numbers and settings."""

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import msgspec

from handrail.api.messages.statistics import (
    CountRow,
    MetricRow,
    MetricsSummary,
    ReplayRequest,
    ReplayResult,
    SettingList,
    SettingRow,
    Statistics,
    StatisticsRow,
)
from handrail.config import ConfigError
from handrail.redact import Redactor
from handrail.server.api.api_routes import Handler
from handrail.server.api.call import ApiCall
from handrail.server.api.counted_runs import CountedRuns
from handrail.server.api.problems import ProblemError
from handrail.server.api.replay_process import ReplayError, ReplayProcess
from handrail.server.http.health import HealthEndpoint, memory_mb
from handrail.server.http.metrics import Metrics
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.supervise.runs.project_secrets import project_secrets
from handrail.supervise.runs.run_names import project_of
from handrail.supervise.runs.settings_trust import trusted_settings
from handrail.views.run_counts import RunCounts
from handrail.words.interventions import means_in_words
from handrail.words.sentence import in_words
from handrail.words.settings import value_in_words

_DAY = 86_400.0
_MAX_VALUE = 2_000


class StatisticsOperations:
    """Tells what Handrail did, how it is, and what other settings would have changed."""

    def __init__(
        self,
        supervision: SupervisionThread,
        runs: CountedRuns,
        metrics: Metrics,
        health: HealthEndpoint,
        replay: ReplayProcess,
        environ: Mapping[str, str],
        clock: Callable[[], float],
    ) -> None:
        self._supervision = supervision
        self._runs = runs
        self._metrics = metrics
        self._health = health
        self._replay = replay
        self._environ = environ
        self._clock = clock

    def handlers(self) -> Mapping[str, Handler]:
        """Return its functions."""
        return {
            "get_statistics": self.get_statistics,
            "get_metrics": self.get_metrics,
            "get_settings": self.get_settings,
            "replay": self.replay,
        }

    async def get_statistics(self, call: ApiCall) -> Statistics:
        """Return what happened in the runs of the last days, by project and host."""
        days = call.number("days")
        since = self._clock() - days * _DAY
        return await self._runs.read(since, lambda found: _statistics(days, list(found)))

    async def get_metrics(self, call: ApiCall) -> MetricsSummary:
        """Return the daemon in numbers."""
        return await self._supervision.call(self._summary)

    async def get_settings(self, call: ApiCall) -> SettingList:
        """Return the settings of a folder, without secrets."""
        folder = call.text("folder") or self._environ.get("HOME", "/")
        if not os.path.isabs(folder) or "\0" in folder:
            raise ProblemError(400, "No folder", "Name the folder of the project by its full path.")
        return await asyncio.to_thread(self._settings, folder)

    async def replay(self, call: ApiCall) -> ReplayResult:
        """Review stored runs again by other settings."""
        order = call.body(ReplayRequest)
        if order.folder and not os.path.isabs(order.folder):
            raise ProblemError(400, "No folder", "Name the folder of the project by its full path.")
        try:
            return await self._replay.run(order)
        except ReplayError as error:
            raise ProblemError(error.status, "Not possible", str(error)) from None

    def _summary(self) -> MetricsSummary:
        shares = (self._metrics.review_seconds(share) for share in (0.5, 0.99))
        half, nearly_all = (None if each is None else round(each * 1000, 3) for each in shares)
        return MetricsSummary(
            memory_mb=memory_mb(),
            uptime_seconds=round(self._health.up_seconds, 1),
            review_p50_ms=half,
            review_p99_ms=nearly_all,
            items=tuple(MetricRow(*each) for each in self._metrics.values()),
        )

    def _settings(self, folder: str) -> SettingList:
        if not os.path.isdir(folder):
            raise ProblemError(404, "No such folder", f"There is no folder {folder[:200]!r}.")
        try:
            found = trusted_settings(folder, self._environ)
        except ConfigError as error:
            says = "\n".join(map(str, error.problems))
            raise ProblemError(409, "The settings cannot be read", says) from None
        redactor = Redactor(project_secrets(folder))
        rows = (
            SettingRow(key, _shown(key, value, redactor), str(origin))
            for key, value, origin in found.written.items()
        )
        return SettingList(folder, tuple(rows), tuple(each.key for each in found.withheld))


def _shown(key: str, value: object, redactor: Redactor) -> str:
    """Return a value without secrets: in it, or by the name of the setting."""
    name = key.rpartition(".")[2]
    plain = msgspec.to_builtins(value)
    clean = redactor.value({name: plain})
    assert isinstance(clean, dict)
    return redactor.text(value_in_words(clean.get(name, plain)))[:_MAX_VALUE]


def _statistics(days: int, found: list[RunCounts]) -> Statistics:
    groups: dict[tuple[str, str], list[RunCounts]] = {}
    for each in found:
        groups.setdefault((project_of(each.cwd), each.host), []).append(each)
    by_day: dict[str, float] = {}
    for each in found:
        for day, cost in each.cost_by_day.items():
            by_day[day] = by_day.get(day, 0.0) + cost
    rows = (_row(project, host, runs) for (project, host), runs in groups.items())
    return Statistics(
        days=days,
        rows=tuple(sorted(rows, key=lambda row: (-row.actions, row.project, row.host))),
        stopped_by=_counted((each.stopped_by for each in found), in_words),
        findings_by=_counted((each.findings for each in found), in_words),
        interventions_by=_counted((each.interventions for each in found), means_in_words),
        cost_by_day=dict(sorted(by_day.items())[-days:]),
    )


def _row(project: str, host: str, runs: list[RunCounts]) -> StatisticsRow:
    return StatisticsRow(
        project=project,
        host=host,
        runs=len(runs),
        actions=sum(each.actions for each in runs),
        changed=sum(each.changed for each in runs),
        stopped=sum(each.stopped for each in runs),
        findings=sum(each.findings.total() for each in runs),
        interventions=sum(each.interventions.total() for each in runs),
        helped=sum(each.helped for each in runs),
        tokens=sum(each.tokens for each in runs),
        cost_usd=sum(each.cost_usd for each in runs),
    )


def _counted(counters: Iterable[Counter[str]], label: Callable[[str], str]) -> tuple[CountRow, ...]:
    total: Counter[str] = Counter()
    for each in counters:
        total.update(each)
    ordered = sorted(total.items(), key=lambda item: (-item[1], item[0]))
    return tuple(CountRow(name, label(name), count) for name, count in ordered)
