"""A busy service of the model is waited for, and counts as no failure."""

import pytest

from handrail.drive.daemon_client import IterationPermission
from handrail.drive.loop import ASK_AGAIN, PAUSES
from handrail.hosts.driven_agent import AgentGoneError, AgentTurn
from handrail.model.control import Standing
from tests.drive.fakes import CANCELLED, CUT_OFF, DONE, GONE, NOT_YET, OVERLOADED, LoopSetup


def test_an_overload_is_waited_out_however_often_it_comes() -> None:
    world = LoopSetup(*[OVERLOADED] * 8, DONE)
    assert world.run().reason == "COMPLETE"
    assert len(world.prompts) == 9
    assert sum(world.time.pauses) == 5 + 10 + 20 + 40 + 80 + 160 + 300 + 300
    assert max(world.time.pauses) == ASK_AGAIN  # so that a person can stop it meanwhile


def test_the_daemon_is_asked_again_while_the_service_is_waited_for() -> None:
    world = LoopSetup(AgentTurn(problem="Rate limited. Please try again in 3 hours."))

    async def cancel() -> None:
        world.office.answers.append(CANCELLED)

    world.time.in_pause = cancel
    assert world.run().reason == "USER_CANCELLED"
    assert len(world.prompts) == 1
    assert len(world.time.pauses) == 1


def test_a_refusal_does_not_add_to_failures() -> None:
    world = LoopSetup(CUT_OFF, OVERLOADED, CUT_OFF, OVERLOADED, DONE)
    assert world.run().reason == "COMPLETE"
    assert len(world.prompts) == 5


def test_a_refusal_does_not_make_up_for_failures() -> None:
    world = LoopSetup(CUT_OFF, OVERLOADED, CUT_OFF, OVERLOADED, CUT_OFF)
    assert world.run().reason == "ERROR"


def test_waits_begin_anew_after_a_good_turn() -> None:
    world = LoopSetup(OVERLOADED, OVERLOADED, NOT_YET, OVERLOADED, DONE)
    assert world.run().reason == "COMPLETE"
    assert world.time.pauses == [5, 10, 5]


def test_the_moment_that_the_service_names_is_waited_for() -> None:
    limit = AgentTurn(problem="You've hit your usage limit. Try again in 2 hours.")
    world = LoopSetup(limit, DONE)
    assert world.run().reason == "COMPLETE"
    assert sum(world.time.pauses) == pytest.approx(2 * 3600)


def test_an_agent_that_leaves_because_of_a_limit_has_not_failed() -> None:
    gone = AgentGoneError(1, "Claude usage limit reached. Your limit will reset in a while.")
    world = LoopSetup(gone, gone, gone, gone, DONE)
    assert world.run().reason == "COMPLETE"
    assert len(world.starts) == 5


def test_a_second_refusal_starts_the_agent_again() -> None:
    """Some hosts repeat an old refusal as long as they live."""
    world = LoopSetup(OVERLOADED, OVERLOADED, DONE)
    world.run()
    assert world.starts == [(False, ""), (True, "")]


def test_without_money_nobody_waits() -> None:
    world = LoopSetup(*[AgentTurn(problem="Credit balance is too low")] * 3)
    end = world.run()
    assert end.reason == "ERROR"
    assert world.time.pauses == list(PAUSES)


def test_another_model_is_tried_at_once() -> None:
    world = LoopSetup(AgentTurn(problem="Opus limit reached ∙ try again in 5 days"), DONE)

    async def change() -> None:
        world.office.answers.append(IterationPermission(standing=Standing.RUNNING, model="small"))

    world.time.in_pause = change
    assert world.run().reason == "COMPLETE"
    assert len(world.time.pauses) == 1
    assert world.models == ["", "small"]


def test_a_failure_after_refusals_counts_as_the_first() -> None:
    world = LoopSetup(OVERLOADED, OVERLOADED, OVERLOADED, GONE, GONE, DONE)
    assert world.run().reason == "COMPLETE"
