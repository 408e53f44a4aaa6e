"""Feedback, statistics, metrics, settings and replay through the API."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import time
from typing import Any
from urllib.parse import quote

import pytest

from handrail.model import event as events
from handrail.model.action import Action, Outcome
from handrail.model.finding import Finding
from handrail.model.intervention import Intervention, InterventionName
from handrail.model.ordinal import Severity
from handrail.server.api.api_routes import ApiComponent
from handrail.server.api.counted_runs import CountedRuns
from handrail.server.api.feedback import FeedbackOperations
from handrail.server.api.replay_process import ReplayProcess
from handrail.server.api.statistics import StatisticsOperations
from handrail.server.control.feedback_recorder import FeedbackRecorder
from handrail.server.http.health import HealthEndpoint
from handrail.supervise.followup.breach import EndedCall
from handrail.supervise.log.topics import topic_of
from tests.server.api.in_process_daemon import InProcessDaemon

pytestmark = pytest.mark.slow

RUN = "3f2a0000-0000-4000-8000-000000000000"
LOOP = Finding("loop", Severity.HIGH, 0.9, (1, 2), says="The same call failed.")
HINT = Intervention("i1", InterventionName.SOFT_CORRECTION, LOOP, 2)


def operations(bed: InProcessDaemon) -> ApiComponent:
    daemon = bed.daemon
    runs = CountedRuns(bed.live)
    judged = FeedbackRecorder(daemon.supervision, daemon.runs, daemon.metrics, time)
    health = HealthEndpoint(daemon.supervision, daemon.runs, daemon.store, daemon.metrics, {})
    replay = ReplayProcess(daemon.home.log, bed.place.environ, time)
    statistics = StatisticsOperations(
        daemon.supervision, runs, daemon.metrics, health, replay, bed.place.environ, time
    )
    return _Both(FeedbackOperations(judged, bed.live, runs), statistics)


class _Both:
    def __init__(self, *parts: ApiComponent) -> None:
        self._parts = parts

    def handlers(self) -> Any:
        return {name: each for part in self._parts for name, each in part.handlers().items()}


def act(bed: InProcessDaemon, command: str, call: str) -> None:
    """An action that is judged, and that runs if it may."""
    supervisor = bed.daemon.runs.get(RUN, str(bed.project))
    action = Action("Bash", {"command": command}, str(bed.project), id=call)
    verdict = supervisor.before(action)
    if not verdict.decision.stops:
        supervisor.after(EndedCall(action, Outcome(True)))


@contextmanager
def supervised() -> Iterator[InProcessDaemon]:
    """A run with three actions, of which one was stopped, and a finding."""
    with InProcessDaemon(operations) as bed:
        now = time()
        bed.record(RUN, events.RunStarted(now, "claude", str(bed.project)))
        act(bed, "ls", "t1")
        act(bed, "rm -rf /", "t2")
        act(bed, "git status", "t3")
        bed.record(
            RUN,
            events.FindingMade(now, 2, LOOP),
            events.Intervened(now, HINT),
            events.InterventionJudged(now, "i1", 3, worked=True, means="soft_correction"),
            events.UsageSampled(now, tokens=100, cost_usd=0.5),
            events.UsageSampled(now, tokens=300, cost_usd=1.25),
        )
        yield bed


@pytest.fixture
def bed() -> Iterator[InProcessDaemon]:
    with supervised() as bed:
        yield bed


@pytest.fixture(scope="module")
def shared() -> Iterator[InProcessDaemon]:
    """A run in which nothing happens any more."""
    with supervised() as bed:
        yield bed


def told(bed: InProcessDaemon) -> list[events.FeedbackGiven]:
    found = (event for _, event in bed.daemon.runs.journal.read(topic_of(RUN)))
    return [event for event in found if isinstance(event, events.FeedbackGiven)]


def test_feedback_on_a_verdict_is_counted_once_and_may_change(bed: InProcessDaemon) -> None:
    said = bed.post(f"/runs/{RUN}/feedback", step=2, right=False, note="it is mine")
    assert said["says"] == "Noted: step 2 of shop-3f2a was judged wrong."
    assert [(each.step, each.right, each.by) for each in told(bed)] == [(2, False, "ada")]
    (verdicts,) = bed.get("/feedback")["verdicts"]
    assert (verdicts["right"], verdicts["wrong"]) == (0, 1)
    bed.post("/runs/shop-3f2a/feedback", step=2, right=True)
    bed.post(f"/runs/{RUN}/feedback", step=1, right=True)  # it ran: no stop was judged
    (verdicts,) = bed.get("/feedback")["verdicts"]
    assert (verdicts["right"], verdicts["wrong"]) == (1, 0)


def test_feedback_on_a_finding_is_about_the_last_one_of_its_kind(bed: InProcessDaemon) -> None:
    bed.post(f"/runs/{RUN}/feedback", finding="loop", right=True)
    bed.post(f"/runs/{RUN}/feedback", finding="loop", step=1, right=False)
    assert [each.step for each in told(bed)] == [2, 2]
    assert bed.get("/feedback")["findings"] == [
        {"name": "loop", "label": "Loop", "right": 0, "wrong": 1}
    ]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/runs/nobody/feedback", {"step": 1, "right": True}, 404),
        (f"/runs/{RUN}/feedback", {"step": 99, "right": True}, 404),
        (f"/runs/{RUN}/feedback", {"right": True}, 404),
        (f"/runs/{RUN}/feedback", {"finding": "stall", "right": True}, 404),
        (f"/runs/{RUN}/feedback", {"finding": "loop", "step": 9, "right": True}, 404),
        (f"/runs/{RUN}/feedback", {"step": 1}, 400),
        (f"/runs/{RUN}/feedback", {"step": 1, "right": True, "note": "x" * 10_001}, 400),
    ],
)
def test_feedback_about_nothing_is_a_problem(
    shared: InProcessDaemon, path: str, body: dict[str, object], status: int
) -> None:
    assert shared.ask("POST", path, **body).status == status
    assert told(shared) == []


def test_statistics_tell_what_was_stopped_found_and_spent(bed: InProcessDaemon) -> None:
    found = bed.get("/statistics?days=7")
    (row,) = found["rows"]
    assert (row["project"], row["host"], row["runs"]) == ("shop", "claude", 1)
    assert (row["actions"], row["stopped"], row["changed"]) == (3, 1, 0)
    assert (row["findings"], row["interventions"], row["helped"]) == (1, 1, 1)
    assert (row["tokens"], row["cost_usd"]) == (300, 1.25)
    assert [(each["name"], each["count"]) for each in found["findings_by"]] == [("loop", 1)]
    assert [each["name"] for each in found["interventions_by"]] == ["soft_correction"]
    assert sum(each["count"] for each in found["stopped_by"]) == 1
    assert list(found["cost_by_day"].values()) == [1.25]
    act(bed, "ls -l", "t4")
    assert bed.get("/statistics?days=7")["rows"][0]["actions"] == 4


def test_days_must_be_a_number(shared: InProcessDaemon) -> None:
    assert shared.ask("GET", "/statistics?days=x").status == 400


def test_metrics_are_told_as_numbers(shared: InProcessDaemon) -> None:
    found = shared.get("/metrics")
    assert found["memory_mb"] > 1
    assert 0 < found["review_p50_ms"] <= found["review_p99_ms"]
    reviews = {
        each["labels"]["decision"]: each["value"]
        for each in found["items"]
        if each["name"] == "handrail_reviews_total"
    }
    assert reviews == {"allow": 2.0, "block": 1.0}


def test_settings_come_with_their_origin_and_without_secrets(bed: InProcessDaemon) -> None:
    key = "sk-ant-api03-" + "a1B2c3D4e5" * 9
    (bed.project / "handrail.yaml").write_text(
        f"goal: deploy with {key} and hunter2-hunter2-hunter2\n"
        "scope: ['src/**']\nstep_reviewer: {enabled: false}\n"
    )
    (bed.project / ".env").write_text("API_KEY=hunter2-hunter2-hunter2\n")
    found = bed.get(f"/config?folder={quote(str(bed.project))}")
    rows = {each["key"]: each for each in found["items"]}
    assert "handrail.yaml" in rows["scope"]["source"]
    assert rows["on_fault"]["source"] == "default"
    assert key not in str(found)
    assert "hunter2-hunter2-hunter2" not in str(found)
    assert found["withheld"]


def test_settings_that_cannot_be_read_are_a_problem(bed: InProcessDaemon) -> None:
    (bed.project / "handrail.yaml").write_text("scoop: x\n")
    answer = bed.ask("GET", f"/config?folder={quote(str(bed.project))}")
    assert (answer.status, "scoop" in answer.json["detail"]) == (409, True)
    assert bed.ask("GET", "/config?folder=/nowhere/at/all").status == 404
    assert bed.ask("GET", "/config?folder=shop").status == 400
    assert bed.get("/config")["folder"] == str(bed.place.root / "home")


def test_a_replay_tells_what_other_settings_would_have_changed(bed: InProcessDaemon) -> None:
    rule = (
        "step_reviewer: {rules: {custom: [{name: no-status, commands: ['git status'], "
        "decision: block, says: Not here, instead: git diff}]}}\n"
    )
    found = bed.post("/replay", settings=rule)
    assert (found["runs"], found["actions"], found["cut"]) == (1, 3, False)
    (changed,) = found["differences"]
    assert (changed["run"], changed["run_name"], changed["step"]) == (RUN, "shop-3f2a", 3)
    assert (changed["before"], changed["after"]) == ("allow", "block")
    assert "Not here" in changed["why"]
    assert bed.post("/replay", settings="")["differences"] == []
    elsewhere = bed.post("/replay", settings=rule, folder="/tmp/elsewhere")
    assert (elsewhere["runs"], elsewhere["differences"]) == (0, [])


def test_wrong_settings_are_not_replayed(shared: InProcessDaemon) -> None:
    answer = shared.ask("POST", "/replay", settings="scoop: 1\n")
    assert (answer.status, "scoop" in answer.json["detail"]) == (400, True)
    assert "tmp/handrail" not in answer.json["detail"]
    assert shared.ask("POST", "/replay", settings="", folder="shop").status == 400
