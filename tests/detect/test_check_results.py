"""What passed a check, and what an edit has broken."""

import pytest

from handrail.detect.check_results import CheckResults
from handrail.detect.completed_step import CompletedStep, completed_step
from handrail.model.action import Outcome
from handrail.model.effect import Kind
from handrail.model.intent import Intent


def ran(step: int, command: str, said: str = "", *, ok: bool = True) -> CompletedStep:
    intent = Intent("Bash", command, command, kinds=(Kind.RUN,))
    return completed_step(step, float(step), intent, Outcome(ok, 0 if ok else 1, said))


def edited(step: int) -> CompletedStep:
    intent = Intent("Edit", f"edit {step}", "cart.py", writes=("/shop/cart.py",))
    return completed_step(step, float(step), intent, Outcome(True))


def results(*done: CompletedStep) -> CheckResults:
    checks = CheckResults()
    for each in done:
        checks.see(each)
    return checks


def test_a_check_that_passed_and_fails_after_an_edit_is_worse() -> None:
    checks = results(ran(1, "make"), edited(2), ran(3, "make", "no rule", ok=False))
    worse = checks.worsening((3,))
    assert worse is not None
    assert worse.since == 1
    assert worse.says == "`make` worked in step 1, and failed in step 3"


def test_more_failures_after_an_edit_are_worse() -> None:
    checks = results(
        ran(1, "pytest", "1 failed", ok=False), edited(2), ran(3, "pytest", "5 failed", ok=False)
    )
    worse = checks.worsening((1, 3))
    assert worse is not None
    assert worse.says == "`pytest` had 1 failed in step 1, and had 5 failed in step 3"


@pytest.mark.parametrize(
    "done",
    [
        (ran(1, "make"), ran(3, "make", "no rule", ok=False)),
        (edited(2), ran(3, "make", "no rule", ok=False)),
        (ran(1, "make"), edited(2), ran(3, "make", "error: 503 Service Unavailable", ok=False)),
        (
            ran(1, "pytest", "5 failed", ok=False),
            edited(2),
            ran(3, "pytest", "2 failed", ok=False),
        ),
        (ran(1, "make"), edited(2), ran(3, "make", "no", ok=False), edited(4), ran(5, "make")),
    ],
    ids=["no edit", "never passed", "outside", "fewer failures", "mended"],
)
def test_what_is_not_worse(done: tuple[CompletedStep, ...]) -> None:
    assert results(*done).worsening((3,)) is None


def test_a_failure_elsewhere_is_no_evidence() -> None:
    checks = results(ran(1, "make"), edited(2), ran(3, "make", "no rule", ok=False))
    assert checks.worsening((4, 5)) is None


@pytest.mark.parametrize("command", ["pytest -q", "git commit -qam work", "npm test"])
def test_what_stands_behind_the_work_so_far(command: str) -> None:
    assert results(edited(1), ran(2, command)).verified == 2
    assert results(edited(1), ran(2, command, "1 failed", ok=False)).verified == 0


def test_a_broken_check_that_passes_again_stands_behind_the_work() -> None:
    checks = results(ran(1, "make"), edited(2), ran(3, "make", "no", ok=False), ran(4, "make"))
    assert checks.verified == 4


def test_only_so_many_commands_are_known() -> None:
    checks = results(*(ran(step, f"make {step}") for step in range(100)))
    assert len(checks.calls) == 32
