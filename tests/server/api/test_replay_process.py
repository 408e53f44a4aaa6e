"""The process of a replay: it ends with whoever waits for it, and its failure is told."""

import asyncio
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from handrail.api.messages.statistics import ReplayRequest
from handrail.server.api.replay_process import ReplayError, ReplayProcess

_SLOW = """
import os, pathlib, sys, time
pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))
time.sleep(600)
"""


def replay(program: str, *arguments: str) -> ReplayProcess:
    return ReplayProcess("/nowhere", {}, lambda: 0.0, (sys.executable, "-c", program, *arguments))


def test_a_replay_that_nobody_waits_for_any_more_is_ended(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"

    async def story() -> None:
        waiting = asyncio.create_task(replay(_SLOW, str(pid_file)).run(ReplayRequest("")))
        async with asyncio.timeout(60):
            while not (pid_file.exists() and pid_file.read_text()):
                await asyncio.sleep(0.01)
            waiting.cancel()
            with suppress(asyncio.CancelledError):
                await waiting

    asyncio.run(story())
    assert not psutil.pid_exists(int(pid_file.read_text()))


def test_a_process_that_fails_is_a_problem_and_the_next_replay_may_begin() -> None:
    async def story() -> None:
        failing = replay("raise SystemExit(7)")
        for _ in range(2):
            with pytest.raises(ReplayError, match="exit code 7"):
                await failing.run(ReplayRequest(""))

    asyncio.run(story())


def test_only_one_replay_runs_at_a_time() -> None:
    async def story() -> None:
        slow = replay("import time; time.sleep(600)")
        first = asyncio.create_task(slow.run(ReplayRequest("")))
        await asyncio.sleep(0)
        with pytest.raises(ReplayError, match="under way"):
            await slow.run(ReplayRequest(""))
        first.cancel()
        with suppress(asyncio.CancelledError):
            await first

    asyncio.run(story())
