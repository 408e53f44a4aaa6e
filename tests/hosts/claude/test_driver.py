"""The driver with programs that behave as Claude Code seldom does."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from handrail.hosts.claude.driver import ClaudeDriver
from handrail.hosts.claude.launch import Launch
from handrail.hosts.driven_agent import AgentGoneError, AgentSilentError

pytestmark = pytest.mark.slow

LONG = 60.0
PROGRAM = """
import json, os, signal, sys, time
def say(**line): print(json.dumps(line), flush=True)
def result(text): say(type="result", subtype="success", result=text, num_turns=1)
lines = (json.loads(line) for line in sys.stdin)
"""
ECHO = """
for line in lines:
    if line["type"] == "user": result(line["message"]["content"])
"""


def driver(program: str, patience: float = LONG) -> ClaudeDriver:
    argv = (sys.executable, "-c", PROGRAM + program)
    launch = Launch(argv=argv, environ={"PATH": os.environ["PATH"]}, cwd="/")
    return ClaudeDriver(launch, patience=patience)


def run(test: Callable[[], Awaitable[None]]) -> None:
    """One that hangs fails."""
    asyncio.run(asyncio.wait_for(test(), LONG))


def test_garbage_between_the_lines_is_passed_over() -> None:
    garbage = """
os.write(1, b"warning: \\xff\\n\\n[1, 2]\\n" + b"x" * (33 << 20) + b"\\n")
"""

    async def test() -> None:
        async with driver(garbage + ECHO) as agent:
            assert (await agent.take_turn("hello")).says == "hello"

    run(test)


def test_a_question_that_nobody_can_answer_is_refused() -> None:
    asks = """
next(lines)
say(type="control_request", request_id="q", request={"subtype": "can_use_tool"})
result(json.dumps(next(lines)["response"]))
next(lines, None)
"""

    async def test() -> None:
        async with driver(asks) as agent:
            response = json.loads((await agent.take_turn("go")).says)
            assert (response["subtype"], response["request_id"]) == ("error", "q")

    run(test)


def test_an_end_in_the_middle_tells_the_code_and_the_last_complaints() -> None:
    dies = """
next(lines)
sys.stderr.write("x" * 100_000 + "and then it broke\\n")
sys.exit(7)
"""

    async def test() -> None:
        async with driver(dies) as agent:
            with pytest.raises(AgentGoneError) as gone:
                await agent.take_turn("go")
            assert gone.value.code == 7
            assert gone.value.says.endswith("and then it broke")
            assert len(gone.value.says) < 5_000

    run(test)


def test_the_last_words_before_an_end_are_heard() -> None:
    async def test() -> None:
        async with driver("next(lines); result('x' * 1_000_000)") as agent:
            assert len((await agent.take_turn("go")).says) == 1_000_000
            with pytest.raises(AgentGoneError):
                await agent.take_turn("again")

    run(test)


def test_an_end_is_noticed_though_a_child_holds_the_pipes_open(tmp_path: Path) -> None:
    orphan = f"""
next(lines)
if os.fork() == 0:
    open({str(tmp_path / "pid")!r}, "w").write(str(os.getpid()))
    signal.pause()
os._exit(3)
"""

    async def test() -> None:
        async with driver(orphan) as agent:
            with pytest.raises(AgentGoneError) as gone:
                await agent.take_turn("go")
            assert gone.value.code == 3

    try:
        run(test)
    finally:
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


def test_a_pipe_that_is_closed_is_noticed_with_the_end() -> None:
    async def test() -> None:
        async with driver("os.close(0); say(type='result'); signal.pause()", 0.1) as agent:
            with pytest.raises(AgentSilentError):
                await agent.set_model("m")
            os.kill(agent.pid, signal.SIGKILL)
            with pytest.raises(AgentGoneError):
                await agent.take_turn("x" * 1_000_000)

    run(test)


def test_an_interrupt_that_does_not_help_is_told() -> None:
    deaf = """
for line in lines:
    if line["type"] == "control_request":
        name = line["request_id"]
        say(type="control_response", response={"subtype": "success", "request_id": name})
"""

    async def test() -> None:
        async with driver(deaf, patience=0.5) as agent:
            turn = asyncio.create_task(agent.take_turn("go"))
            await asyncio.sleep(0)
            with pytest.raises(AgentSilentError, match="interrupt"):
                await agent.interrupt()
            turn.cancel()

    run(test)


def test_whoever_stops_waiting_may_send_on_and_gets_the_right_answer() -> None:
    slow = """
first, second = next(lines), next(lines)
for line in (first, second):
    for state in ("queued", "started"):
        say(type="command_lifecycle", command_uuid=line["uuid"], state=state)
    result(line["message"]["content"])
next(lines, None)
"""

    async def test() -> None:
        async with driver(slow) as agent:
            first = asyncio.create_task(agent.take_turn("first"))
            await asyncio.sleep(0)
            first.cancel()
            assert (await agent.take_turn("second")).says == "second"

    run(test)


def test_one_that_does_not_want_to_end_is_killed() -> None:
    stubborn = """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
next(lines); result("I stay.")
while True: signal.pause()
"""

    async def test() -> None:
        async with driver(stubborn, patience=0.1) as agent:
            await agent.take_turn("go")
        with pytest.raises(ProcessLookupError):
            os.kill(agent.pid, 0)

    run(test)


def test_a_frozen_one_ends_with_the_block() -> None:
    async def test() -> None:
        async with driver(ECHO, patience=0.1) as agent:
            await agent.take_turn("go")
            os.kill(agent.pid, signal.SIGSTOP)
        with pytest.raises(ProcessLookupError):
            os.kill(agent.pid, 0)

    run(test)


def test_a_block_that_is_cancelled_twice_leaves_no_process() -> None:
    async def test() -> None:
        agent = driver("signal.signal(signal.SIGTERM, signal.SIG_IGN); next(lines); signal.pause()")

        async def use() -> None:
            async with agent:
                await agent.take_turn("go")

        using = asyncio.create_task(use())
        while not agent.pid:
            await asyncio.sleep(0.01)
        for _ in range(2):
            using.cancel()
            await asyncio.wait({using}, timeout=0.05)
        with pytest.raises(asyncio.CancelledError):
            await using
        while _is_alive(agent.pid):
            await asyncio.sleep(0.01)

    run(test)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
