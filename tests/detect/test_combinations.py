"""Two troubles at the same time."""

import pytest

from handrail.config.detection import Detection
from handrail.detect import RunDetectors
from handrail.detect.combinations import combine
from handrail.detect.registry import COMBINATIONS
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity
from tests.detect.steps import did


def finding(kind: str, severity: Severity = Severity.LOW, confidence: float = 0.4) -> Finding:
    return Finding(kind, severity, confidence, (1, 3), 0.2, f"{kind}!", kind)


@pytest.mark.parametrize(
    ("kind", "one", "other", "factor"),
    [
        ("error_exploration_loop", "repetitive_errors", "exploration_wandering", 1.5),
        ("runaway_execution", "resource_spiral", "goal_drift", 2.0),
        ("confused_state", "hallucination", "scope_creep", 1.8),
    ],
)
def test_two_that_belong_together_are_amplified(
    kind: str, one: str, other: str, factor: float
) -> None:
    (combined,) = combine(COMBINATIONS, [finding(one), finding(other)], [])
    assert combined.kind == kind
    assert combined.confidence == pytest.approx(0.4 * factor)
    assert combined.impact == pytest.approx(0.2 * factor)
    assert combined.severity is Severity.LOW


def test_confidence_and_impact_do_not_exceed_1_and_what_crosses_is_worse() -> None:
    one = finding("resource_spiral", Severity.MEDIUM, 0.9)
    (combined,) = combine(COMBINATIONS, [one, finding("goal_drift")], [])
    assert combined.confidence == 1
    assert combined.severity is Severity.HIGH


def test_nothing_is_worse_than_critical() -> None:
    one = finding("resource_spiral", Severity.CRITICAL, 1.0)
    (combined,) = combine(COMBINATIONS, [one, finding("goal_drift")], [])
    assert combined.severity is Severity.CRITICAL


def test_the_worse_of_the_two_counts_by_rank() -> None:
    one = finding("hallucination", Severity.MEDIUM, 0.1)
    other = finding("scope_creep", Severity.HIGH, 0.1)
    (combined,) = combine(COMBINATIONS, [one, other], [])
    assert combined.severity is Severity.HIGH


def test_one_of_them_may_have_been_shortly_before() -> None:
    assert combine(COMBINATIONS, [finding("hallucination")], [finding("scope_creep")])
    assert combine(COMBINATIONS, [], [finding("hallucination"), finding("scope_creep")]) == []


def test_evidence_and_sentences_are_joined() -> None:
    other = Finding("scope_creep", Severity.LOW, 0.4, (2, 3), says="Elsewhere.", symptom="/etc")
    (combined,) = combine(COMBINATIONS, [finding("hallucination"), other], [])
    assert combined.evidence == (1, 2, 3)
    assert combined.says.endswith("hallucination! Elsewhere.")
    assert combined.name == "confused_state:hallucination, /etc"


def test_others_do_not_combine() -> None:
    kinds = {kind for each in COMBINATIONS for kind in each.parts}
    assert combine(COMBINATIONS, [finding("resource_spiral"), finding("scope_creep")], []) == []
    assert len(kinds) == 6


def test_a_confused_run_is_found_by_the_watch() -> None:
    watch = RunDetectors()
    watch.see(did(1, reads=("/etc/passwd",), outside=("/etc/passwd",)))
    for step in (2, 3):
        path = f"/p/{step}.py"
        missing = did(step, tool="Read", reads=(path,), ok=False, says="File does not exist.")
        watch.see(missing)
    kinds = [each.kind for each in watch.findings(Detection())]
    assert kinds == ["confused_state", "hallucination"]
    without = Detection(disabled=("scope_creep",))
    assert [each.kind for each in watch.findings(without)] == ["hallucination"]
    alone = Detection(disabled=("confused_state",))
    assert [each.kind for each in watch.findings(alone)] == ["hallucination"]


def test_errors_while_wandering_are_found_by_the_watch() -> None:
    watch = RunDetectors()
    for step in range(30):
        folder = f"/p/{'a/b/c/d/e/' if step % 2 else ''}{step * 5 % 13}"
        watch.see(did(step, tool="Read", reads=(f"{folder}/f.py",)))
    for step in (30, 31, 32):
        watch.see(did(step, shown="make", ok=False, says="linker: cannot link libshop"))
    assert "error_exploration_loop" in [each.kind for each in watch.findings(Detection())]


def test_only_a_confidence_beyond_1_makes_it_worse() -> None:
    (combined,) = combine(
        COMBINATIONS, [finding("resource_spiral", confidence=0.5), finding("goal_drift")], []
    )
    assert (combined.confidence, combined.severity) == (1.0, Severity.LOW)


def test_the_larger_impact_counts_and_does_not_exceed_1() -> None:
    small = Finding("hallucination", Severity.LOW, 0.1234, (1,), 0.1, "one!", "one")
    large = Finding("scope_creep", Severity.LOW, 0.1, (2,), 0.3333, "other!", "other")
    (combined,) = combine(COMBINATIONS, [small, large], [])
    assert (combined.confidence, combined.impact) == (0.22, 0.6)
    whole = Finding("scope_creep", Severity.LOW, 0.1, (2,), 0.9, "other!", "other")
    (combined,) = combine(COMBINATIONS, [small, whole], [])
    assert combined.impact == 1.0
