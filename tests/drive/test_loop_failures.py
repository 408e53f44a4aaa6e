"""Agents that fail, and loops that are taken up again."""

import msgspec
import pytest

from handrail.drive.daemon_client import IterationPermission, LoopProgress
from handrail.drive.loop import PAUSES
from handrail.drive.usage import LoopLimits
from handrail.hosts.driven_agent import AgentGoneError, AgentTurn
from tests.drive.fakes import (
    CANCELLED,
    CUT_OFF,
    DONE,
    GONE,
    NOT_YET,
    PASSED,
    RUNNING,
    TASK,
    VERIFIED,
    LoopSetup,
    limited,
)


@pytest.mark.parametrize("failure", [GONE, CUT_OFF])
def test_three_failures_in_a_row_end_it(failure: AgentTurn | AgentGoneError) -> None:
    world = LoopSetup(failure, failure, failure)
    end = world.run()
    assert (end.how, end.reason) == ("abort", "ERROR")
    assert world.time.pauses == list(PAUSES)
    assert set(world.office.asked) == {1}
    assert world.office.end.reason == "ERROR"
    assert "3 times in a row" in end.says


def test_after_a_pause_the_daemon_is_asked_again() -> None:
    world = LoopSetup(GONE)

    async def cancel() -> None:
        world.office.answers.append(CANCELLED)

    world.time.in_pause = cancel
    assert world.run().reason == "USER_CANCELLED"
    assert len(world.prompts) == 1


def test_an_agent_that_is_gone_is_started_again_with_its_conversation() -> None:
    world = LoopSetup(NOT_YET, GONE, DONE)
    assert world.run().reason == "COMPLETE"
    assert world.starts == [(False, ""), (True, "")]
    assert world.time.pauses == [PAUSES[0]]
    assert world.prompts[2].startswith(TASK.goal)
    assert "started again" in world.prompts[2]
    assert world.office.end.iteration == 2


def test_a_good_turn_makes_up_for_failures_before() -> None:
    world = LoopSetup(GONE, CUT_OFF, NOT_YET, CUT_OFF, GONE, DONE)
    assert world.run().reason == "COMPLETE"
    assert world.time.pauses == [*PAUSES, *PAUSES]


def test_one_error_of_the_model_keeps_the_process_and_a_second_one_does_not() -> None:
    world = LoopSetup(CUT_OFF, CUT_OFF, DONE)
    assert world.run().reason == "COMPLETE"
    assert len(world.starts) == 2
    assert world.prompts[0] == world.prompts[1]


def test_the_words_of_a_turn_that_failed_do_not_count() -> None:
    failed = AgentTurn(says="TASK DONE", problem="cut off")
    assert LoopSetup(failed, failed, failed).run().reason == "ERROR"


@pytest.mark.parametrize("error", [GONE, FileNotFoundError(2, "no such program", "claude")])
def test_an_agent_that_cannot_be_started_is_a_failure(error: AgentGoneError | OSError) -> None:
    world = LoopSetup()
    world.bad_starts.extend([error] * 3)
    end = world.run()
    assert end.reason == "ERROR"
    assert str(error) in end.says
    assert world.prompts == []


def test_an_agent_that_could_not_be_started_before_it_was_told_anything_has_nothing_to_resume() -> (
    None
):
    world = LoopSetup(DONE)
    world.bad_starts.append(GONE)
    world.run()
    assert [resume for resume, _ in world.starts] == [False, False]


def test_a_turn_that_breaks_off_by_itself_is_a_failure() -> None:
    broken = AgentTurn(interrupted=True)
    assert LoopSetup(broken, broken, broken).run().reason == "ERROR"


def test_a_fault_of_the_daemon_is_raised_as_it_is_and_leaves_nothing_behind() -> None:
    async def broken() -> IterationPermission:
        raise ConnectionError("no daemon")

    with pytest.raises(ConnectionError, match="no daemon"):
        LoopSetup(NOT_YET, answers=[RUNNING, broken]).run()


# Taken up again


def test_a_loop_that_is_taken_up_begins_its_last_iteration_again() -> None:
    begun = LoopProgress(iteration=4, tokens=100, cost_usd=1.0, seconds=60.0, memory_mb=500.0)
    world = LoopSetup(AgentTurn(tokens=5, cost_usd=0.5), DONE, begun=begun)
    world.run()
    assert world.office.asked == [4, 5]
    assert world.starts == [(True, "")]
    used = world.office.of_kind("usage")[-1]
    assert (used.tokens, used.cost_usd, used.memory_mb) == (105, 1.5, 500.0)


def test_a_loop_that_has_used_everything_is_not_begun() -> None:
    world = LoopSetup(begun=LoopProgress(iteration=4, cost_usd=2.0))
    assert world.run(limited(LoopLimits(max_cost_usd=1))).reason == "LIMIT"
    assert world.starts == []


def test_a_loop_that_is_taken_up_has_no_more_iterations_than_before() -> None:
    world = LoopSetup(NOT_YET, begun=LoopProgress(iteration=3))
    assert world.run(limited(LoopLimits(max_iterations=3))).reason == "MAX_ITERATIONS"
    assert world.office.asked == [3]


def test_the_daemon_is_told_everything_before_the_agent_starts() -> None:
    world = LoopSetup(DONE, verifications=[PASSED])
    world.run(msgspec.structs.replace(VERIFIED, model="small", limits=LoopLimits(max_iterations=7)))
    (began,) = world.office.began
    assert (began.goal, began.max, began.model, began.verify) == (
        TASK.goal,
        7,
        "small",
        "make test",
    )
    assert began.driver > 0


# Killed


def test_an_agent_that_somebody_killed_has_crashed_and_one_that_fails_has_not() -> None:
    killed = AgentGoneError(-9, "")
    assert LoopSetup(CUT_OFF, killed, CUT_OFF).run().crashed
    assert not LoopSetup(GONE, CUT_OFF, GONE).run().crashed
    assert not LoopSetup(killed, NOT_YET, GONE, GONE, GONE).run().crashed
