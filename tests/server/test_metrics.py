"""The numbers of R9, as Prometheus reads them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

import handrail
from handrail.model.checkpoint import Checkpoint
from handrail.model.event import (
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
from handrail.model.finding import Finding
from handrail.model.intervention import Intervention
from handrail.model.ordinal import Severity
from handrail.server.http.metrics import HALTING_FAULTS, OTHER_FAULTS, Metrics
from tests.server.in_process_api import InProcessApi, call, message


@pytest.fixture
def office() -> Iterator[InProcessApi]:
    with InProcessApi() as office:
        yield office


def test_every_decision_is_there_before_anything_happened(office: InProcessApi) -> None:
    for decision in ("allow", "warn", "modify", "block"):
        assert office.metric(f'handrail_reviews_total{{decision="{decision}"}}') == 0


def test_decisions_are_counted(office: InProcessApi) -> None:
    warned = "curl -X POST -d @cart.json https://api.example.com/cart"
    commands = ["ls", "cat a", warned, "git push --force origin main", "rm -rf /"]
    for number, command in enumerate(commands):
        office.post(call(command, f"t{number}"))
    counted = {
        name: office.metric(f'handrail_reviews_total{{decision="{name}"}}')
        for name in ("allow", "warn", "modify", "block")
    }
    assert counted == {"allow": 2, "warn": 1, "modify": 1, "block": 1}
    assert office.metric("handrail_review_seconds_count") == 5
    assert office.metric('handrail_review_seconds_bucket{le="+Inf"}') == 5
    assert office.metric("handrail_hook_seconds_count") == 5


FOUND = Finding("loop", Severity.HIGH, 0.9)
COUNTED: dict[str, tuple[Event, str]] = {
    "finding": (FindingMade(1.0, 4, FOUND), 'findings_total{kind="loop",severity="high"}'),
    "intervention": (
        Intervened(1.0, Intervention("i1", "soft_correction", FOUND, 4)),
        'interventions_total{finding="loop",means="soft_correction"}',
    ),
    "escalation": (
        Intervened(1.0, Intervention("i2", "emergency_stop", FOUND, 4, escalation=2)),
        "escalations_total",
    ),
    "help": (
        InterventionJudged(1.0, "i1", 7, True, means="soft_correction", finding="loop"),
        'interventions_judged_total{finding="loop",means="soft_correction",result="worked"}',
    ),
    "no help": (
        InterventionJudged(1.0, "i1", 7, False, means="soft_correction", finding="loop"),
        'interventions_judged_total{finding="loop",means="soft_correction",result="failed"}',
    ),
    "checkpoint": (
        CheckpointTaken(1.0, Checkpoint("c1", "r", 1, "0a"), 3, 41.0),
        'checkpoints_total{coverage="complete"}',
    ),
    "partial checkpoint": (
        CheckpointTaken(1.0, Checkpoint("c1", "r", 1, "0a"), 3, 41.0, partial=True),
        'checkpoints_total{coverage="partial"}',
    ),
    "rollback": (RolledBack(1.0, "c1"), 'rollbacks_total{result="ok"}'),
    "failed rollback": (
        RolledBack(1.0, "c1", problem="it is gone"),
        'rollbacks_total{result="failed"}',
    ),
    "stop": (StopConfirmed(1.0, "shop-1"), 'emergency_stops_total{result="ok"}'),
    "stop that left something": (
        StopConfirmed(1.0, "shop-1", left=("7 sleep",)),
        'emergency_stops_total{result="left"}',
    ),
    "opinion": (
        ModelAsked(1.0, 4, "action", "yes"),
        'opinions_total{question="action",result="given"}',
    ),
    "no opinion": (
        ModelAsked(1.0, 4, "goal", problem="no key"),
        'opinions_total{question="goal",result="none"}',
    ),
    "tokens": (ModelAsked(1.0, 4, "action", "yes", tokens=1), "opinion_tokens_total"),
    "fault": (FaultNoted(1.0, "plugin", "it fell"), 'faults_total{kind="plugin"}'),
}


@pytest.mark.parametrize(("event", "line"), COUNTED.values(), ids=COUNTED)
def test_an_event_is_counted_where_there_was_a_nought(event: Event, line: str) -> None:
    metrics = Metrics()
    assert f"handrail_{line} 0.0\n" in metrics.text().decode()
    metrics.on_event(event)
    assert f"handrail_{line} 1.0\n" in metrics.text().decode()


def test_a_first_intervention_is_no_escalation() -> None:
    metrics = Metrics()
    metrics.on_event(Intervened(1.0, Intervention("i1", "soft_correction", FOUND, 4)))
    assert "handrail_escalations_total 0.0\n" in metrics.text().decode()


@pytest.mark.parametrize(("right", "result"), [(True, "confirmed"), (False, "false_alarm")])
def test_what_is_said_again_of_a_finding_counts_once(right: bool, result: str) -> None:
    metrics = Metrics()
    line = f'handrail_finding_feedback_total{{kind="loop",result="{result}"}}'
    assert f"{line} 0.0\n" in metrics.text().decode()
    for note in ("", "once more"):
        metrics.judged("r1", FeedbackGiven(1.0, 4, right, note, "loop"), None)
    assert f"{line} 1.0\n" in metrics.text().decode()
    metrics.judged("r2", FeedbackGiven(1.0, 4, right, finding="loop"), None)
    assert f"{line} 2.0\n" in metrics.text().decode()


def test_of_a_refusal_the_last_word_counts(office: InProcessApi) -> None:
    office.post(call("rm -rf /"))
    for right in (False, False, True):
        office.judge(1, right=right)
    assert office.metric('handrail_feedback_total{verdict="wrong"}') == 1
    assert office.metric("handrail_false_positive_rate") == 0


def test_every_kind_of_fault_in_the_code_is_known() -> None:
    sources = Path(handrail.__file__).parent.rglob("*.py")
    noted = re.compile(r"(?:(?<!class )FaultNoted\([^\"]*|metrics\.fault\()\"(\w+)\"")
    kinds = {kind for source in sources for kind in noted.findall(source.read_text())}
    assert kinds == {*HALTING_FAULTS, *OTHER_FAULTS}


def test_outcomes_and_breaches_are_counted(office: InProcessApi) -> None:
    fields = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"}
    office.post(call("ls"))
    office.post(message("PostToolUse", **fields, tool_response={"stdout": ""}))
    office.post(call("ls", "t2"))
    failed = {**fields, "tool_use_id": "t2", "error": "Exit code 1"}
    office.post(message("PostToolUseFailure", **failed))
    refused = {**fields, "tool_input": {"command": "rm -rf /"}, "tool_use_id": "t3"}
    office.post(message("PostToolUse", **refused))
    assert office.metric('handrail_actions_total{outcome="ok"}') == 1
    assert office.metric('handrail_actions_total{outcome="failed"}') == 1
    assert office.metric("handrail_breaches_total") == 1


def test_only_judged_stops_count_as_false_alarms(office: InProcessApi) -> None:
    assert office.metric("handrail_false_positive_rate") == 0
    for number, command in enumerate(["rm -rf /", "rm -rf ~", "ls"]):
        office.post(call(command, f"t{number}"))
    office.judge(1, right=True)
    office.judge(2, right=False)
    office.judge(3, right=False)  # a missed danger is no false alarm
    assert office.metric("handrail_false_positive_rate") == 0.5
    assert office.metric('handrail_feedback_total{verdict="right"}') == 1
    assert office.metric('handrail_feedback_total{verdict="wrong"}') == 2


def test_what_a_person_overruled_was_a_false_alarm(office: InProcessApi) -> None:
    office.post(message("SessionStart", source="startup"), x_handrail_attended="1")
    office.post(call("npm publish", permission_mode="default"))
    fields = {"tool_name": "Bash", "tool_input": {"command": "npm publish"}, "tool_use_id": "t1"}
    office.post(message("PostToolUse", **fields))
    assert office.metric("handrail_false_positive_rate") == 1


def test_numbers_that_others_keep_are_read_when_they_are_asked_for() -> None:
    metrics = Metrics()
    now = {"working": 1.0}
    metrics.watch("hit_rate", "Hits.", lambda: now["working"] / 2)
    metrics.watch_each("runs", "Runs.", "phase", lambda: now)
    now["working"] = 4.0
    text = metrics.text().decode()
    assert "handrail_hit_rate 2.0" in text
    assert 'handrail_runs{phase="working"} 4.0' in text


def test_all_of_it_is_in_the_format_of_prometheus(office: InProcessApi) -> None:
    answer = office.get("/metrics")
    families = list(text_string_to_metric_families(answer.body.decode()))
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert all(family.name.startswith("handrail_") and family.documentation for family in families)
