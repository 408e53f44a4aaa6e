"""Which alerts fire after what happened, asked of Prometheus' own tester."""

from pathlib import Path

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from handrail.model.event import BreachFound, Event, FaultNoted, InterventionJudged, StopConfirmed
from handrail.server.http.metrics import HALTING_FAULTS, OTHER_FAULTS, Metrics
from tests.dashboards.test_dashboards import ALERTS, check

STOPPED = StopConfirmed(1.0, "shop-1")
LEFT = StopConfirmed(1.0, "shop-1", left=("7 sleep",))
IN_VAIN = InterventionJudged(1.0, "i1", 4, worked=False, means="soft_correction", finding="loop")
HELPED = InterventionJudged(1.0, "i1", 4, worked=True, means="soft_correction", finding="loop")

AFTER: dict[str, tuple[tuple[Event, ...], set[str]]] = {
    "nothing": ((), set()),
    "the first stop": ((STOPPED,), {"HandrailEmergencyStop"}),
    "the first stop that left something": (
        (LEFT,),
        {"HandrailEmergencyStop", "HandrailProcessLeft"},
    ),
    "the first breach": ((BreachFound(1.0, "it ran"),), {"HandrailBreach"}),
    "interventions of which none helped": ((IN_VAIN,) * 20, {"HandrailInterventionsDoNotHelp"}),
    "interventions of which most helped": ((IN_VAIN, HELPED, HELPED) * 7, set()),
    **{
        f"the first fault: {kind}": ((FaultNoted(1.0, kind, ""),), {"HandrailFault"})
        for kind in HALTING_FAULTS
    },
    **{
        f"the first fault: {kind}": ((FaultNoted(1.0, kind, ""),), {"HandrailPartFails"})
        for kind in OTHER_FAULTS
    },
}


UP = "handrail_reviews_total{decision='allow'}"
SLOW = "handrail_hook_seconds_bucket{le='%s'}"
FOUND = "handrail_findings_total{kind='loop', severity='%s'}"

LASTING: dict[str, tuple[dict[str, str], set[str]]] = {
    "no numbers at all": ({}, {"HandrailDown"}),
    "one found every six seconds": ({FOUND % "medium": "0+10x90"}, {"HandrailManyFindings"}),
    "the same, but none of it bad": ({FOUND % "low": "0+10x90"}, set()),
    "refusals that people call wrong": (
        {"handrail_false_positive_rate": "0.3x90"},
        {"HandrailFalseAlarms"},
    ),
    "answers that take long": (
        {SLOW % "0.1": "0+9x90", SLOW % "0.5": "0+10x90", SLOW % "+Inf": "0+10x90"},
        {"HandrailSlow"},
    ),
    "answers that are quick": ({SLOW % "0.1": "0+9x90", SLOW % "+Inf": "0+9x90"}, set()),
}


@pytest.mark.parametrize(("events", "expected"), AFTER.values(), ids=AFTER)
def test_alerts_after(events: tuple[Event, ...], expected: set[str], tmp_path: Path) -> None:
    """It happens five minutes after the daemon's start; a minute later somebody looks."""
    metrics = Metrics()
    before = samples(metrics)
    for event in events:
        metrics.on_event(event)
    series = {
        name: f"{before.get(name, '_')}x4 {value}x5" for name, value in samples(metrics).items()
    }
    fire(expected, series, "6m", tmp_path)


@pytest.mark.parametrize(("series", "expected"), LASTING.values(), ids=LASTING)
def test_alerts_during(series: dict[str, str], expected: set[str], tmp_path: Path) -> None:
    """It goes on for more than an hour."""
    up = {UP: "1x90"} if series else {}
    fire(expected, {**up, **series}, "80m", tmp_path)


def test_every_alert_is_made_to_fire() -> None:
    groups = yaml.safe_load(ALERTS.read_text())["groups"]
    alerts = {rule["alert"] for group in groups for rule in group["rules"]}
    fired = [expected for _, expected in (*AFTER.values(), *LASTING.values())]
    assert alerts == set().union(*fired)


def fire(expected: set[str], series: dict[str, str], at: str, folder: Path) -> None:
    """These alerts, and no others, fire at a time."""
    seen = {
        "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
        "eval_time": at,
        "exp_samples": [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in expected],
    }
    given = [{"series": name, "values": values} for name, values in series.items()]
    test = {"interval": "1m", "input_series": given, "promql_expr_test": [seen]}
    file = folder / "test.yml"
    file.write_text(yaml.safe_dump({"rule_files": [str(ALERTS)], "tests": [test]}))
    check("test", "rules", str(file))


def samples(metrics: Metrics) -> dict[str, float]:
    """Every series and its value, named as in the language of Prometheus."""
    return {
        sample.name + _labels(sample.labels): sample.value
        for family in text_string_to_metric_families(metrics.text().decode())
        for sample in family.samples
    }


def _labels(labels: dict[str, str]) -> str:
    return "{" + ", ".join(f'{name}="{text}"' for name, text in labels.items()) + "}"
