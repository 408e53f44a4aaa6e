"""The loop: every way to end, and how it goes on until then."""

import pytest

from handrail.drive import loop_end
from handrail.drive.daemon_client import DriverReport, IterationPermission
from handrail.drive.usage import LoopLimits
from handrail.hosts.driven_agent import AgentTurn
from handrail.model.control import Standing
from tests.drive.fakes import (
    CANCELLED,
    DONE,
    FAILED,
    NOT_YET,
    PASSED,
    RUNNING,
    VERIFIED,
    LoopSetup,
    limited,
)


def test_the_loop_goes_on_until_the_agent_says_that_it_is_done() -> None:
    world = LoopSetup(NOT_YET, NOT_YET, DONE)
    end = world.run()
    assert (end.how, end.reason, end.verified) == ("done", "COMPLETE", False)
    assert "Nothing was verified" in end.says
    assert world.office.asked == [1, 2, 3]
    assert world.starts == [(False, "")]
    assert world.office.stuck == [False]
    assert world.office.end == DriverReport(
        kind="done", reason="COMPLETE", says=end.says, iteration=3
    )


def test_done_means_that_the_verify_command_passes_too() -> None:
    world = LoopSetup(NOT_YET, DONE, DONE, verifications=[FAILED, PASSED])
    end = world.run(VERIFIED)
    assert (end.how, end.reason, end.verified) == ("done", "COMPLETE", True)
    assert world.office.asked == [1, 2, 3]
    assert "1 failed" in world.prompts[2]
    assert [(r.iteration, r.ok, r.command) for r in world.office.of_kind("verified")] == [
        (2, False, "make test"),
        (3, True, "make test"),
    ]


def test_a_loop_that_is_held_does_not_end_before_it_goes_on() -> None:
    world = LoopSetup(DONE, verifications=[PASSED])
    world.office.ends.extend(
        [
            IterationPermission(standing=Standing.PAUSED),
            IterationPermission(standing=Standing.PAUSED),
        ]
    )
    assert world.run(VERIFIED).reason == "COMPLETE"
    assert not world.office.ends


def test_a_loop_that_is_held_does_not_end_at_its_limit_either() -> None:
    world = LoopSetup(NOT_YET)
    world.office.ends.append(IterationPermission(standing=Standing.PAUSED))
    assert world.run(limited(LoopLimits(max_iterations=1))).reason == "MAX_ITERATIONS"
    assert not world.office.ends


def test_who_is_told_something_when_it_wants_to_end_goes_on_with_that() -> None:
    world = LoopSetup(DONE, DONE)
    world.office.ends.append(
        IterationPermission(standing=Standing.RUNNING, messages=("ann tells you: the docs",))
    )
    assert world.run().reason == "COMPLETE"
    assert ["ann tells you: the docs" in prompt for prompt in world.prompts] == [False, True]


def test_who_gets_another_goal_when_it_wants_to_end_works_for_that() -> None:
    world = LoopSetup(DONE, DONE)
    world.office.ends.append(IterationPermission(standing=Standing.RUNNING, goal="Write the docs"))
    world.office.answers.extend(
        [RUNNING, IterationPermission(standing=Standing.RUNNING, goal="Write the docs")]
    )
    assert world.run().reason == "COMPLETE"
    assert "Write the docs" in world.prompts[1]


def test_a_run_that_is_cancelled_when_it_wants_to_end_was_cancelled() -> None:
    world = LoopSetup(DONE)
    world.office.ends.append(CANCELLED)
    world.office.answers.extend([RUNNING, CANCELLED])
    assert world.run() is loop_end.CANCELLED


def test_a_verify_command_that_passes_without_the_agents_word_is_not_asked() -> None:
    world = LoopSetup(NOT_YET, DONE, verifications=[PASSED])
    world.run(VERIFIED)
    assert [r.iteration for r in world.office.of_kind("verified")] == [2]


def test_what_the_verify_command_said_is_told_once() -> None:
    world = LoopSetup(DONE, NOT_YET, DONE, verifications=[FAILED, PASSED])
    world.run(VERIFIED)
    assert ["1 failed" in prompt for prompt in world.prompts] == [False, True, False]


def test_at_the_last_iteration_it_ends() -> None:
    world = LoopSetup(NOT_YET, NOT_YET, NOT_YET)
    end = world.run(limited(LoopLimits(max_iterations=3)))
    assert (end.how, end.reason) == ("done", "MAX_ITERATIONS")
    assert world.office.asked == [1, 2, 3]
    assert world.office.end.iteration == 3


def test_at_the_last_iteration_it_is_told_that_the_check_failed() -> None:
    end = LoopSetup(DONE, verifications=[FAILED]).run(
        limited(LoopLimits(max_iterations=1), VERIFIED)
    )
    assert end.reason == "MAX_ITERATIONS"
    assert "did not pass: exit code 1" in end.says


def test_an_agent_that_is_done_in_the_last_iteration_is_complete() -> None:
    assert LoopSetup(NOT_YET, DONE).run(limited(LoopLimits(max_iterations=2))).reason == "COMPLETE"


def test_an_agent_that_is_blocked_ends_the_loop_unverified() -> None:
    world = LoopSetup(AgentTurn(says="TASK BLOCKED: I need a key"))
    end = world.run(VERIFIED)
    assert (end.how, end.reason, end.verified) == ("done", "STUCK", False)
    assert "I need a key" in end.says
    assert world.office.end.reason == "STUCK"
    assert world.office.stuck == [True]


@pytest.mark.parametrize(
    ("limits", "turn"),
    [
        (LoopLimits(max_cost_usd=1), AgentTurn(cost_usd=0.6)),
        (LoopLimits(max_tokens=1_000), AgentTurn(tokens=600)),
    ],
)
def test_at_another_limit_it_is_broken_off(limits: LoopLimits, turn: AgentTurn) -> None:
    world = LoopSetup(turn, turn)
    end = world.run(limited(limits))
    assert (end.how, end.reason) == ("abort", "LIMIT")
    assert world.office.asked == [1, 2]
    assert world.office.end.says == end.says


def test_who_is_done_when_the_limit_is_met_is_done() -> None:
    turn = AgentTurn(says="TASK DONE", cost_usd=5)
    assert LoopSetup(turn).run(limited(LoopLimits(max_cost_usd=1))).reason == "COMPLETE"


def test_the_cost_of_turns_that_failed_counts() -> None:
    bad = AgentTurn(problem="529", cost_usd=0.6)
    assert LoopSetup(bad, bad).run(limited(LoopLimits(max_cost_usd=1))).reason == "LIMIT"


def test_a_run_that_was_cancelled_ends_and_nothing_is_told() -> None:
    world = LoopSetup(NOT_YET, answers=[RUNNING, CANCELLED])
    end = world.run()
    assert (end.how, end.reason) == ("abort", "USER_CANCELLED")
    assert world.office.of_kind("done", "abort") == []


@pytest.mark.parametrize("standing", [Standing.CANCELLING, Standing.DONE])
def test_a_run_that_is_over_for_the_daemon_ends(standing: Standing) -> None:
    assert (
        LoopSetup(answers=[IterationPermission(standing=standing)]).run().reason == "USER_CANCELLED"
    )


@pytest.mark.parametrize("standing", [Standing.PAUSED, Standing.FROZEN, Standing.PAUSING])
def test_whoever_is_held_asks_again(standing: Standing) -> None:
    world = LoopSetup(
        DONE,
        answers=[
            IterationPermission(standing=standing),
            IterationPermission(standing=standing),
            RUNNING,
        ],
    )
    assert world.run().reason == "COMPLETE"
    assert world.office.asked == [1, 1, 1]
    assert len(world.prompts) == 1
