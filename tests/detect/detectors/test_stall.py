"""Nothing new for many steps; or an error that stays, whatever is done about it."""

import msgspec
import pytest

from handrail.detect.completed_step import CompletedStep
from handrail.detect.detectors.stall import StallDetector
from handrail.model.effect import Kind
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity
from tests.detect.detected_run import DetectedRun, the, worst
from tests.detect.steps import did, found

NONE, LOW, MEDIUM, HIGH, CRITICAL = Severity
ERROR = "E   assert 1 == 2\n1 failed"


def _reread(run: DetectedRun, files: int) -> list[Finding]:
    for number in range(files):
        run.does(f"cat {number}.py", f"text number {number}")
    return run.found


def test_reading_again_what_is_known_becomes_a_standstill() -> None:
    run = DetectedRun()
    _reread(run, 20)
    found = [
        worst("stall", run.does(f"cat {number}.py", f"text number {number}"))
        for number in range(20)
    ]
    assert [found.index(each) + 1 for each in (LOW, MEDIUM, HIGH, CRITICAL)] == [6, 9, 14, 20]


def test_reading_what_is_not_known_is_no_standstill() -> None:
    run = DetectedRun()
    assert not any(run.does(f"cat {number}.py", f"text number {number}") for number in range(30))


def test_one_change_ends_a_standstill() -> None:
    run = DetectedRun()
    _reread(run, 8)
    _reread(run, 7)
    run.does("edit", "edited", changed=("a.py",))
    assert worst("stall", _reread(run, 1)) is NONE


def test_a_standstill_is_told_with_its_length_and_its_steps() -> None:
    run = DetectedRun()
    _reread(run, 6)
    stall = the("stall", _reread(run, 6))
    assert stall.says == "Nothing was changed and nothing new was learned in the last 6 steps."
    assert stall.evidence == (7, 8, 9, 10, 11, 12)
    assert stall.confidence == 6 / 14


def test_waiting_is_no_standstill() -> None:
    run = DetectedRun()
    found = [worst("stall", run.does("sleep 9; ps", "busy", waits=True)) for _ in range(30)]
    assert set(found) == {NONE}


def _fix(run: DetectedRun, attempt: int, error: str = ERROR) -> list[Finding]:
    run.does(f"edit {attempt}", f"edited {attempt}", changed=("a.py",))
    return run.fails("pytest", error)


def test_an_error_that_survives_every_change_is_a_stall_but_no_reason_to_stop() -> None:
    run = DetectedRun()
    found = [worst("stall", _fix(run, attempt)) for attempt in range(30)]
    assert [found.index(each) + 1 for each in (LOW, MEDIUM)] == [5, 7]
    assert max(found) is MEDIUM


def test_an_error_that_came_with_the_changes_gets_worse() -> None:
    run = DetectedRun()
    run.does("pytest", "20 passed in 0.1s")
    found = [worst("stall", _fix(run, attempt)) for attempt in range(15)]
    assert [found.index(each) + 1 for each in (LOW, MEDIUM, HIGH, CRITICAL)] == [5, 7, 10, 15]


def test_an_error_with_no_change_between_gets_worse() -> None:
    run = DetectedRun()
    found = [worst("stall", run.fails("pytest", ERROR)) for _ in range(15)]
    assert found[9] is HIGH
    assert found[14] is CRITICAL


def test_an_error_that_moves_with_every_change_is_progress() -> None:
    run = DetectedRun()
    found = [
        worst("stall", _fix(run, number, f"cart.py:{number + 3}:1: W291 trailing whitespace"))
        for number in range(20)
    ]
    assert set(found) == {NONE}


def test_an_error_that_moves_to_and_fro_is_a_stall() -> None:
    run = DetectedRun()
    for number in range(12):
        _fix(run, number, f"cart.py:{number % 3 + 3}: E999 invalid syntax")
    assert worst("stall", run.found) is MEDIUM


def test_an_error_that_moves_without_a_change_is_a_stall() -> None:
    run = DetectedRun()
    for number in range(7):
        run.fails("pytest", f"cart.py:{number + 3}: E999 invalid syntax")
    assert worst("stall", run.found) is MEDIUM


@pytest.mark.parametrize("between", [False, True])
def test_what_only_time_can_mend_is_no_stall(between: bool) -> None:
    run = DetectedRun()
    for number in range(16):
        run.fails("make fetch", "curl: (22) The requested URL returned error: 503")
        if between:
            run.does(f"edit {number}", f"edited {number}", changed=("a.py",))
        assert worst("stall", run.found) is NONE


def test_an_error_that_stays_is_told_with_the_error() -> None:
    run = DetectedRun()
    for attempt in range(5):
        _fix(run, attempt)
    assert the("stall", run.found).says == (
        "The same error is still there after 5 attempts, whatever was done in between: "
        "E   assert 1 == 2"
    )
    assert the("stall", run.found).evidence == (2, 4, 6, 8, 10)


def test_errors_that_change_are_no_stall() -> None:
    run = DetectedRun()
    found = [
        worst("stall", _fix(run, number, f"E   assert {number} == 20\n{20 - number} failed"))
        for number in range(20)
    ]
    assert set(found) == {NONE}


def test_a_test_that_passes_after_every_change_is_no_stall() -> None:
    run = DetectedRun()
    for number in range(20):
        run.does(f"edit {number}", f"edited {number}", changed=("a.py",))
        assert not run.does("pytest", "20 passed in 0.1s")


def test_a_success_in_between_starts_the_count_again() -> None:
    run = DetectedRun()
    for attempt in range(4):
        _fix(run, attempt)
    run.does("edit", "edited", changed=("a.py",))
    run.does("pytest", "20 passed")
    assert worst("stall", _fix(run, 9)) is NONE


def test_a_person_brings_news() -> None:
    run = DetectedRun()
    for attempt in range(7):
        _fix(run, attempt)
    run.watch.prompted()
    assert worst("stall", _fix(run, 9)) is NONE


def test_the_worse_of_two_stalls_is_told() -> None:
    """Severities have an order of their own: by their names, medium would be above critical."""
    run = DetectedRun()
    run.does("pytest", "20 passed in 0.1s")
    for attempt in range(15):
        _fix(run, attempt)
    _reread(run, 8)
    _reread(run, 8)
    stall = the("stall", run.fails("pytest", ERROR))
    assert stall.severity is CRITICAL
    assert stall.says.startswith("The same error is still there after 16 attempts")


def test_programs_that_work_again_are_no_standstill_but_failing_ones_are() -> None:
    again, failing = DetectedRun(), DetectedRun()
    for _ in range(12):
        again.does("python bench.py", "price: 7", kinds=(Kind.RUN,))
        failing.does("python bench.py", "no", ok=False, code=1, kinds=(Kind.RUN,))
    assert worst("stall", again.found) is Severity.NONE
    assert worst("stall", failing.found) >= Severity.MEDIUM


# The edges


def _failed(step: int, call: str = "make", says: str = "E   assert 1 == 2") -> CompletedStep:
    return msgspec.structs.replace(did(step, shown=call, says=says, ok=False), progress=False)


def _looked(step: int) -> CompletedStep:
    return msgspec.structs.replace(did(step, shown=f"cat {step}"), progress=False)


def test_a_prompt_counts_idle_steps_from_nothing() -> None:
    detector = StallDetector()
    found(detector, [_looked(step) for step in range(5)])
    detector.prompted()
    answers = found(detector, [_looked(step) for step in range(5, 11)])
    assert [each is not None for each in answers] == [False] * 5 + [True]


def test_the_evidence_is_the_last_ten_steps() -> None:
    last = found(StallDetector(), [_looked(step) for step in range(14)])[-1]
    assert last is not None
    assert last.evidence == tuple(range(4, 14))
    kept = found(StallDetector(), [_failed(step) for step in range(14)])[-1]
    assert kept is not None
    assert len(kept.evidence) == 10


@pytest.mark.parametrize(
    ("place", "times"), [("a.py:3", 11), ("a.py:7", 10)], ids=["same place", "another place"]
)
def test_an_error_is_worse_only_after_ten_failures_without_an_edit(place: str, times: int) -> None:
    """Whoever edits may be near the end of a long piece of work."""
    detector = StallDetector()
    edit = did(1, tool="Edit", writes=("/w/a.py",))
    found(detector, [_failed(0, says="a.py:3: E1 wrong"), edit])
    severities = []
    for step in range(2, 12):
        (finding,) = found(detector, [_failed(step, says=f"{place}: E1 wrong")])
        severities.append(finding.severity if finding else NONE)
    assert severities[-2:] == [MEDIUM, HIGH]
    (failing,) = detector.failing.values()
    assert (failing.times, failing.unchanged) == (times, 10)


@pytest.mark.parametrize(("others", "is_known"), [(15, True), (16, False)])
def test_sixteen_failing_calls_are_remembered(others: int, is_known: bool) -> None:
    detector = StallDetector()
    found(detector, [_failed(0, "first")])
    found(detector, [_failed(step + 1, f"other {step}") for step in range(others)])
    detector.see(_failed(99, "first"))
    assert detector.failing[did(0, shown="first").intent.call].times == (2 if is_known else 1)
