"""A run in trouble is corrected in time, in other words each time, and with a true result."""

from pathlib import Path

import pytest

from handrail.model.event import FindingMade, InterventionJudged
from handrail.model.intervention import InterventionName
from handrail.model.ordinal import Severity
from tests.supervise.simulated_run import SimulatedRun

UNITTEST = (
    "Exit code 2\nFAIL: test_total (test_cart.TestTotal)\nAssertionError: 3 != 4\n\n"
    "======================\nRan 2 tests in 0.001s\n\nFAILED (failures=2)\n"
    "make: *** [Makefile:9: test] Error 1"
)


def worked(day: SimulatedRun) -> list[bool]:
    return [each.worked for each in day.bed.events() if isinstance(each, InterventionJudged)]


def names(day: SimulatedRun) -> set[str]:
    return {each.finding.name for each in day.bed.events() if isinstance(each, FindingMade)}


# In time


def test_fourteen_fast_failures_get_more_than_one_hint(tmp_path: Path) -> None:
    day = SimulatedRun(tmp_path, gap=1.0)
    for _ in range(14):
        day.bash("make test", error=UNITTEST)
    assert len(day.made) >= 3
    assert [each.step for each in day.made][:2] == [2, 7]


def test_a_hint_quotes_the_error_itself(tmp_path: Path) -> None:
    day = SimulatedRun(tmp_path)
    for _ in range(2):
        day.bash("make test", error=UNITTEST)
    assert "`AssertionError: 3 != 4`" in day.made[0].guidance
    assert "***" not in day.made[0].guidance


# With a true result


def test_a_hint_that_was_not_put_to_the_test_has_not_helped(tmp_path: Path) -> None:
    day = SimulatedRun(tmp_path)
    for _ in range(2):
        day.bash("make test", error=UNITTEST)
    for number in range(9):
        day.do("Read", {"file_path": str(day.bed.path / f"m{number}.py")}, f"x = {number}")
    assert worked(day) == []


def test_a_hint_has_helped_when_the_same_works_again(tmp_path: Path) -> None:
    day = SimulatedRun(tmp_path)
    for _ in range(2):
        day.bash("make test", error=UNITTEST)
    for number in range(4):
        day.edit("cart.py", number)
    assert worked(day) == []
    day.bash("make test", "OK")
    assert worked(day) == [True]


def test_a_failure_of_the_same_sort_is_no_success(tmp_path: Path) -> None:
    day = SimulatedRun(tmp_path)
    for _ in range(2):
        day.bash("make test", error=UNITTEST)
    for number in range(5):
        day.edit("cart.py", number)
        day.bash("make test", error=UNITTEST)
    assert True not in worked(day)


# Another project


def other_file(day: SimulatedRun, number: int) -> dict[str, object]:
    return {
        "file_path": str(day.bed.elsewhere / f"src/part{number}.py"),
        "content": f"x = {number}",
    }


def test_work_in_another_project_is_one_trouble_that_escalates(tmp_path: Path) -> None:
    day = SimulatedRun(tmp_path, gap=40.0)
    day.do("Read", {"file_path": str(day.bed.path / "notes/plan.md")}, "the plan")
    for number in range(16):
        day.do("Write", other_file(day, number), "File created.")
    assert names(day) == {f"scope_creep:{day.bed.elsewhere}"}
    assert True not in worked(day)
    assert day.put_back == []
    assert day.means[-1] == InterventionName.EMERGENCY_STOP
    texts = [each.guidance for each in day.made]
    assert len(set(texts)) == len(texts)


def test_reading_another_project_stops_no_run(tmp_path: Path) -> None:
    day = SimulatedRun(tmp_path, gap=40.0)
    for number in range(40):
        given: dict[str, object] = {"file_path": str(day.bed.elsewhere / f"src/part{number}.py")}
        day.do("Read", given, f"x = {number}")
    found = [each.finding for each in day.bed.events() if isinstance(each, FindingMade)]
    assert max(each.severity for each in found) is Severity.MEDIUM
    assert InterventionName.EMERGENCY_STOP not in day.means


def test_who_goes_back_to_the_own_project_has_heeded_the_reminder(tmp_path: Path) -> None:
    day = SimulatedRun(tmp_path, gap=40.0)
    day.do("Write", other_file(day, 1), "File created.")
    for _ in range(4):
        day.bash("true")
    assert worked(day) == []
    day.edit("cart.py", 1)
    assert worked(day) == [True]


@pytest.mark.parametrize("gap", [1.0, 40.0])
def test_no_text_is_sent_twice(tmp_path: Path, gap: float) -> None:
    day = SimulatedRun(tmp_path, gap=gap)
    for number in range(60):
        day.bash("make test", error=UNITTEST)
        day.do("Write", other_file(day, number), "File created.")
    texts = [each.guidance for each in day.made]
    assert len(set(texts)) == len(texts)
