"""Runs that are fine, or only a little lost, are not stopped, and no work is destroyed."""

from pathlib import Path

import pytest

from handrail.model.event import (
    ActionReviewed,
    FindingMade,
    Intervened,
    InterventionJudged,
    RolledBack,
)
from handrail.model.finding import Finding
from handrail.model.intervention import Allowance, Intervention, Means
from handrail.model.ordinal import Decision, Severity
from tests.supervise.day import GRAVE, Day

LOOP = Finding("loop", Severity.HIGH, 0.9, (1, 2), says="The same call failed twice: make")
FAILED = "FAILED tests/test_cart.py::test_total - AssertionError: assert 3 == 4\n1 failed in 0.1s"


@pytest.fixture
def day(tmp_path: Path) -> Day:
    return Day(tmp_path)


def throttle(day: Day, **allowance: int) -> None:
    done = Intervention("i9", Means.RESOURCE_THROTTLING, LOOP, 0, allowance=Allowance(**allowance))
    day.record(Intervened(day.bed.clock(), done))


def go_back(day: Day) -> None:
    done = Intervention("i1", Means.CHECKPOINT_ROLLBACK, LOOP, 0, checkpoint="c0")
    day.record(Intervened(day.bed.clock(), done))


def found(day: Day) -> list[str]:
    return [each.finding.kind for each in day.bed.events() if isinstance(each, FindingMade)]


# What is refused only for now


def test_who_waits_for_a_rollback_as_told_does_not_repeat_what_was_refused(day: Day) -> None:
    go_back(day)
    for _ in range(6):
        assert day.bash("make dist").decision is Decision.BLOCK
    assert found(day) == []
    day.record(RolledBack(day.bed.clock(), "c0", "i1"))
    assert day.bash("make dist").decision is Decision.ALLOW


def test_who_goes_slower_as_told_does_not_repeat_what_was_refused(day: Day) -> None:
    throttle(day, calls_per_minute=1)
    for _ in range(12):
        day.bash("make dist", "built")
    refused = [
        each
        for each in day.bed.events()
        if isinstance(each, ActionReviewed) and each.verdict.decision is Decision.BLOCK
    ]
    assert refused
    assert "repeated_refusals" not in found(day)


def test_what_is_refused_for_now_does_not_judge_an_intervention(day: Day) -> None:
    for _ in range(2):
        day.bash("make", error="make: *** no rule")
    assert day.means == [Means.SOFT_CORRECTION]
    throttle(day, calls_per_minute=1)
    for _ in range(4):
        day.gap = 1.0
        day.bash("make dist")
        day.bash("make dist")
    assert not [each for each in day.bed.events() if isinstance(each, InterventionJudged)]
