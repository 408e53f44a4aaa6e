"""Tests that fail are mended, not taken out."""

from handrail.config import Config
from handrail.detect import intent_of
from handrail.detect.completed_step import CompletedStep, completed_step
from handrail.detect.detectors.weakened_tests import WeakenedTestsDetector
from handrail.model.action import Action, Outcome
from handrail.model.ordinal import Severity
from handrail.review import Reviewer
from tests.detect.steps import USUAL

NONE, LOW, MEDIUM, _, _ = Severity
RED = Outcome(False, 1, error="FAILED tests/test_a.py::test_a - assert 3 == 4\n1 failed")
GREEN = Outcome(True, 0, "3 passed")
DONE = Outcome(True, 0, "done")


def step(tool: str, outcome: Outcome, **given: object) -> CompletedStep:
    action = Action(tool, given, "/w/shop", {"HOME": "/w"})
    review = Reviewer(Config(scope=("/w/shop",)), environ={"HOME": "/w"}, see_disk=False).review(
        action
    )
    return completed_step(1, 1.0, intent_of(action, review), outcome)


def suite(outcome: Outcome) -> CompletedStep:
    return step("Bash", outcome, command="pytest -q")


def edit(path: str, old: str, new: str) -> CompletedStep:
    return step("Edit", DONE, file_path=f"/w/shop/{path}", old_string=old, new_string=new)


def removal(number: int = 1) -> CompletedStep:
    return step("Bash", DONE, command=f"rm tests/test_m{number}.py")


EMPTIED = edit("tests/test_a.py", "def test_a():\n    assert x == 4\n", "")
SKIPPED = edit("tests/test_b.py", "def test_b():", "@pytest.mark.skip\ndef test_b():")
MENDED = edit("tests/test_a.py", "assert x == 4", "assert x == 5")
CODE = edit("src/cart.py", "return 3", "return 4")


def severities(*steps: CompletedStep) -> list[Severity]:
    detector, found = WeakenedTestsDetector(), []
    for each in steps:
        detector.see(each)
        finding = detector.find(USUAL)
        found.append(finding.severity if finding else NONE)
    return found


def test_tests_that_are_taken_out_one_after_the_other_are_noticed() -> None:
    red = suite(RED)
    found = severities(red, removal(), red, EMPTIED, red, SKIPPED, red, removal(2))
    assert found == [NONE, NONE, NONE, LOW, NONE, MEDIUM, NONE, MEDIUM]


def test_it_is_never_more_than_medium() -> None:
    assert max(severities(suite(RED), *[removal(number) for number in range(12)])) is MEDIUM


def test_tests_that_pass_may_be_removed() -> None:
    assert max(severities(suite(GREEN), removal(), removal(2), EMPTIED, SKIPPED)) is NONE


def test_a_test_that_is_corrected_is_not_weakened() -> None:
    assert max(severities(suite(RED), MENDED, suite(RED), MENDED, suite(RED), MENDED)) is NONE


def test_who_changes_the_code_as_well_is_at_work() -> None:
    red = suite(RED)
    assert max(severities(red, removal(), CODE, red, EMPTIED, CODE, red, SKIPPED)) is NONE


def test_a_prompt_may_ask_for_it() -> None:
    detector = WeakenedTestsDetector()
    for each in (suite(RED), removal(), removal(2)):
        detector.see(each)
    detector.prompted()
    detector.see(removal(3))
    assert detector.find(USUAL) is None


def test_the_finding_names_the_file() -> None:
    detector = WeakenedTestsDetector()
    for each in (suite(RED), removal(), SKIPPED):
        detector.see(each)
    finding = detector.find(USUAL)
    assert finding is not None
    assert "2 times" in finding.says
    assert finding.facts["path"].endswith("tests/test_b.py")


def test_one_step_that_changes_code_and_tests_is_work_on_the_code() -> None:
    red = suite(RED)
    both = step("Bash", DONE, command="sed -i s/3/4/ tests/test_a.py src/cart.py")
    assert severities(red, removal(), red, both, red, EMPTIED)[-1] is NONE
    only_tests = step("Bash", DONE, command="sed -i s/3/4/ tests/test_a.py")
    assert severities(red, removal(), red, only_tests, red, EMPTIED)[-1] is LOW
