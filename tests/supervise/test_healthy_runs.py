"""A healthy run is never harmed: it is not stopped, and no good work is taken back."""

from pathlib import Path

import pytest

from handrail.model.event import FindingMade
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity
from tests.supervise.simulated_run import SimulatedRun

pytestmark = pytest.mark.slow

QUICK = "interventions: {intervention_cooldown_seconds: 0}\n"
"""Nothing waits: whatever can be done to a run is done to it."""


@pytest.fixture(params=["", QUICK], ids=["usual", "quick"])
def day(request: pytest.FixtureRequest, tmp_path: Path) -> SimulatedRun:
    """A run whose agent thinks for four seconds before each action."""
    day = SimulatedRun(tmp_path, gap=4.0)
    if request.param:
        day.bed.settings(request.param)
    return day


def found(day: SimulatedRun) -> list[Finding]:
    return [each.finding for each in day.bed.events() if isinstance(each, FindingMade)]


def worst(day: SimulatedRun) -> Severity:
    return max((each.severity for each in found(day)), default=Severity.NONE)


# One error after the other


RUFF = "src/cart.py:{line}:1: F401 [*] `os` imported but unused\nFound 1 error."
ESLINT = "/app/cart.js\n  {line}:15  error  Missing semicolon  semi\n\n1 problem (1 error)"
TSC = "src/cart.ts({line},5): error TS2304: Cannot find name 'os'."
GCC = "cart.c: In function 'total':\ncart.c:{line}:9: error: expected ';' before '}}' token"
RUSTC = "error: expected `;`\n --> src/main.rs:{line}:5\nerror: could not compile `cart`"
JAVAC = "Cart.java:{line}: error: ';' expected\n1 error"
PYTEST = "tests/test_cart.py:{line}: AssertionError\n1 failed in 0.1s"


@pytest.mark.parametrize("tool", [RUFF, ESLINT, TSC, GCC, RUSTC, JAVAC, PYTEST])
@pytest.mark.parametrize("code", ["Exit code 2\n", ""], ids=["code", "no code"])
def test_a_tool_that_shows_one_error_at_a_time_is_no_trouble(
    day: SimulatedRun, tool: str, code: str
) -> None:
    for number in range(15):
        said = tool.format(line=12 + 7 * number)
        day.bash("make lint", error=f"{code}{said}\nmake: *** [Makefile:4: lint] Error 1")
        day.edit("src/cart.py", number)
    day.bash("make lint", "All checks passed!")
    assert found(day) == []
    assert day.made == []


def test_the_same_command_that_mends_one_error_each_time_is_no_trouble(day: SimulatedRun) -> None:
    for number in range(15):
        said = RUFF.format(line=12 + 7 * number)
        day.bash("make lint", error=f"Exit code 2\n{said}\nmake: *** [Makefile:4: lint] Error 1")
        day.bash("ruff check --fix-only src/cart.py", "Fixed 1 error.")
    assert worst(day) <= Severity.LOW
    assert day.put_back == []


def test_a_count_that_falls_with_each_change_is_no_trouble(day: SimulatedRun) -> None:
    for number in range(15):
        said = f"FAIL: test_total\nAssertionError\n\nFAILED (failures={15 - number})"
        day.bash("make test", error=f"Exit code 2\n{said}\nmake: *** [Makefile:4: test] Error 1")
        day.edit("src/cart.py", number)
    assert found(day) == []


# What comes from elsewhere


@pytest.mark.parametrize(
    "said",
    [
        "curl: (22) The requested URL returned error: 503",
        "curl: (6) Could not resolve host: example.com",
        "OSError: [Errno 28] No space left on device",
        "Command timed out after 2m 0.0s",
    ],
)
def test_a_correct_file_is_not_taken_back_for_a_failure_from_elsewhere(
    day: SimulatedRun, said: str
) -> None:
    day.edit("src/cart.py", 1)
    for _ in range(15):
        day.bash("make fetch", error=f"Exit code 2\n{said}\nmake: *** [Makefile:9: fetch] Error 22")
    assert day.put_back == []
    assert worst(day) <= Severity.LOW


# A long piece of work


def test_a_test_that_fails_until_all_is_done_is_no_reason_to_stop(day: SimulatedRun) -> None:
    for number in range(40):
        day.edit(f"src/part{number}.py", number)
        day.bash("pytest -q", error="Exit code 1\nE   assert 3 == 4\n1 failed in 0.1s")
    assert day.put_back == []
    assert "emergency_stop" not in day.means
