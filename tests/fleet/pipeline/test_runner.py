"""The runner: order, conditions, retries, and what the result says."""

import asyncio
from collections.abc import Mapping
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.fleet.pipeline.reading import Step, read_pipeline
from handrail.fleet.pipeline.report import report_lines, step_line
from handrail.fleet.pipeline.result import (
    BlockedAction,
    PipelineResult,
    ReviewSummary,
    StepOutcome,
    StepStatus,
)
from handrail.fleet.pipeline.runner import PipelineRun, StepInterruptedError
from handrail.fleet.pipeline.schema import ShellStep

T = TypeVar("T")
OK, FAILED, BLOCKED = StepStatus.OK, StepStatus.FAILED, StepStatus.BLOCKED


class Steps:
    """Plays outcomes: the command of a step names them, one for each try."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.seen: list[dict[str, str]] = []

    async def __call__(self, step: Step, values: Mapping[str, str]) -> StepOutcome:
        assert isinstance(step.keys, ShellStep)
        words = step.keys.command.split()
        status = words[min(self.ran.count(step.name), len(words) - 1)]
        self.ran.append(step.name)
        self.seen.append(dict(values))
        if status == "interrupted":
            raise StepInterruptedError("run-x", certain=True)
        return outcome(step.name, StepStatus(status), len(self.ran))


def outcome(name: str, status: StepStatus, number: int) -> StepOutcome:
    blocked = BlockedAction(
        step=name, run=f"run-{number}", action=1, tool="Bash", input={"command": "rm"}, reason="No."
    )
    is_blocked = status is BLOCKED
    return StepOutcome(
        status=status,
        says=status.value,
        output=f"out-{number}",
        exit_code=0 if status is OK else 3,
        run=f"run-{number}",
        blocked=(blocked,) if is_blocked else (),
        review=ReviewSummary(total=1, allowed=not is_blocked, blocked_count=is_blocked),
    )


def play(steps: str, **variables: str) -> tuple[PipelineResult, Steps]:
    declared = "".join(f"  {name}: x\n" for name in variables)
    text = f"{f'vars:{chr(10)}{declared}' if declared else ''}steps:\n{steps}"
    runner = Steps()
    run = PipelineRun(read_pipeline(text, "/p/ci.yaml"), variables, runner)
    return asyncio.run(run.go()), runner


def statuses(result: PipelineResult) -> list[str]:
    return [step.status.value for step in result.steps]


def step(name: str, outcomes: str, **more: object) -> str:
    keys = "".join(f", {key.rstrip('_')}: {value}" for key, value in more.items())
    return f"- {{name: {name}, type: command, command: '{outcomes}'{keys}}}\n"


def test_steps_run_in_order_and_the_result_adds_up() -> None:
    result, runner = play(step("a", "ok") + step("b", "ok"))
    assert runner.ran == ["a", "b"]
    assert result.ok
    assert (result.status, result.error, result.failed_step) == ("ok", "", "")
    assert result.review_summary == ReviewSummary(total=2, allowed=2)


def test_after_a_failure_only_steps_that_ask_for_it_run() -> None:
    result, runner = play(
        step("a", "failed") + step("b", "ok") + step("c", "ok", if_="failed()")
        + step("d", "ok", if_="failed(a) and a.exit_code == 3") + step("e", "ok", if_="success(a)")
    )  # fmt: skip
    assert runner.ran == ["a", "c", "d"]
    assert statuses(result) == ["failed", "skipped", "ok", "ok", "skipped"]
    assert (result.status, result.error, result.failed_step) == ("error", "step_failed", "a")


def test_a_refusal_is_the_error_of_the_pipeline() -> None:
    result, runner = play(step("a", "blocked_by_reviewer") + step("b", "ok"))
    assert runner.ran == ["a"]
    assert (result.status, result.error) == ("error", "blocked_by_reviewer")
    assert [each.step for each in result.blocked_actions] == ["a"]
    assert result.review_summary.blocked_count == 1


def test_a_refusal_is_not_tried_again() -> None:
    _, runner = play(step("a", "blocked_by_reviewer ok", retries=3))
    assert runner.ran == ["a"]


@pytest.mark.parametrize("outcomes", ["failed", "blocked_by_reviewer"])
def test_the_pipeline_goes_on_where_it_may(outcomes: str) -> None:
    steps = step("a", outcomes, continue_on_error="true") + step("b", "ok")
    result, runner = play(steps + step("c", "ok", if_="failed(a)"))
    assert runner.ran == ["a", "b", "c"]
    assert result.ok
    assert result.steps[0].continued
    assert len(result.blocked_actions) == (outcomes != "failed")


def test_a_step_is_tried_again_until_it_ends_well() -> None:
    result, runner = play(step("a", "failed failed ok", retries=5))
    assert runner.ran == ["a"] * 3
    (only,) = result.steps
    assert (only.status, only.attempts) == (OK, 3)
    assert only.runs == ("run-1", "run-2", "run-3")
    assert only.review_summary.total == 3


def test_when_the_tries_are_used_up_it_has_failed() -> None:
    result, runner = play(step("a", "failed", retries=2))
    assert runner.ran == ["a"] * 3
    assert result.error == "step_failed"


def test_later_steps_see_what_earlier_ones_left() -> None:
    _, runner = play(step("a", "ok") + step("b", "ok", if_="x == 1"), x="1")
    assert runner.seen[1] == {
        "x": "1",
        "a.status": "ok",
        "a.output": "out-1",
        "a.exit_code": "0",
        "a.run": "run-1",
    }


def test_a_skipped_step_leaves_empty_values() -> None:
    result, runner = play(
        step("a", "ok", if_="failed()") + step("b", "ok", if_="a.status == 'skipped'")
    )
    assert statuses(result) == ["skipped", "ok"]
    assert runner.seen[0]["a.output"] == ""


def test_an_interruption_is_in_the_result_and_goes_on() -> None:
    text = "steps:\n" + step("a", "ok") + step("b", "interrupted") + step("c", "ok")
    run = PipelineRun(read_pipeline(text, "/p/ci.yaml"), {}, Steps())
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run.go())
    assert statuses(run.result) == ["ok", "interrupted"]
    assert (run.result.status, run.result.error) == ("error", "interrupted")
    assert run.result.steps[1].runs == ("run-x",)


def test_secrets_do_not_leave_with_the_result() -> None:
    text = "steps:\n" + step("a", "ok")
    run = PipelineRun(
        read_pipeline(text, "/p/ci.yaml"), {}, Steps(), redact=lambda text: text.replace("out", "…")
    )
    assert asyncio.run(run.go()).steps[0].output == "…-1"


def test_the_report_names_what_was_blocked_and_why() -> None:
    result, _ = play(step("a", "blocked_by_reviewer"))
    lines = [line.text for line in report_lines(result)]
    assert lines[0].startswith("BLOCKED at a · ci · 1 step · ")
    assert "1 action reviewed: 1 blocked" in lines
    assert "a: Bash rm" in lines
    assert "No." in lines
    assert step_line(result.steps[0]).text.startswith("a: blocked by reviewer · ")


_STEPS = st.lists(
    st.tuples(
        st.sampled_from(["ok", "failed", "blocked_by_reviewer", "failed ok"]),
        st.booleans(),
        st.sampled_from(["", "failed()", "success()"]),
        st.integers(0, 2),
    ),
    min_size=1,
    max_size=6,
)


@given(_STEPS)
def test_the_result_is_ok_exactly_if_no_step_that_counts_ended_badly(
    steps: list[tuple[str, bool, str, int]],
) -> None:
    text = "".join(
        step(f"s{at}", outcomes, continue_on_error=str(goes_on).lower(), retries=retries,
             if_=condition or "success()")
        for at, (outcomes, goes_on, condition, retries) in enumerate(steps)
    )  # fmt: skip
    result, _ = play(text)
    bad = [each for each in result.steps if each.status in (FAILED, BLOCKED) and not each.continued]
    assert result.ok is not bool(bad)
    assert result.failed_step == (bad[0].name if bad else "")
    assert len(result.steps) == len(steps)
    assert result.review_summary.blocked_count == len(result.blocked_actions)
