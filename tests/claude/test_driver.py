"""The real Claude Code, driven: turns, interrupts, other models, ends."""

import asyncio
import json
import os
import select
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from handrail.hosts.claude.driver import ClaudeDriver
from handrail.hosts.claude.handler import hooking_for
from handrail.hosts.claude.launch import launch, settings_for
from handrail.hosts.claude.program import find_claude
from handrail.hosts.claude.settings import HookOptions
from handrail.hosts.driven_agent import (
    MARK,
    AgentGoneError,
    AgentSilentError,
    DrivenAgent,
    ModelError,
)
from handrail.hosts.port import DriveOptions, LaunchRequest
from handrail.server.hook_connection import hook_connection
from handrail.testing.model_server import Answer, ModelTurn, Say, ToolCall
from tests.claude.driven_agent import (
    LONG,
    MODEL,
    by_words,
    driving,
    half_said,
    hang,
    held,
    last_said,
)
from tests.claude.driven_agent import (
    DrivenAgent as Driven,
)
from tests.claude.sandbox import CLAUDE, ClaudeSandbox
from tests.claude.supervised import STOPPED, SupervisedSandbox
from tests.claude.test_bed import endpoint

OTHER = "claude-haiku-4-5"


def run(test: Callable[[], Awaitable[None]]) -> None:
    """One that hangs fails."""
    asyncio.run(asyncio.wait_for(test(), 2 * LONG))


@contextmanager
def listening(bed: ClaudeSandbox) -> Iterator[Callable[[], bytes]]:
    """Waits for a word of the command that hangs; nothing: it is gone."""
    os.mkfifo(bed.repo / "alive")
    handle = os.open(bed.repo / "alive", os.O_RDONLY | os.O_NONBLOCK)

    def heard() -> bytes:
        assert select.select([handle], [], [], LONG)[0]
        return os.read(handle, 100)

    yield heard
    os.close(handle)


def bash(command: str, name: str, **more: object) -> ToolCall:
    return ToolCall("Bash", {"command": command, "description": name, **more}, id=name)


# Turns


def test_it_takes_one_turn_after_the_other_in_one_process(sandbox: ClaudeSandbox) -> None:
    async def test() -> None:
        agent: DrivenAgent
        async with driving(sandbox, [Say("one"), Say("two")]) as (agent, model):
            turns = [await agent.take_turn("first"), await agent.take_turn("second")]
            assert [turn.says for turn in turns] == ["one", "two"]
            assert [turn.model for turn in turns] == [MODEL, MODEL]
            assert [turn.problem for turn in turns] == ["", ""]
            assert [last_said(asked) for asked in model.requests] == ["first", "second"]

    run(test)


def test_each_turn_has_its_own_tokens_and_cost(sandbox: ClaudeSandbox) -> None:
    async def test() -> None:
        answers: list[Answer] = [Say("one"), Say("two"), bash("true", "look"), Say("three")]
        async with driving(sandbox, answers) as (agent, _):
            one, two, three = [await agent.take_turn(text) for text in ("a", "b", "c")]
        # The script's model says nearly nothing: a call costs what is read.
        assert two.tokens == pytest.approx(one.tokens, rel=0.2)
        assert three.tokens == pytest.approx(2 * one.tokens, rel=0.2)
        for turn in (one, two, three):
            assert turn.cost_usd == pytest.approx(turn.tokens * 3e-6, rel=0.01)

    run(test)


def test_lines_of_200_kb_are_read_and_written(sandbox: ClaudeSandbox) -> None:
    async def test() -> None:
        async with driving(sandbox, [Say("x" * 200_000)]) as (agent, model):
            turn = await agent.take_turn("y" * 200_000)
            assert turn.says == "x" * 200_000
            assert last_said(model.requests[0]) == "y" * 200_000

    run(test)


def test_a_failure_of_the_model_is_the_turns_problem_and_the_next_turn_works(
    sandbox: ClaudeSandbox,
) -> None:
    async def test() -> None:
        async with driving(sandbox, by_words({"go": ModelTurn(status=400, times=99)})) as (
            agent,
            _,
        ):
            turn = await agent.take_turn("go")
            assert "scripted 400" in turn.problem
            assert (turn.says, turn.interrupted) == ("", False)
            assert (await agent.take_turn("again")).says == "I heard: again"

    run(test)


def test_a_prompt_that_a_hook_refuses_is_a_problem(sandbox: ClaudeSandbox) -> None:
    refuse = """echo '{"decision": "block", "reason": "not now"}'"""
    hooks = {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": refuse}]}]}

    async def test() -> None:
        async with driving(sandbox, [], settings=json.dumps({"hooks": hooks})) as (agent, model):
            assert "not now" in (await agent.take_turn("go")).problem
            assert model.requests == []

    run(test)


def test_a_turn_lasts_until_the_sub_agents_are_heard(sandbox: ClaudeSandbox) -> None:
    async def test() -> None:
        async with driving(sandbox, by_words(SUB_AGENT)) as (agent, _):
            turn = await agent.take_turn("AGENT")
            assert turn.says == "It was found."
            assert not turn.interrupted

    run(test)


SUB_AGENT: dict[str, Answer] = {
    "SUBWORK": Say("Found."),
    "AGENT": ToolCall("Agent", {"description": "d", "prompt": "SUBWORK"}, id="agent"),
    "SYSTEM NOTIFICATION": Say("It was found."),
    "[agent]": Say("I wait for it."),
}


def test_a_command_that_ends_between_two_turns_does_not_upset_them(sandbox: ClaudeSandbox) -> None:
    answers: dict[str, Answer] = {
        "start it": bash("mkfifo go; cat go", "beside", run_in_background=True),
        "[beside]": Say("It runs."),
        "SYSTEM NOTIFICATION": Say("It has ended."),
    }

    async def test() -> None:
        async with driving(sandbox, by_words(answers)) as driven:
            agent, model = driven
            assert (await agent.take_turn("start it")).says == "It runs."
            await asyncio.to_thread((sandbox.repo / "go").write_text, "now")
            await driven.asked(3)
            assert (await agent.take_turn("hello")).says == "I heard: hello"
            assert "SYSTEM NOTIFICATION" in last_said(model.requests[2])

    run(test)


# Interrupts

Wait = Callable[[Driven, Callable[[], bytes]], Awaitable[None]]


async def was_asked(driven: Driven, _: Callable[[], bytes]) -> None:
    await driven.asked(1)


async def command_runs(_: Driven, heard: Callable[[], bytes]) -> None:
    assert await asyncio.to_thread(heard) == b"started\n"


async def at_once(*_: object) -> None:
    """Before Claude Code is up, so that the first try comes too early."""


@pytest.mark.parametrize(
    ("answer", "wait"),
    [
        (held(), was_asked),
        (half_said(), was_asked),
        (hang(), command_runs),
        (held(), at_once),
    ],
    ids=["before the answer", "in the answer", "in a command", "at once"],
)
def test_an_interrupt_ends_the_turn_and_the_next_one_works(
    sandbox: ClaudeSandbox, answer: Answer, wait: Wait
) -> None:
    async def test(heard: Callable[[], bytes]) -> None:
        async with driving(sandbox, by_words({"go": answer})) as driven:
            agent, _ = driven
            turn = asyncio.create_task(agent.take_turn("go"))
            await asyncio.sleep(0)
            await wait(driven, heard)
            assert await agent.interrupt()
            assert (await turn).interrupted
            assert (await turn).problem == ""
            assert (await agent.take_turn("now this")).says == "I heard: now this"

    with listening(sandbox) as heard:
        run(lambda: test(heard))


def test_an_interrupted_command_is_gone(sandbox: ClaudeSandbox) -> None:
    async def test(heard: Callable[[], bytes]) -> None:
        async with driving(sandbox, by_words({"go": hang()})) as (agent, _):
            turn = asyncio.create_task(agent.take_turn("go"))
            assert await asyncio.to_thread(heard) == b"started\n"
            assert await agent.interrupt()
            assert await asyncio.to_thread(heard) == b""
            await turn

    with listening(sandbox) as heard:
        run(lambda: test(heard))


def test_an_interrupt_reaches_sub_agents_that_work_alone(sandbox: ClaudeSandbox) -> None:
    async def test() -> None:
        answers = SUB_AGENT | {"SUBWORK": held()}
        async with driving(sandbox, by_words(answers)) as driven:
            agent, _ = driven
            turn = asyncio.create_task(agent.take_turn("AGENT"))
            await driven.asked(3)  # the call, the sub-agent, and what follows from the call
            assert await agent.interrupt()
            assert (await turn).interrupted
            assert (await agent.take_turn("now this")).says == "I heard: now this"

    run(test)


def test_an_interrupt_goes_before_a_verdict_that_is_waited_for(sandbox: ClaudeSandbox) -> None:
    """As while a run is paused."""
    wait = {"type": "command", "command": "echo started > alive; exec sleep 600", "timeout": 600}
    settings = json.dumps({"hooks": {"PreToolUse": [{"hooks": [wait]}]}})

    async def test(heard: Callable[[], bytes]) -> None:
        answers = by_words({"go": bash("touch made", "make")})
        async with driving(sandbox, answers, settings=settings) as (agent, _):
            turn = asyncio.create_task(agent.take_turn("go"))
            assert await asyncio.to_thread(heard) == b"started\n"
            assert await agent.interrupt()
            assert (await turn).interrupted
            assert not (sandbox.repo / "made").exists()

    with listening(sandbox) as heard:
        run(lambda: test(heard))


def test_there_is_nothing_to_interrupt_at_rest(sandbox: ClaudeSandbox) -> None:
    async def test() -> None:
        async with driving(sandbox, []) as (agent, _):
            assert not await agent.interrupt()
            await agent.take_turn("go")
            assert not await agent.interrupt()

    run(test)


# Other models


def test_another_model_is_asked_from_the_next_call_on(sandbox: ClaudeSandbox) -> None:
    async def test(heard: Callable[[], bytes]) -> None:
        async with driving(sandbox, [hang()]) as (agent, model):
            turn = asyncio.create_task(agent.take_turn("go"))
            assert await asyncio.to_thread(heard) == b"started\n"
            assert agent.model == MODEL
            assert await agent.set_model(OTHER) == MODEL
            await asyncio.to_thread((sandbox.repo / "never").write_text, "on")
            assert (await turn).model == OTHER
            assert agent.model == OTHER
            await agent.take_turn("again")
            asked = [request.body["model"] for request in model.requests if request.tools]
            assert asked == [MODEL, OTHER, OTHER]

    with listening(sandbox) as heard:
        run(lambda: test(heard))


def test_an_answer_that_is_under_way_comes_from_the_model_before(sandbox: ClaudeSandbox) -> None:
    async def test() -> None:
        answer = half_said()
        assert answer.rest is not None
        async with driving(sandbox, [answer]) as driven:
            agent, _ = driven
            turn = asyncio.create_task(agent.take_turn("go"))
            await driven.asked(1)
            await agent.set_model(OTHER)
            answer.rest.set()
            assert (await turn).model == MODEL
            assert agent.model == OTHER

    run(test)


def test_a_model_without_a_name_is_not_taken(sandbox: ClaudeSandbox) -> None:
    async def test() -> None:
        async with driving(sandbox, []) as (agent, _):
            with pytest.raises(ModelError, match="not a recognized model"):
                await agent.set_model("")
            assert agent.model == MODEL

    run(test)


# Ends


def test_a_session_goes_on_in_a_new_process(sandbox: ClaudeSandbox) -> None:
    async def test() -> None:
        name = str(uuid4())
        async with driving(sandbox, [], name, resume=True) as (agent, _):
            first = await agent.take_turn("first")
        async with driving(sandbox, [], name, resume=True) as (agent, model):
            second = await agent.take_turn("second")
            assert "first" in model.requests[-1].text
        # What Claude Code itself counts goes on with the session.
        assert second.cost_usd == pytest.approx(first.cost_usd, rel=0.2)

    run(test)


def test_a_killed_process_is_told_and_its_session_goes_on(sandbox: ClaudeSandbox) -> None:
    async def test() -> None:
        name = str(uuid4())
        async with driving(sandbox, [held()], name) as driven:
            agent, _ = driven
            turn = asyncio.create_task(agent.take_turn("first"))
            await driven.asked(1)
            os.kill(agent.pid, signal.SIGKILL)
            with pytest.raises(AgentGoneError) as gone:
                await turn
            assert gone.value.code == -signal.SIGKILL
            with pytest.raises(AgentGoneError):
                await agent.interrupt()
            with pytest.raises(AgentGoneError):
                await agent.take_turn("second")
        async with driving(sandbox, [], name, resume=True) as (agent, model):
            await agent.take_turn("second")
            assert "first" in model.requests[0].text

    run(test)


def test_what_it_complained_about_is_told(sandbox: ClaudeSandbox) -> None:
    async def test() -> None:
        name = str(uuid4())
        async with driving(sandbox, [], name) as (agent, _):
            await agent.take_turn("first")
        async with driving(sandbox, [], name) as (agent, _):
            with pytest.raises(AgentGoneError, match=f"{name} is already in use") as gone:
                await agent.take_turn("second")
            assert gone.value.code == 1

    run(test)


@pytest.mark.parametrize("how", ["mid-command", "background", "killed"])
def test_the_end_of_the_block_ends_it_and_its_commands(sandbox: ClaudeSandbox, how: str) -> None:
    command = {**hang().input, "run_in_background": how == "background"}

    async def test(heard: Callable[[], bytes]) -> None:
        answers = by_words({"go": ToolCall("Bash", command, id="hang")})
        async with driving(sandbox, answers) as (agent, _):
            turn = asyncio.create_task(agent.take_turn("go"))
            assert await asyncio.to_thread(heard) == b"started\n"
            if how == "background":
                await turn
            elif how == "killed":
                os.kill(agent.pid, signal.SIGKILL)
        assert await asyncio.to_thread(heard) == b""
        await asyncio.gather(turn, return_exceptions=True)

    with listening(sandbox) as heard:
        run(lambda: test(heard))


def test_a_frozen_process_does_not_answer_and_goes_on_afterwards(sandbox: ClaudeSandbox) -> None:
    async def test() -> None:
        answer = half_said()
        assert answer.rest is not None
        async with driving(sandbox, [answer], patience=1.0) as driven:
            agent, _ = driven
            turn = asyncio.create_task(agent.take_turn("go"))
            await driven.asked(1)
            os.kill(agent.pid, signal.SIGSTOP)
            with pytest.raises(AgentSilentError):
                await agent.set_model(OTHER)
            os.kill(agent.pid, signal.SIGCONT)
            answer.rest.set()
            assert (await turn).says == "first the one half, and then"

    run(test)


# Its surroundings


def test_it_is_out_of_the_reach_of_a_terminal_and_can_be_told_by_a_mark(
    sandbox: ClaudeSandbox,
) -> None:
    async def test() -> None:
        name = str(uuid4())
        script = [bash(f"echo ${MARK} $CLAUDE_CODE_SESSION_ID", "look")]
        async with driving(sandbox, script, name) as (agent, model):
            await agent.take_turn("go")
            assert os.getsid(agent.pid) == agent.pid
            assert f"{name} {name}" in model.requests[-1].tool_results["look"].text

    run(test)


def test_its_hooks_come_along_and_a_project_cannot_switch_them_off(sandbox: ClaudeSandbox) -> None:
    async def test(url: str) -> None:
        hooking = HookOptions("http", url, "token", "/bin/true", (2, 1, 325))
        settings = settings_for(hooking, sandbox.environ, str(sandbox.repo), [])
        async with driving(sandbox, [bash("touch made", "make")], settings=settings) as (
            agent,
            model,
        ):
            await agent.take_turn("go")
            assert "not here" in model.requests[-1].tool_results["make"].text

    (sandbox.repo / ".claude").mkdir()
    (sandbox.repo / ".claude" / "settings.json").write_text('{"disableAllHooks": true}')
    with endpoint(permissionDecision="deny", permissionDecisionReason="not here") as url:
        run(lambda: test(url))
    assert not (sandbox.repo / "made").exists()


def test_it_is_supervised_where_handrail_is_not_installed(sandbox: ClaudeSandbox) -> None:
    world = SupervisedSandbox(sandbox)
    sandbox.at_end(world.end)
    world.state.client(sandbox.environ)
    (sandbox.home / "photos").mkdir()
    name = str(uuid4())

    async def test() -> None:
        program = find_claude(sandbox.environ)
        hooking = hooking_for("http", hook_connection(world.state), program)
        settings = settings_for(hooking, sandbox.environ, str(sandbox.repo), [])
        script = [bash("rm -rf ~/photos", "harm")]
        async with driving(sandbox, script, name, settings=settings) as (agent, model):
            await agent.take_turn("Tidy up.")
            assert STOPPED in model.requests[-1].tool_results["harm"].text

    run(test)
    assert (sandbox.home / "photos").exists()
    assert world.topics() == [f"run:{name}"]


def test_its_settings_are_private_and_gone_afterwards(sandbox: ClaudeSandbox) -> None:
    file = sandbox.state / "driven.json"

    async def test() -> None:
        async with driving(sandbox, []) as (agent, _):
            await agent.take_turn("go")
            assert file.stat().st_mode & 0o777 == 0o600
        assert not file.exists()

    run(test)


def test_a_program_that_is_not_there_is_an_agent_that_is_gone(
    claude: Path, sandbox: ClaudeSandbox
) -> None:
    async def test() -> None:
        launched = launch(
            LaunchRequest(
                program=str(CLAUDE / "nowhere"),
                run=str(uuid4()),
                cwd=str(sandbox.repo),
                environ={},
                settings="{}",
                settings_file=str(sandbox.state / "driven.json"),
                options=DriveOptions(),
            )
        )
        with pytest.raises(AgentGoneError, match="Not a directory"):
            async with ClaudeDriver(launched):
                pass
        assert not (sandbox.state / "driven.json").exists()

    run(test)
