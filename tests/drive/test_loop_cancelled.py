"""Whoever leaves (Ctrl+C) leaves nothing running; and a loop with a real shell."""

import asyncio
import os
from pathlib import Path

import msgspec
import psutil
import pytest

from handrail.drive.daemon_client import IterationPermission
from handrail.drive.drive_task import DriveTask
from handrail.drive.loop import drive
from handrail.drive.verify import Verification
from handrail.hosts.driven_agent import AgentTurn
from tests.drive.fakes import (
    DONE,
    OVERLOADED,
    PASSED,
    RUNNING,
    STOPPED,
    VERIFIED,
    FakeAgent,
    LoopSetup,
)


async def cancelled(world: LoopSetup, task: DriveTask, reached: asyncio.Event) -> None:
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
    world = LoopSetup(verifications=[PASSED])

    async def scene() -> None:
        reached = asyncio.Event()

        async def here() -> None:
            reached.set()
            await asyncio.get_running_loop().create_future()

        async def turn(agent: FakeAgent) -> AgentTurn:
            if moment == "turn":
                await here()
            return OVERLOADED if moment == "pause" else DONE

        async def ask() -> IterationPermission:
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
    world = LoopSetup(DONE, DONE, verifications=[killed, PASSED])

    async def stopped() -> IterationPermission:
        world.office.put("start")
        return STOPPED

    world.office.answers.extend([RUNNING, stopped])
    assert world.run(VERIFIED).reason == "COMPLETE"
    assert "SIGTERM" not in world.prompts[1]


# With the real clock, shell and processes


def test_a_real_command_decides_whether_it_is_done(tmp_path: Path) -> None:
    world = LoopSetup(DONE)

    async def write(agent: FakeAgent) -> AgentTurn:
        await asyncio.to_thread((tmp_path / "answer").write_text, "42")
        return DONE

    world.script.append(write)
    task = DriveTask(goal="Find out", cwd=str(tmp_path), verify='echo "$RUN"; cat answer')
    task = msgspec.structs.replace(task, environ={"RUN": "run-1"})
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
    task = DriveTask(goal="Find out", cwd=str(tmp_path), verify="echo $$ > begun; sleep 600")

    async def scene() -> int:
        world = LoopSetup(DONE)
        driving = asyncio.create_task(drive(task, world.office, world.start))
        pid = int(await asyncio.to_thread(begun.read_text))
        driving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await driving
        return pid

    assert not psutil.pid_exists(asyncio.run(scene()))
