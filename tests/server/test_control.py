"""A run is paused and goes on, through the daemon's endpoints: what an agent sees of it."""

import asyncio
import json
from time import time

import pytest

from handrail.control.client import make_request
from handrail.control.message import encode
from handrail.model.control import ControlCommand, Standing
from handrail.supervise.supervised_run import SupervisedRun
from tests.hosts.claude.desk import SESSION
from tests.server.asgi import AsgiResponse, ask
from tests.server.in_process_api import InProcessApi, call, message


def request(command: ControlCommand, **given: str) -> bytes:
    return encode(make_request(command, SESSION, by="ann", at=time(), **given))


async def control(
    office: InProcessApi, command: ControlCommand, **given: str
) -> list[dict[str, object]]:
    """The messages that a request leads to within a few seconds."""
    answer = await ask(office.app, "POST", "/control?wait=10", request(command, **given))
    assert answer.status == 200, answer.body
    found: list[dict[str, object]] = answer.json["messages"]
    return found


async def until_held(office: InProcessApi) -> None:
    """Until an action waits."""
    state = office.state_of(SESSION)
    while not state.hand.held:
        await asyncio.sleep(0.005)


def said(answer: AsgiResponse) -> dict[str, object]:
    specific: dict[str, object] = answer.json.get("hookSpecificOutput", {})
    return specific


def test_a_call_of_a_paused_run_is_held_until_it_goes_on() -> None:
    async def story(office: InProcessApi) -> None:
        await office.hook(message("UserPromptSubmit", prompt="go"))
        paused = await control(office, ControlCommand.PAUSE)
        assert [each["type"] for each in paused] == ["REQUEST", "ACK", "RESULT"]
        held = asyncio.ensure_future(office.waiting_hook(call("ls")))
        await until_held(office)
        assert not held.done()
        await control(office, ControlCommand.RESUME)
        assert (await held).json == {}

    with InProcessApi() as office:
        office.run(lambda: story(office))


@pytest.mark.parametrize("seconds", [0.0, 0.01])
def test_a_call_that_is_held_too_long_is_refused_and_the_run_stays_paused(
    monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr(SupervisedRun, "hold_seconds", seconds)

    async def story(office: InProcessApi) -> None:
        await office.hook(message("UserPromptSubmit", prompt="go"))
        await control(office, ControlCommand.PAUSE, reason="the fixture comes first")
        answer = said(await office.waiting_hook(call("ls")))
        assert answer["permissionDecision"] == "deny"
        assert "paused by ann: the fixture comes first" in str(answer["permissionDecisionReason"])
        assert office.state_of(SESSION).hand.standing == Standing.PAUSED

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_more_calls_than_any_agent_makes_at_once_are_refused_and_the_others_stay_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("handrail.server.control.pause_waiters._MOST", 1)

    async def story(office: InProcessApi) -> None:
        await office.hook(message("UserPromptSubmit", prompt="go"))
        await control(office, ControlCommand.PAUSE)
        held = asyncio.ensure_future(office.waiting_hook(call("ls")))
        await until_held(office)
        answer = said(await office.waiting_hook(call("ls src", "t2")))
        assert answer["permissionDecision"] == "deny"
        await control(office, ControlCommand.RESUME)
        assert (await held).json == {}

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_a_pause_is_confirmed_when_the_call_under_way_has_ended() -> None:
    async def story(office: InProcessApi) -> None:
        await office.hook(call("ls", "t1"))
        pausing = asyncio.ensure_future(control(office, ControlCommand.PAUSE))
        state = office.state_of(SESSION)
        while state.hand.standing != Standing.PAUSING:
            await asyncio.sleep(0.005)
        assert not pausing.done()
        ended = message(
            "PostToolUse",
            tool_name="Bash",
            tool_input={"command": "ls"},
            tool_response={"stdout": ""},
            tool_use_id="t1",
        )
        await office.hook(ended)
        assert (await pausing)[-1]["payload"] == {
            "status": "success",
            "message": "Loop paused at iteration 1",
        }

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_a_call_whose_agent_is_gone_is_not_decided_about() -> None:
    async def story(office: InProcessApi) -> None:
        await office.hook(message("UserPromptSubmit", prompt="go"))
        await control(office, ControlCommand.PAUSE)
        await office.hook(call("rm -rf build"))  # this client has hung up at once
        state = office.state_of(SESSION)
        assert (state.step, state.hand.held) == (0, {})

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_a_daemon_that_ends_refuses_what_it_holds() -> None:
    async def story(office: InProcessApi) -> None:
        await office.hook(message("UserPromptSubmit", prompt="go"))
        await control(office, ControlCommand.PAUSE)
        held = asyncio.ensure_future(office.waiting_hook(call("ls")))
        await until_held(office)
        office.pauses.close()
        assert said(await held)["permissionDecision"] == "deny"

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_a_message_reaches_the_agent_with_the_next_answer() -> None:
    async def story(office: InProcessApi) -> None:
        await office.hook(message("UserPromptSubmit", prompt="go"))
        steering = asyncio.ensure_future(control(office, ControlCommand.STEER, text="Use pathlib."))
        state = office.state_of(SESSION)
        while not state.hand.asked:
            await asyncio.sleep(0.005)
        answer = said(await office.hook(call("ls")))
        assert "ann tells you: Use pathlib." in str(answer["additionalContext"])
        assert (await steering)[-1]["payload"] == {
            "status": "success",
            "message": "The agent was told at step 1",
        }

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_what_is_no_request_is_an_error() -> None:
    with InProcessApi() as office:
        answer = office.run(lambda: ask(office.app, "POST", "/control", b"[]"))
        assert answer.status == 400
        assert "JSON object" in answer.json["error"]


def test_a_request_that_nobody_knows_is_not_found() -> None:
    with InProcessApi() as office:
        assert office.get("/control/req-1").status == 404


def test_a_result_can_be_asked_for_again() -> None:
    async def story(office: InProcessApi) -> None:
        body = request(ControlCommand.PAUSE)
        first = await ask(office.app, "POST", "/control?wait=10", body)
        again = await ask(office.app, "GET", f"/control/{json.loads(body)['request_id']}")
        assert again.json["messages"] == first.json["messages"][-1:]

    with InProcessApi() as office:
        office.run(lambda: story(office))
