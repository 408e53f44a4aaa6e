"""What a loop uses is told, and limited."""

import asyncio

import pytest

from handrail.drive.daemon_client import IterationPermission, LoopProgress
from handrail.drive.loop import drive
from handrail.drive.turn import REPORT_EVERY
from handrail.drive.usage import LoopLimits, ProcessSample
from handrail.hosts.driven_agent import AgentTurn
from tests.drive.fakes import (
    DONE,
    GONE,
    NOT_YET,
    PASSED,
    RUNNING,
    TASK,
    VERIFIED,
    FakeAgent,
    LoopSetup,
    limited,
)


def test_usage_is_told_after_each_turn() -> None:
    world = LoopSetup(
        AgentTurn(tokens=10, cost_usd=0.25, model="big"), AgentTurn(says="TASK DONE", tokens=5)
    )
    world.run()
    usage = world.office.of_kind("usage")
    assert [(used.tokens, used.cost_usd) for used in usage] == [(10, 0.25), (15, 0.25), (15, 0.25)]
    assert usage[0].model == "big"


def test_time_counts_in_turns_and_verification_and_not_while_held() -> None:
    world = LoopSetup(verifications=[PASSED])

    async def work(agent: FakeAgent) -> AgentTurn:
        world.time.now += 60
        return DONE

    async def held() -> IterationPermission:
        world.time.now += 1000
        return RUNNING

    async def checking() -> None:
        world.time.now += 30

    world.script.append(work)
    world.office.answers.append(held)
    world.in_verify = checking
    world.run(VERIFIED)
    assert world.office.of_kind("usage")[-1].seconds == 90


def test_too_much_memory_in_the_middle_of_a_turn_interrupts_it() -> None:
    world = LoopSetup()

    async def grow(agent: FakeAgent) -> AgentTurn:
        await world.time.tick()
        world.memory = ProcessSample(600.0)
        await world.time.tick()
        return await agent.work_on()

    world.script.append(grow)
    end = world.run(limited(LoopLimits(max_memory_mb=512)))
    assert (end.how, end.reason) == ("abort", "LIMIT")
    assert "600 of 512 MB" in end.says
    assert world.office.of_kind("usage")[-1].memory_mb == 600


def test_too_many_tokens_in_the_middle_of_a_turn_interrupt_it() -> None:
    world = LoopSetup()

    async def read_on(agent: FakeAgent) -> AgentTurn:
        agent.tokens = 1200
        await world.time.tick()
        return await agent.work_on()

    world.script.append(read_on)
    end = world.run(limited(LoopLimits(max_tokens=1000)))
    assert (end.reason, world.office.of_kind("usage")[-1].tokens) == ("LIMIT", 1200)


def test_the_tokens_of_an_agent_that_was_ended_count() -> None:
    world = LoopSetup()

    async def die(agent: FakeAgent) -> AgentTurn:
        agent.tokens = 700
        raise GONE

    world.script.extend([die, DONE])
    world.run()
    assert world.office.of_kind("usage")[0].tokens == 700


def test_too_much_time_in_the_middle_of_a_turn_interrupts_it() -> None:
    world = LoopSetup()

    async def linger(agent: FakeAgent) -> AgentTurn:
        world.time.now += 601
        await world.time.tick()
        return await agent.work_on()

    world.script.append(linger)
    assert world.run(limited(LoopLimits(max_minutes=10))).reason == "LIMIT"


def test_an_agent_that_cannot_be_interrupted_is_ended() -> None:
    world = LoopSetup()

    async def hang(agent: FakeAgent) -> AgentTurn:
        agent.deaf = True
        world.time.now += 601
        await world.time.tick()
        await world.time.tick()
        return await agent.work_on()

    world.script.append(hang)
    assert world.run(limited(LoopLimits(max_minutes=10))).reason == "LIMIT"


def test_an_agent_that_does_not_answer_at_a_limit_is_ended() -> None:
    world = LoopSetup()

    async def hang(agent: FakeAgent) -> AgentTurn:
        agent.silent = True
        world.time.now += 601
        await world.time.tick()
        await world.time.tick()
        return await agent.work_on()

    world.script.append(hang)
    assert world.run(limited(LoopLimits(max_minutes=10))).reason == "LIMIT"


def test_an_agent_that_is_frozen_meets_no_limit() -> None:
    world = LoopSetup()

    async def frozen(agent: FakeAgent) -> AgentTurn:
        world.memory = ProcessSample(100.0, frozen=True)
        await world.time.tick()
        await world.time.watched()
        world.time.now += 3600
        await world.time.tick()
        await world.time.watched()
        world.memory = ProcessSample(100.0)
        await world.time.tick()
        await world.time.watched()
        return DONE

    world.script.append(frozen)
    assert world.run(limited(LoopLimits(max_minutes=10))).reason == "COMPLETE"
    assert world.office.of_kind("usage")[-1].seconds < 60


def test_an_agent_that_is_paused_meets_no_limit() -> None:
    world = LoopSetup()

    async def paused(agent: FakeAgent) -> AgentTurn:
        world.office.held = True
        await world.time.tick()
        await world.time.watched()
        world.time.now += 3600
        await world.time.tick()
        await world.time.watched()
        world.office.held = False
        await world.time.tick()
        await world.time.watched()
        assert agent.interrupts == 0
        return DONE

    world.script.append(paused)
    assert world.run(limited(LoopLimits(max_minutes=10))).reason == "COMPLETE"
    assert world.office.of_kind("usage")[-1].seconds < 60


def test_the_time_of_an_agent_that_was_ended_counts() -> None:
    world = LoopSetup()

    async def die(agent: FakeAgent) -> AgentTurn:
        world.time.now += 60
        raise GONE

    world.script.extend([die, DONE])
    world.run()
    assert world.office.of_kind("usage")[0].seconds == 60


def test_an_agent_that_is_frozen_is_not_interrupted() -> None:
    world = LoopSetup()

    async def frozen(agent: FakeAgent) -> AgentTurn:
        world.memory = ProcessSample(600.0, frozen=True)
        await world.time.tick()
        await world.time.watched()
        assert agent.interrupts == 0
        return DONE

    world.script.append(frozen)
    assert world.run(limited(LoopLimits(max_memory_mb=512))).reason == "COMPLETE"


def test_an_agent_that_dies_when_the_limit_is_met_is_no_error() -> None:
    world = LoopSetup()

    async def die(agent: FakeAgent) -> AgentTurn:
        world.memory = ProcessSample(600.0)
        await world.time.tick()
        await agent.work_on()
        agent.alive = False
        raise GONE

    world.script.append(die)
    assert world.run(limited(LoopLimits(max_memory_mb=512))).reason == "LIMIT"
    assert world.time.pauses == []


def test_an_agent_that_is_gone_before_it_can_be_interrupted_is_no_error() -> None:
    world = LoopSetup()

    async def die(agent: FakeAgent) -> AgentTurn:
        agent.alive = False
        world.memory = ProcessSample(600.0)
        await world.time.tick()
        await world.time.watched()
        raise GONE

    world.script.append(die)
    assert world.run(limited(LoopLimits(max_memory_mb=512))).reason == "LIMIT"


def test_the_usage_of_a_long_turn_is_told_meanwhile() -> None:
    """So that a driver that is killed takes little of it along."""
    world = LoopSetup(begun=LoopProgress(iteration=1, tokens=500))

    async def read_on(agent: FakeAgent) -> AgentTurn:
        agent.tokens = 1200
        for _ in range(REPORT_EVERY):
            await world.time.tick()
        await world.time.watched()
        return AgentTurn(says="TASK DONE", tokens=1500)

    world.script.append(read_on)
    world.run()
    told = [used.tokens for used in world.office.of_kind("usage")]
    assert told == [1700, 2000, 2000]


def test_a_loop_announces_its_limits() -> None:
    limits = LoopLimits(
        max_iterations=3, max_minutes=30, max_cost_usd=5, max_tokens=60_000, max_memory_mb=2048
    )
    world = LoopSetup(DONE)
    world.run(limited(limits))
    [began] = world.office.began
    assert (began.max, began.max_minutes, began.max_cost_usd) == (3, 30, 5)
    assert (began.max_tokens, began.max_memory_mb) == (60_000, 2048)


def test_a_turn_that_is_left_counts() -> None:
    world = LoopSetup()

    async def scene() -> None:
        reached = asyncio.Event()

        async def read_on(agent: FakeAgent) -> AgentTurn:
            agent.tokens = 1200
            await world.time.tick()
            await world.time.watched()
            reached.set()
            return await agent.work_on()

        world.script.append(read_on)
        driving = asyncio.create_task(drive(TASK, world.office, world.start, world.means()))
        await reached.wait()
        driving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await driving

    asyncio.run(scene())
    assert [used.tokens for used in world.office.of_kind("usage")] == [1200]


def test_an_agent_that_stops_without_a_word_about_its_work_is_told_what_is_missing() -> None:
    world = LoopSetup(NOT_YET, DONE)
    world.run()
    assert "no line of your last message says TASK DONE" in world.prompts[1]
