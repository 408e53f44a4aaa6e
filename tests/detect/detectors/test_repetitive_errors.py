"""The same error again and again."""

import pytest

from handrail.detect.error_line import error_line
from handrail.model.action import Outcome
from handrail.model.ordinal import Severity
from tests.detect.detected_run import DetectedRun, the, worst

NONE, LOW, MEDIUM, HIGH, CRITICAL = Severity
KIND = "repetitive_errors"


# --- counting ----------------------------------------------------------------------------------


def test_three_equal_errors_are_medium_four_high_and_five_critical() -> None:
    run = DetectedRun()
    found = [worst(KIND, run.fails("cat a", "cat: a: No such file or directory")) for _ in range(6)]
    assert found == [NONE, NONE, MEDIUM, HIGH, CRITICAL, CRITICAL]


def test_confidence_grows_up_to_five() -> None:
    run = DetectedRun()
    found = [run.fails("cat a", "cat: a: No such file or directory") for _ in range(7)]
    assert [the(KIND, each).confidence for each in found[2:]] == [0.6, 0.8, 1.0, 1.0, 1.0]


def test_equal_errors_of_different_calls_count() -> None:
    run = DetectedRun()
    for flag in ("-q", "-v", "-x"):
        run.fails(f"pytest {flag}", f"{flag}\nModuleNotFoundError: No module named 'shop'")
    assert worst(KIND, run.found) is MEDIUM


@pytest.mark.parametrize(
    "text",
    [
        "Using --randomly-seed={0}\nE   AssertionError: cart is empty",
        "API error: overloaded (request id: req_{0}abc)",
        "Error: bad handshake from 172.17.0.{1}:{0}",
        "RuntimeError: port {0} is taken",
        "Segmentation fault at 0x7f3c2a{0} (core dumped)",
        "Error: worker gave up, took {1} steps, elapsed: {1}.25",
    ],
)
def test_random_and_measured_values_make_no_other_error(text: str) -> None:
    run = DetectedRun()
    for attempt in range(10):  # of a failure from outside, as many as the window holds
        run.fails("make check", text.format(41_234 + attempt * 777, attempt + 2))
    assert worst(KIND, run.found) >= LOW
    assert the(KIND, run.found).facts["error"]


def test_the_same_call_with_another_result_counts_anew() -> None:
    run = DetectedRun()
    for failed in (9, 5, 3, 1):
        found = run.fails("pytest", f"FAILED test_a.py::test_sum - assert 2 == 3\n{failed} failed")
        assert not found


def test_three_different_errors_are_none() -> None:
    run = DetectedRun()
    assert not any(run.fails("make", f"{name}: No such file or directory") for name in "xyz")


def test_an_error_that_comes_back_after_a_change_is_part_of_working_on_it() -> None:
    run = DetectedRun()
    for attempt in range(4):
        run.does(f"edit {attempt}", f"edited {attempt}", changed=("a.py",))
        assert not run.fails("pytest", "E   assert 1 == 2\n1 failed")


def test_an_error_that_comes_back_after_something_new_does_not_count() -> None:
    run = DetectedRun()
    for number in range(4):
        run.does(f"cat {number}", f"text number {number}")
        assert not run.fails("cat a", "cat: a: No such file or directory")


def test_two_errors_in_turn_both_count() -> None:
    run = DetectedRun()
    for _ in range(4):
        run.fails("cat a", "cat: a: No such file or directory")
        run.fails("cat b", "cat: b: No such file or directory")
    assert worst(KIND, run.found) is HIGH


def test_errors_more_than_ten_deeds_ago_do_not_count() -> None:
    run = DetectedRun()
    for number in range(9):
        run.does(f"cat {number}", f"text number {number}")
    run.fails("make", "make: no rule")
    run.fails("make", "make: no rule")
    for number in range(9):
        run.does(f"cat {number}", f"text number {number}")
    assert worst(KIND, run.fails("make", "make: no rule")) is NONE


def test_a_success_shows_no_error() -> None:
    run = DetectedRun()
    for _ in range(5):
        run.fails("make", "make: no rule")
    assert worst(KIND, run.does("ls", "a.py")) is NONE


def test_a_call_that_does_not_fit_its_tool_counts_two_later() -> None:
    run = DetectedRun()
    found = [worst(KIND, run.misfits("edit a.py")) for _ in range(7)]
    assert found == [NONE, NONE, NONE, NONE, MEDIUM, HIGH, CRITICAL]


def test_searches_without_a_match_are_no_equal_errors() -> None:
    run = DetectedRun()
    assert not any(run.fails(f"grep word{number} a.py", "") for number in range(9))


def test_an_error_that_is_gone_in_between_is_not_the_same_error_each_time() -> None:
    run = DetectedRun()
    for _ in range(8):
        run.does("pytest", "12 passed")
        run.fails("pytest", "E   TimeoutError: no lock")
        assert worst("repetitive_errors", run.found) is NONE


def test_a_machine_that_starts_is_asked_nine_times_before_a_word_is_said() -> None:
    run = DetectedRun()
    said = "ssh: connect to host box port 22: Connection refused"
    found = [worst("repetitive_errors", run.fails("ssh box uptime", said)) for _ in range(12)]
    assert found == [NONE] * 9 + [LOW] * 3


def test_what_waits_for_something_may_fail_until_it_is_there() -> None:
    run = DetectedRun()
    for _ in range(6):
        run.does("sleep 1; curl x", "curl: (7) refused", ok=False, code=7, waits=True)
    assert worst(KIND, run.found) is NONE


def test_the_error_is_told_as_it_was() -> None:
    run = DetectedRun()
    for took in ("0.1", "0.2", "0.3"):
        run.fails("make", f"fatal: no answer after {took}s")
    errors = the(KIND, run.found)
    assert errors.says.endswith("3 times, and nothing new in between: fatal: no answer after 0.3s")
    assert errors.evidence == (1, 2, 3)
    assert errors.facts == {"error": "fatal: no answer after 0.3s", "times": "3"}


def test_the_same_error_is_the_same_trouble() -> None:
    run = DetectedRun()
    found = [run.fails("make", f"fatal: no answer after {took}.5s") for took in range(5)]
    assert len({the(KIND, each).name for each in found[2:]}) == 1


def test_a_person_may_ask_for_it_again() -> None:
    run = DetectedRun()
    for _ in range(5):
        run.watch.prompted()
        assert not run.fails("make", "make: no rule")


# --- the line that tells what went wrong -------------------------------------------------------

TRACEBACK = """\
Traceback (most recent call last):
  File "/srv/shop/run.py", line 3, in <module>
    import shop
ModuleNotFoundError: No module named 'shop'
[Python Interpreter: /usr/bin/python]
[Command finished with exit code 1]"""

PYTEST = """\
    def test_sum():
>       assert add(1, 1) == 3
E       assert 2 == 3

test_a.py:4: AssertionError
=========================== short test summary info ===========================
FAILED test_a.py::test_sum - assert 2 == 3
============================== 1 failed in 0.02s =============================="""


@pytest.mark.parametrize(
    ("output", "line"),
    [
        (TRACEBACK, "ModuleNotFoundError: No module named 'shop'"),
        (PYTEST, "FAILED test_a.py::test_sum - assert 2 == 3"),
        (
            "make: *** No rule to make target 'x'.  Stop.\n",
            "make: *** No rule to make target 'x'.  Stop.",
        ),
        ("Exit code 1\nfatal: not a git repository\n", "fatal: not a git repository"),
        ("first\nsecond\n\n", "second"),
        ("", "exit code 1"),
        ("[Command finished with exit code 1]", "exit code 1"),
    ],
)
def test_the_line_of_a_command_that_failed(output: str, line: str) -> None:
    assert error_line(Outcome(False, 1, output)).text == line


def test_a_tools_own_complaint_counts_as_a_whole() -> None:
    first = error_line(Outcome(False, None, error="Not found in a.py:\n  x = 1\nLook again."))
    second = error_line(Outcome(False, None, error="Not found in a.py:\n  y = 2\nLook again."))
    assert first.key != second.key
    assert first.text == "Not found in a.py: x = 1 Look again."


def test_indentation_is_part_of_a_tools_complaint() -> None:
    first = error_line(Outcome(False, None, error="Not found: `  x = 1`"))
    second = error_line(Outcome(False, None, error="Not found: `    x = 1`"))
    assert first.key != second.key


@pytest.mark.parametrize(
    "complaint",
    [
        "ERROR:\nParameter `old_str` is required for command: str_replace.",
        "InputValidationError: Edit failed due to the following issue",
        "The required parameter `file_path` is missing",
        "No replacement was performed, old_str `x` did not appear verbatim in a.py.",
        "String to replace not found in file.",
        "Found 2 matches of the string to replace, but replace_all is false.",
        "No changes to make: old_string and new_string are exactly the same.",
        "File has not been read yet. Read it first before writing to it.",
    ],
)
def test_a_call_that_does_not_fit_its_tool_is_known_by_the_complaint(complaint: str) -> None:
    assert error_line(Outcome(False, None, complaint)).misfit


def test_a_missing_file_is_no_misfit() -> None:
    assert not error_line(Outcome(False, None, error="File does not exist.")).misfit


def test_a_command_that_prints_such_a_complaint_is_no_misfit() -> None:
    assert not error_line(Outcome(False, 1, "error: required parameter `x`")).misfit


def test_what_worked_has_no_error() -> None:
    assert error_line(Outcome(True, 0, "error: none")).key == ""


def test_a_hostile_line_is_read_in_time() -> None:
    error_line(Outcome(False, 1, "1 a" * 5_000))
    error_line(Outcome(False, 1, "= " * 5_000 + "x"))
    error_line(Outcome(False, 1, "[" * 10_000))


def test_another_call_that_works_does_not_take_an_error_back() -> None:
    run = DetectedRun()
    run.does("ls", "a.py")
    for _ in range(3):
        run.fails("make", "make: no rule")
        run.does("ls", "a.py")
    assert worst(KIND, run.fails("make", "make: no rule")) is HIGH


def test_an_error_counts_for_ten_steps() -> None:
    run = DetectedRun()
    run.does("ls", "a.py")
    for _ in range(3):
        run.fails("make", "make: no rule")
    for _ in range(7):
        run.does("ls", "a.py")
    assert worst(KIND, run.fails("make", "make: no rule")) is MEDIUM


def test_the_evidence_is_the_last_ten_steps_with_the_error() -> None:
    run = DetectedRun()
    for _ in range(13):
        run.fails("cat a", "cat: a: No such file or directory")
    evidence = the(KIND, run.found).evidence
    assert evidence == tuple(range(evidence[-1] - 9, evidence[-1] + 1))
