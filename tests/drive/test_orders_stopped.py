"""A run that was stopped waits until somebody resumes it; requests may come twice."""

import asyncio

import pytest

from handrail.drive.daemon_client import DriverReport, IterationPermission
from handrail.hosts.driven_agent import AgentTurn
from tests.drive.fakes import (
    CANCELLED,
    DONE,
    GONE,
    NOT_YET,
    RUNNING,
    STOPPED,
    FakeAgent,
    LoopSetup,
)

# Stopped, and started again


def test_a_stopped_run_waits_for_the_order_to_start_and_begins_the_iteration_again() -> None:
    world = LoopSetup(NOT_YET)
    answers: list[DriverReport] = []

    async def turn(agent: FakeAgent) -> AgentTurn:
        agent.die()
        return await agent.work_on()

    async def stopped() -> IterationPermission:
        async def resume() -> None:
            while world.open:
                await asyncio.sleep(0)
            answers.append(await world.office.put("start"))

        world.beside(resume())
        return STOPPED

    world.script.extend([turn, DONE])
    world.office.answers.extend([RUNNING, RUNNING, stopped])
    assert world.run().reason == "COMPLETE"
    assert world.office.asked == [1, 2, 2, 2]
    assert world.starts == [(False, ""), (True, "")]
    assert world.time.pauses == []
    assert [(r.ok, r.says) for r in answers] == [(True, "The agent runs as process 1001")]


def test_an_agent_that_still_runs_is_ended_when_the_run_is_stopped() -> None:
    world = LoopSetup(NOT_YET, DONE)

    async def stopped() -> IterationPermission:
        world.office.put("start")
        return STOPPED

    world.office.answers.extend([RUNNING, stopped])
    world.run()
    assert len(world.agents) == 2
    assert not world.agents[0].alive


def test_stops_do_not_add_up_to_failures() -> None:
    world = LoopSetup()

    async def stopped() -> IterationPermission:
        world.office.put("start")
        return STOPPED

    world.script.extend([GONE, GONE, GONE, GONE, DONE])
    world.office.answers.extend([RUNNING, stopped] * 4)
    assert world.run().reason == "COMPLETE"
    assert world.time.pauses == []


def test_an_agent_that_cannot_be_started_again_leaves_the_run_stopped() -> None:
    world = LoopSetup(DONE)
    world.bad_starts.extend([GONE, FileNotFoundError(2, "no such program"), None])

    async def stopped() -> IterationPermission:
        for _ in range(3):
            world.office.put("start")
        return STOPPED

    world.office.answers.append(stopped)
    assert world.run().reason == "COMPLETE"
    assert [r.ok for r in world.office.of_kind("order")] == [False, False, True]
    assert world.office.asked == [1, 1]


def test_an_order_to_start_that_comes_before_the_loop_has_noticed_the_stop_is_kept() -> None:
    world = LoopSetup(answers=[RUNNING, STOPPED])

    async def turn(agent: FakeAgent) -> AgentTurn:
        world.office.put("start")
        agent.die()
        return await agent.work_on()

    world.script.extend([turn, DONE])
    assert world.run().reason == "COMPLETE"
    assert world.starts == [(False, ""), (True, "")]


def test_a_run_that_is_cancelled_while_it_is_stopped_ends() -> None:
    world = LoopSetup(NOT_YET)

    async def stopped() -> IterationPermission:
        world.office.run_is_over()
        return STOPPED

    world.office.answers.extend([RUNNING, stopped])
    assert world.run().reason == "USER_CANCELLED"
    assert world.office.of_kind("done", "abort") == []


def test_a_run_that_is_cancelled_in_mid_turn_ends() -> None:
    world = LoopSetup()

    async def turn(agent: FakeAgent) -> AgentTurn:
        world.office.run_is_over()
        agent.die()
        return await agent.work_on()

    world.script.append(turn)
    world.office.answers.extend([RUNNING, CANCELLED])
    assert world.run().reason == "USER_CANCELLED"
    assert world.time.pauses == []


# Requests that come twice


def test_a_request_that_comes_twice_is_carried_out_once_and_answered_again() -> None:
    world = LoopSetup()

    async def turn(agent: FakeAgent) -> AgentTurn:
        await world.office.put("interrupt", request="the one")
        return await agent.work_on()

    async def again(agent: FakeAgent) -> AgentTurn:
        world.office.put("interrupt", request="the one")
        await world.office.put("set_model", model="big")
        return DONE

    world.script.extend([turn, again])
    assert world.run().reason == "COMPLETE"
    first, second = (r for r in world.office.of_kind("order") if r.request == "the one")
    assert first == second
    assert world.agents[0].interrupts == 1


def test_an_order_to_start_that_comes_twice_starts_one_agent() -> None:
    world = LoopSetup(DONE)

    async def stopped() -> IterationPermission:
        world.office.put("start", request="the one")
        world.office.put("start", request="the one")
        return STOPPED

    world.office.answers.append(stopped)
    world.run()
    assert len(world.starts) == 1
    assert {r.request for r in world.office.of_kind("order")} == {"the one"}


def test_a_fault_while_orders_are_heard_ends_the_loop_with_that_fault() -> None:
    world = LoopSetup()

    async def turn(agent: FakeAgent) -> AgentTurn:
        world.office.break_orders()
        return await agent.work_on()

    world.script.append(turn)
    with pytest.raises(ConnectionError, match="no daemon"):
        world.run()
