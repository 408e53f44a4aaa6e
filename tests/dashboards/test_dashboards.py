"""The dashboard and the alerts ask for numbers that there are, in queries that Prometheus reads."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from handrail.server.http.metrics import Metrics
from tests.checkers import checker

FOLDER = Path(__file__).parents[2] / "dashboards"
ALERTS = FOLDER / "alerts.yml"
DASHBOARD = json.loads((FOLDER / "handrail.json").read_text())
WATCHED_BY_THE_DAEMON = {"handrail_runs", "handrail_cache_hit_rate"}
_NAME = re.compile(r"\bhandrail_[a-z_]+")


def check(*arguments: str, given: str = "") -> str:
    done = subprocess.run(
        [checker("promtool"), *arguments], input=given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def known_names() -> set[str]:
    """Everything that the daemon gives out."""
    text = Metrics().text().decode()
    types = re.findall(r"^# TYPE (\S+) (\S+)", text, re.MULTILINE)
    names = {name for name, _ in types} | WATCHED_BY_THE_DAEMON
    return names | {f"{name}_bucket" for name, kind in types if kind == "histogram"}


def expressions() -> Iterator[str]:
    for panel in DASHBOARD["panels"]:
        yield from (target["expr"] for target in panel["targets"])
    yield from (each["expr"] for each in DASHBOARD["annotations"]["list"])
    for group in yaml.safe_load(ALERTS.read_text())["groups"]:
        yield from (rule["expr"] for rule in group["rules"])


@pytest.mark.parametrize("expression", list(expressions()))
def test_every_number_that_is_asked_for_exists(expression: str) -> None:
    assert set(_NAME.findall(expression)) <= known_names()


def test_promtool_accepts_the_alerts() -> None:
    check("check", "rules", str(ALERTS))


def test_promtool_reads_every_query_of_the_dashboard(tmp_path: Path) -> None:
    rules = [
        {"record": f"panel:{number}", "expr": _filled(expression)}
        for number, expression in enumerate(expressions())
    ]
    file = tmp_path / "rules.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
    check("check", "rules", str(file))


def test_promtool_has_nothing_against_the_numbers_themselves() -> None:
    check("check", "metrics", given=Metrics().text().decode())


def test_panels_do_not_lie_on_each_other() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {
            (place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])
        }
        assert not cells & taken, panel["title"]
        taken |= cells


def test_every_panel_says_what_it_shows() -> None:
    assert all(panel["title"] and panel["description"] for panel in DASHBOARD["panels"])


def _filled(expression: str) -> str:
    return expression.replace("$__rate_interval", "5m").replace("$__range", "6h")
