"""Orders: heard at every moment, carried out once, answered once."""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec
import pytest

from handrail.drive.daemon_client import IterationPermission
from handrail.hosts.driven_agent import AgentTurn
from tests.drive.fakes import (
    DONE,
    FAILED,
    GONE,
    NOT_YET,
    PASSED,
    RUNNING,
    STOPPED,
    TASK,
    FakeAgent,
    Kind,
    LoopSetup,
)

SMALL = msgspec.structs.replace(TASK, model="small")
CHECKED = msgspec.structs.replace(SMALL, verify="make test")

Then = Callable[[], Awaitable[None]]


def once(then: Then) -> Then:
    """Only the first time."""
    called: list[bool] = []

    async def work() -> None:
        if not called:
            called.append(True)
            await then()
            for _ in range(20):  # until everybody has heard of it
                await asyncio.sleep(0)

    return work


def at(world: LoopSetup, moment: str, then: Then) -> None:
    """Have something happen at a moment of a loop of two iterations, or three turns."""
    then = once(then)

    async def asking() -> IterationPermission:
        await then()
        return RUNNING

    async def turn(agent: FakeAgent) -> AgentTurn:
        await then()
        interrupted = world.office.interrupt_sent
        return await agent.work_on() if interrupted else DONE

    async def stopped() -> IterationPermission:
        await then()
        world.office.put("start", request="go on")
        return STOPPED

    world.script.extend([DONE, DONE, DONE])
    world.verifications.extend([FAILED, PASSED, PASSED])
    if moment == "asking":
        world.office.answers.append(asking)
    elif moment == "starting":
        world.in_start = then
    elif moment == "turn":
        world.script.appendleft(turn)
    elif moment == "verify":
        world.in_verify = then
    elif moment == "pause":
        world.script.appendleft(GONE)
        world.time.in_pause = then
    elif moment == "stopped":
        world.office.answers.append(stopped)


MOMENTS = ["asking", "starting", "turn", "verify", "pause", "stopped"]


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("order", ["interrupt", "set_model", "start"])
def test_every_order_is_answered_at_every_moment(moment: str, order: Kind) -> None:
    world = LoopSetup()

    async def send() -> None:
        world.office.put(order, request="the one", model="big")

    at(world, moment, send)
    assert world.run(CHECKED).reason == "COMPLETE"
    (answer,) = [r for r in world.office.of_kind("order") if r.request == "the one"]
    assert answer.ok
    assert answer.says


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_model_that_was_changed_stays_whenever_that_was(moment: str) -> None:
    world = LoopSetup()

    async def send() -> None:
        world.office.put("set_model", request="the one", model="big")

    at(world, moment, send)
    world.run(CHECKED)
    (answer,) = [r for r in world.office.of_kind("order") if r.request == "the one"]
    assert (answer.model, answer.previous_model) == ("big", "small")
    assert world.models[-1] == "big"
    assert world.agents[-1].model == "big"


@pytest.mark.parametrize("moment", MOMENTS)
def test_after_an_interrupt_no_turn_begins_before_the_daemon_was_asked_again(moment: str) -> None:
    world = LoopSetup()
    trace: list[str] = []

    async def send() -> None:
        await world.office.put("interrupt", request="the one")
        trace.append("answered")

    async def send_from_turn() -> None:
        world.office.put("interrupt", request="the one")
        trace.append("answered")

    world.office.on_asked = lambda: trace.append("asked")
    world.on_turn = lambda: trace.append("turn")
    at(world, moment, send_from_turn if moment == "turn" else send)
    assert world.run(CHECKED).reason == "COMPLETE"
    after = trace[trace.index("answered") + 1 :]
    assert after[0] == "asked"


# Interrupt


def test_an_interrupted_turn_is_no_failure_and_its_iteration_goes_on() -> None:
    world = LoopSetup()

    async def turn(agent: FakeAgent) -> AgentTurn:
        world.office.put("interrupt")
        return await agent.work_on()

    world.script.extend([NOT_YET, *[turn] * 5, DONE])
    assert world.run().reason == "COMPLETE"
    assert world.office.asked == [1, *[2] * 6]
    assert world.time.pauses == []
    assert len(world.starts) == 1
    assert "interrupted" in world.prompts[2]
    assert {r.says for r in world.office.of_kind("order")} == {"The turn was broken off"}


def test_an_interrupt_that_comes_too_late_leaves_the_turn_as_it_was() -> None:
    world = LoopSetup(verifications=[PASSED])

    async def late() -> None:
        report = await world.office.put("interrupt")
        assert report.says.startswith("No turn was under way")

    world.script.append(DONE)
    world.in_verify = late
    assert world.run(CHECKED).reason == "COMPLETE"


def test_a_turn_that_ends_well_in_spite_of_an_interrupt_counts() -> None:
    world = LoopSetup()

    async def turn(agent: FakeAgent) -> AgentTurn:
        await world.office.put("interrupt")
        return DONE

    world.script.append(turn)
    assert world.run().reason == "COMPLETE"


def test_a_host_that_calls_an_interrupt_a_problem_has_not_failed() -> None:
    world = LoopSetup()

    async def turn(agent: FakeAgent) -> AgentTurn:
        world.office.put("interrupt")
        await agent.work_on()
        return AgentTurn(interrupted=True, problem="error_during_execution")

    world.script.extend([*[turn] * 4, DONE])
    assert world.run().reason == "COMPLETE"


def test_a_message_that_came_with_a_turn_that_could_not_begin_is_in_the_next_prompt() -> None:
    world = LoopSetup(DONE, answers=[msgspec.structs.replace(RUNNING, messages=("Use tabs",))])

    async def interrupted() -> None:
        world.in_start = None
        await world.office.put("interrupt")

    world.in_start = interrupted
    world.run()
    assert world.office.asked == [1, 1]
    assert len(world.prompts) == 1
    assert "Use tabs" in world.prompts[0]


def test_an_interrupt_is_answered_when_the_agent_is_gone() -> None:
    world = LoopSetup()

    async def turn(agent: FakeAgent) -> AgentTurn:
        agent.alive = False
        await world.office.put("interrupt")
        raise GONE

    world.script.extend([turn, DONE])
    assert world.run().reason == "COMPLETE"
    assert [r.ok for r in world.office.of_kind("order")] == [True]


# Models


def test_another_model_is_used_from_the_next_turn_on_and_by_the_next_process() -> None:
    world = LoopSetup()

    async def turn(agent: FakeAgent) -> AgentTurn:
        report = await world.office.put("set_model", model="big")
        assert (report.ok, report.model, report.previous_model) == (True, "big", "small")
        return NOT_YET

    world.script.extend([turn, NOT_YET, GONE, DONE])
    world.run(SMALL)
    assert world.models == ["small", "big", "big", "big"]
    assert world.starts == [(False, "small"), (True, "big")]


def test_a_model_that_the_agent_does_not_take_is_told_and_changes_nothing() -> None:
    world = LoopSetup()

    async def turn(agent: FakeAgent) -> AgentTurn:
        report = await world.office.put("set_model", model="odd")
        assert (report.ok, report.says) == (False, "there is no model odd")
        raise GONE

    world.script.extend([turn, DONE])
    assert world.run(SMALL).reason == "COMPLETE"
    assert world.starts == [(False, "small"), (True, "small")]


def test_a_model_for_an_agent_that_is_gone_is_kept_for_the_next() -> None:
    world = LoopSetup()

    async def turn(agent: FakeAgent) -> AgentTurn:
        agent.alive = False
        report = await world.office.put("set_model", model="big")
        assert (report.ok, report.previous_model) == (True, "small")
        raise GONE

    world.script.extend([turn, DONE])
    world.run(SMALL)
    assert world.starts == [(False, "small"), (True, "big")]


def test_what_the_daemon_says_about_the_model_is_not_done_twice() -> None:
    world = LoopSetup()

    async def turn(agent: FakeAgent) -> AgentTurn:
        await world.office.put("set_model", model="big")
        agent.model = "the full name of the big one"
        return NOT_YET

    world.script.extend([turn, DONE])
    world.office.answers.extend([RUNNING, msgspec.structs.replace(RUNNING, model="big")])
    world.run(SMALL)
    assert world.models == ["small", "the full name of the big one"]


def test_a_model_that_was_changed_elsewhere_waits_for_an_agent_that_answers() -> None:
    world = LoopSetup()

    async def turn(agent: FakeAgent) -> AgentTurn:
        agent.silent = True
        return NOT_YET

    async def again(agent: FakeAgent) -> AgentTurn:
        agent.silent = False
        return NOT_YET

    big = msgspec.structs.replace(RUNNING, model="big")
    world.script.extend([turn, again, DONE])
    world.office.answers.extend([RUNNING, big, big])
    world.run(SMALL)
    assert world.models == ["small", "small", "big"]


# An agent that does not answer


@pytest.mark.parametrize("order", ["interrupt", "set_model"])
def test_an_agent_that_does_not_answer_is_told(order: Kind) -> None:
    world = LoopSetup()

    async def turn(agent: FakeAgent) -> AgentTurn:
        agent.silent = True
        report = await world.office.put(order, model="big")
        assert not report.ok
        assert "has not answered" in report.says
        raise GONE

    world.script.extend([turn, DONE])
    assert world.run(SMALL).reason == "COMPLETE"
    assert world.starts == [(False, "small"), (True, "small")]
