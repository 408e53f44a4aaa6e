"""The loop: every way to end, and how it goes on until then."""

import asyncio
import os
from pathlib import Path

import msgspec
import psutil
import pytest

from handrail.fleet.loop import PAUSES, Task, drive
from handrail.fleet.office import Begun, Go, Report
from handrail.fleet.usage import Limits, Sample
from handrail.fleet.verify import Verification
from handrail.hosts.driven import AgentGoneError, Turn
from handrail.model.control import Standing
from tests.fleet.fakes import (
    CANCELLED,
    FAILED,
    PASSED,
    RUNNING,
    STOPPED,
    TASK,
    FakeAgent,
    World,
)

DONE = Turn(says="All fine.\nTASK DONE")
NOT_YET = Turn(says="Next I will write the tests.")
OVERLOADED = Turn(problem="529 overloaded")
GONE = AgentGoneError(1, "out of memory")
VERIFIED = msgspec.structs.replace(TASK, verify="make test")


def limited(limits: Limits, task: Task = TASK) -> Task:
    return msgspec.structs.replace(task, limits=limits)


def the_end(world: World) -> Report:
    """The end that was reported: exactly one, and nothing after it."""
    found = world.office.of_kind("done", "abort")
    assert len(found) == 1
    assert world.office.reports[-1] == found[0]
    return found[0]


# How it ends


def test_the_loop_goes_on_until_the_agent_says_that_it_is_done() -> None:
    world = World(NOT_YET, NOT_YET, DONE)
    end = world.run()
    assert (end.how, end.reason, end.verified) == ("done", "COMPLETE", False)
    assert "Nothing was verified" in end.says
    assert world.office.asked == [1, 2, 3]
    assert world.starts == [(False, "")]
    assert the_end(world) == Report(kind="done", reason="COMPLETE", says=end.says, iteration=3)


def test_done_means_that_the_verify_command_passes_too() -> None:
    world = World(NOT_YET, DONE, DONE, verifications=[FAILED, PASSED])
    end = world.run(VERIFIED)
    assert (end.how, end.reason, end.verified) == ("done", "COMPLETE", True)
    assert world.office.asked == [1, 2, 3]
    assert "1 failed" in world.prompts[2]
    assert [(r.iteration, r.ok, r.command) for r in world.office.of_kind("verified")] == [
        (2, False, "make test"),
        (3, True, "make test"),
    ]


def test_a_verify_command_that_passes_without_the_agents_word_is_not_asked() -> None:
    world = World(NOT_YET, DONE, verifications=[PASSED])
    world.run(VERIFIED)
    assert [r.iteration for r in world.office.of_kind("verified")] == [2]


def test_what_the_verify_command_said_is_told_once() -> None:
    world = World(DONE, NOT_YET, DONE, verifications=[FAILED, PASSED])
    world.run(VERIFIED)
    assert ["1 failed" in prompt for prompt in world.prompts] == [False, True, False]


def test_at_the_last_iteration_it_ends() -> None:
    world = World(NOT_YET, NOT_YET, NOT_YET)
    end = world.run(limited(Limits(max_iterations=3)))
    assert (end.how, end.reason) == ("done", "MAX_ITERATIONS")
    assert world.office.asked == [1, 2, 3]
    assert the_end(world).iteration == 3


def test_at_the_last_iteration_it_is_told_that_the_check_failed() -> None:
    end = World(DONE, verifications=[FAILED]).run(limited(Limits(max_iterations=1), VERIFIED))
    assert end.reason == "MAX_ITERATIONS"
    assert "did not pass: exit code 1" in end.says


def test_an_agent_that_is_done_in_the_last_iteration_is_complete() -> None:
    assert World(NOT_YET, DONE).run(limited(Limits(max_iterations=2))).reason == "COMPLETE"


def test_an_agent_that_is_blocked_ends_the_loop_unverified() -> None:
    world = World(Turn(says="TASK BLOCKED: I need a key"))
    end = world.run(VERIFIED)
    assert (end.how, end.reason, end.verified) == ("done", "STUCK", False)
    assert "I need a key" in end.says
    assert the_end(world).reason == "STUCK"


@pytest.mark.parametrize(
    ("limits", "turn"),
    [
        (Limits(max_cost_usd=1), Turn(cost_usd=0.6)),
        (Limits(max_tokens=1_000), Turn(tokens=600)),
    ],
)
def test_at_another_limit_it_is_broken_off(limits: Limits, turn: Turn) -> None:
    world = World(turn, turn)
    end = world.run(limited(limits))
    assert (end.how, end.reason) == ("abort", "LIMIT")
    assert world.office.asked == [1, 2]
    assert the_end(world).says == end.says


def test_who_is_done_when_the_limit_is_met_is_done() -> None:
    turn = Turn(says="TASK DONE", cost_usd=5)
    assert World(turn).run(limited(Limits(max_cost_usd=1))).reason == "COMPLETE"


def test_the_cost_of_turns_that_failed_counts() -> None:
    bad = Turn(problem="529", cost_usd=0.6)
    assert World(bad, bad).run(limited(Limits(max_cost_usd=1))).reason == "LIMIT"


def test_a_run_that_was_cancelled_ends_and_nothing_is_told() -> None:
    world = World(NOT_YET, answers=[RUNNING, CANCELLED])
    end = world.run()
    assert (end.how, end.reason) == ("abort", "USER_CANCELLED")
    assert world.office.of_kind("done", "abort") == []


@pytest.mark.parametrize("standing", [Standing.CANCELLING, Standing.DONE])
def test_a_run_that_is_over_for_the_daemon_ends(standing: Standing) -> None:
    assert World(answers=[Go(standing=standing)]).run().reason == "USER_CANCELLED"


@pytest.mark.parametrize("standing", [Standing.PAUSED, Standing.FROZEN, Standing.PAUSING])
def test_whoever_is_held_asks_again(standing: Standing) -> None:
    world = World(DONE, answers=[Go(standing=standing), Go(standing=standing), RUNNING])
    assert world.run().reason == "COMPLETE"
    assert world.office.asked == [1, 1, 1]
    assert len(world.prompts) == 1


# What fails


@pytest.mark.parametrize("failure", [GONE, OVERLOADED])
def test_three_failures_in_a_row_end_it(failure: Turn | AgentGoneError) -> None:
    world = World(failure, failure, failure)
    end = world.run()
    assert (end.how, end.reason) == ("abort", "ERROR")
    assert world.time.pauses == list(PAUSES)
    assert set(world.office.asked) == {1}
    assert the_end(world).reason == "ERROR"
    assert "3 times in a row" in end.says


def test_after_a_pause_the_daemon_is_asked_again() -> None:
    world = World(GONE)

    async def cancel() -> None:
        world.office.answers.append(CANCELLED)

    world.time.in_pause = cancel
    assert world.run().reason == "USER_CANCELLED"
    assert len(world.prompts) == 1


def test_an_agent_that_is_gone_is_started_again_with_its_conversation() -> None:
    world = World(NOT_YET, GONE, DONE)
    assert world.run().reason == "COMPLETE"
    assert world.starts == [(False, ""), (True, "")]
    assert world.time.pauses == [PAUSES[0]]
    assert world.prompts[2].startswith(TASK.goal)
    assert "started again" in world.prompts[2]
    assert the_end(world).iteration == 2


def test_a_good_turn_makes_up_for_failures_before() -> None:
    world = World(GONE, OVERLOADED, NOT_YET, OVERLOADED, GONE, DONE)
    assert world.run().reason == "COMPLETE"
    assert world.time.pauses == [*PAUSES, *PAUSES]


def test_one_error_of_the_model_keeps_the_process_and_a_second_one_does_not() -> None:
    world = World(OVERLOADED, OVERLOADED, DONE)
    assert world.run().reason == "COMPLETE"
    assert len(world.starts) == 2
    assert world.prompts[0] == world.prompts[1]


def test_the_words_of_a_turn_that_failed_do_not_count() -> None:
    failed = Turn(says="TASK DONE", problem="cut off")
    assert World(failed, failed, failed).run().reason == "ERROR"


@pytest.mark.parametrize("error", [GONE, FileNotFoundError(2, "no such program", "claude")])
def test_an_agent_that_cannot_be_started_is_a_failure(error: AgentGoneError | OSError) -> None:
    world = World()
    world.bad_starts.extend([error] * 3)
    end = world.run()
    assert end.reason == "ERROR"
    assert str(error) in end.says
    assert world.prompts == []


def test_an_agent_that_could_not_be_started_before_it_was_told_anything_has_nothing_to_resume() -> (
    None
):
    world = World(DONE)
    world.bad_starts.append(GONE)
    world.run()
    assert [resume for resume, _ in world.starts] == [False, False]


def test_a_turn_that_breaks_off_by_itself_is_a_failure() -> None:
    broken = Turn(interrupted=True)
    assert World(broken, broken, broken).run().reason == "ERROR"


def test_a_fault_of_the_daemon_is_raised_as_it_is_and_leaves_nothing_behind() -> None:
    async def broken() -> Go:
        raise ConnectionError("no daemon")

    with pytest.raises(ConnectionError, match="no daemon"):
        World(NOT_YET, answers=[RUNNING, broken]).run()


# What the daemon gives along


def test_messages_and_a_new_goal_get_into_the_next_prompt() -> None:
    more = Go(standing=Standing.RUNNING, goal="Write docs", messages=("Use tabs",))
    world = World(NOT_YET, NOT_YET, DONE, answers=[RUNNING, more])
    world.run()
    assert "Use tabs" in world.prompts[1]
    assert "Write docs" in world.prompts[1]
    assert "Use tabs" not in world.prompts[2]


def test_messages_are_not_lost_with_an_agent_that_is_gone() -> None:
    more = Go(standing=Standing.RUNNING, messages=("Use tabs",))
    world = World(GONE, DONE, answers=[more])
    world.run()
    assert "Use tabs" in world.prompts[1]


def test_a_model_that_was_changed_is_used_from_then_on() -> None:
    big = Go(standing=Standing.RUNNING, model="big")
    world = World(NOT_YET, NOT_YET, GONE, DONE, answers=[RUNNING, big])
    world.run(msgspec.structs.replace(TASK, model="small"))
    assert world.models == ["small", "big", "big", "big"]
    assert world.starts == [(False, "small"), (True, "big")]


def test_a_model_that_the_agent_does_not_take_does_not_end_the_loop() -> None:
    odd = Go(standing=Standing.RUNNING, model="odd")
    world = World(NOT_YET, DONE, answers=[RUNNING, odd])
    assert world.run(msgspec.structs.replace(TASK, model="small")).reason == "COMPLETE"
    assert world.models == ["small", "small"]


# Taken up again


def test_a_loop_that_is_taken_up_begins_its_last_iteration_again() -> None:
    begun = Begun(iteration=4, tokens=100, cost_usd=1.0, seconds=60.0, memory_mb=500.0)
    world = World(Turn(tokens=5, cost_usd=0.5), DONE, begun=begun)
    world.run()
    assert world.office.asked == [4, 5]
    assert world.starts == [(True, "")]
    used = world.office.of_kind("usage")[-1]
    assert (used.tokens, used.cost_usd, used.memory_mb) == (105, 1.5, 500.0)


def test_a_loop_that_has_used_everything_is_not_begun() -> None:
    world = World(begun=Begun(iteration=4, cost_usd=2.0))
    assert world.run(limited(Limits(max_cost_usd=1))).reason == "LIMIT"
    assert world.starts == []


def test_a_loop_that_is_taken_up_has_no_more_iterations_than_before() -> None:
    world = World(NOT_YET, begun=Begun(iteration=3))
    assert world.run(limited(Limits(max_iterations=3))).reason == "MAX_ITERATIONS"
    assert world.office.asked == [3]


def test_the_daemon_is_told_everything_before_the_agent_starts() -> None:
    world = World(DONE, verifications=[PASSED])
    world.run(msgspec.structs.replace(VERIFIED, model="small", limits=Limits(max_iterations=7)))
    (began,) = world.office.began
    assert (began.goal, began.max, began.model, began.verify) == (
        TASK.goal,
        7,
        "small",
        "make test",
    )
    assert began.driver > 0


# What it uses


def test_usage_is_told_after_each_turn() -> None:
    world = World(Turn(tokens=10, cost_usd=0.25, model="big"), Turn(says="TASK DONE", tokens=5))
    world.run()
    usage = world.office.of_kind("usage")
    assert [(used.tokens, used.cost_usd) for used in usage] == [(10, 0.25), (15, 0.25), (15, 0.25)]
    assert usage[0].model == "big"


def test_time_counts_in_turns_and_verification_and_not_while_held() -> None:
    world = World(verifications=[PASSED])

    async def work(agent: FakeAgent) -> Turn:
        world.time.now += 60
        return DONE

    async def held() -> Go:
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
    world = World()

    async def grow(agent: FakeAgent) -> Turn:
        await world.time.tick()
        world.memory = Sample(600.0)
        await world.time.tick()
        return await agent.work_on()

    world.script.append(grow)
    end = world.run(limited(Limits(max_memory_mb=512)))
    assert (end.how, end.reason) == ("abort", "LIMIT")
    assert "600 of 512 MB" in end.says
    assert world.office.of_kind("usage")[-1].memory_mb == 600


def test_too_much_time_in_the_middle_of_a_turn_interrupts_it() -> None:
    world = World()

    async def linger(agent: FakeAgent) -> Turn:
        world.time.now += 601
        await world.time.tick()
        return await agent.work_on()

    world.script.append(linger)
    assert world.run(limited(Limits(max_minutes=10))).reason == "LIMIT"


def test_an_agent_that_cannot_be_interrupted_is_ended() -> None:
    world = World()

    async def hang(agent: FakeAgent) -> Turn:
        agent.deaf = True
        world.time.now += 601
        await world.time.tick()
        await world.time.tick()
        return await agent.work_on()

    world.script.append(hang)
    assert world.run(limited(Limits(max_minutes=10))).reason == "LIMIT"


def test_an_agent_that_does_not_answer_at_a_limit_is_ended() -> None:
    world = World()

    async def hang(agent: FakeAgent) -> Turn:
        agent.silent = True
        world.time.now += 601
        await world.time.tick()
        await world.time.tick()
        return await agent.work_on()

    world.script.append(hang)
    assert world.run(limited(Limits(max_minutes=10))).reason == "LIMIT"


def test_an_agent_that_is_frozen_meets_no_limit() -> None:
    world = World()

    async def frozen(agent: FakeAgent) -> Turn:
        world.memory = Sample(100.0, frozen=True)
        await world.time.tick()
        await world.time.watched()
        world.time.now += 3600
        await world.time.tick()
        await world.time.watched()
        world.memory = Sample(100.0)
        await world.time.tick()
        await world.time.watched()
        return DONE

    world.script.append(frozen)
    assert world.run(limited(Limits(max_minutes=10))).reason == "COMPLETE"
    assert world.office.of_kind("usage")[-1].seconds < 60


def test_an_agent_that_is_frozen_is_not_interrupted() -> None:
    world = World()

    async def frozen(agent: FakeAgent) -> Turn:
        world.memory = Sample(600.0, frozen=True)
        await world.time.tick()
        await world.time.watched()
        assert agent.interrupts == 0
        return DONE

    world.script.append(frozen)
    assert world.run(limited(Limits(max_memory_mb=512))).reason == "COMPLETE"


def test_an_agent_that_dies_when_the_limit_is_met_is_no_error() -> None:
    world = World()

    async def die(agent: FakeAgent) -> Turn:
        world.memory = Sample(600.0)
        await world.time.tick()
        await agent.work_on()
        agent.alive = False
        raise GONE

    world.script.append(die)
    assert world.run(limited(Limits(max_memory_mb=512))).reason == "LIMIT"
    assert world.time.pauses == []


def test_an_agent_that_is_gone_before_it_can_be_interrupted_is_no_error() -> None:
    world = World()

    async def die(agent: FakeAgent) -> Turn:
        agent.alive = False
        world.memory = Sample(600.0)
        await world.time.tick()
        await world.time.watched()
        raise GONE

    world.script.append(die)
    assert world.run(limited(Limits(max_memory_mb=512))).reason == "LIMIT"


# Cancelled from outside (Ctrl+C)


async def cancelled(world: World, task: Task, reached: asyncio.Event) -> None:
    driving = asyncio.create_task(drive(task, world.office, world.start, world.means()))
    await reached.wait()
    driving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await driving
    assert world.open == 0
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert world.office.of_kind("done", "abort") == []


@pytest.mark.parametrize("moment", ["asking", "starting", "turn", "verify", "pause", "stopped"])
def test_cancellation_leaves_nothing_running(moment: str) -> None:
    world = World(verifications=[PASSED])

    async def scene() -> None:
        reached = asyncio.Event()

        async def here() -> None:
            reached.set()
            await asyncio.get_running_loop().create_future()

        async def turn(agent: FakeAgent) -> Turn:
            if moment == "turn":
                await here()
            return OVERLOADED if moment == "pause" else DONE

        async def ask() -> Go:
            if moment == "asking":
                await here()
            if moment == "stopped":
                asyncio.get_running_loop().call_soon(reached.set)
                return STOPPED
            return RUNNING

        world.script.append(turn)
        world.office.answers.append(ask)
        if moment == "starting":
            world.in_start = here
        if moment == "verify":
            world.in_verify = here
        if moment == "pause":
            world.time.in_pause = here
        await cancelled(world, VERIFIED, reached)

    asyncio.run(scene())


def test_a_verification_that_was_killed_is_not_held_against_the_agent_of_a_stopped_run() -> None:
    killed = Verification(ok=False, how="killed by SIGTERM")
    world = World(DONE, DONE, verifications=[killed, PASSED])

    async def stopped() -> Go:
        world.office.put("start")
        return STOPPED

    world.office.answers.extend([RUNNING, stopped])
    assert world.run(VERIFIED).reason == "COMPLETE"
    assert "SIGTERM" not in world.prompts[1]


# With the real clock, shell and processes


def test_a_real_command_decides_whether_it_is_done(tmp_path: Path) -> None:
    world = World(DONE)

    async def write(agent: FakeAgent) -> Turn:
        await asyncio.to_thread((tmp_path / "answer").write_text, "42")
        return DONE

    world.script.append(write)
    task = Task(goal="Find out", cwd=str(tmp_path), verify='echo "$RUN"; cat answer')
    task = msgspec.structs.replace(task, marks={"RUN": "run-1"})
    end = asyncio.run(drive(task, world.office, world.start))
    assert (end.reason, end.verified) == ("COMPLETE", True)
    first, second = world.office.of_kind("verified")
    assert not first.ok
    assert first.says.startswith("exit code 1\nrun-1\n")
    assert (second.ok, second.says) == (True, "exit code 0\nrun-1\n42")
    assert first.says.removeprefix("exit code 1\n") in world.prompts[1]


def test_a_real_command_ends_with_the_loop(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    os.mkfifo(begun)
    task = Task(goal="Find out", cwd=str(tmp_path), verify="echo $$ > begun; sleep 600")

    async def scene() -> int:
        world = World(DONE)
        driving = asyncio.create_task(drive(task, world.office, world.start))
        pid = int(await asyncio.to_thread(begun.read_text))
        driving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await driving
        return pid

    assert not psutil.pid_exists(asyncio.run(scene()))
