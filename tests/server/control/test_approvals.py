"""A person answers over HTTP: the held call hears of it, once, and nobody answers twice."""

import asyncio
import json
from time import time
from typing import Literal

import pytest

from handrail.api.messages.approvals import ApprovalDecision
from handrail.model.event import (
    ApprovalDecided,
    IncidentResolved,
    Intervened,
    RunStarted,
)
from handrail.server.control.approval_decisions import (
    AnsweredBeforeError,
    AnswerOutcome,
    NoSuchApprovalError,
)
from handrail.supervise.log.topics import topic_of
from tests.server.asgi import AsgiResponse, ask
from tests.server.in_process_api import InProcessApi
from tests.supervise.test_approvals import STOP

RUN = "11111111-2222-4333-8444-555555555555"


def begin(office: InProcessApi) -> None:
    """A run that goes on under approval."""
    run, now = office.desk.runs.get(RUN, "/home/dev/project"), time()
    run.record(RunStarted(now, "claude", "/home/dev/project"))
    run.record(Intervened(now, STOP))
    run.record(IncidentResolved(now, "inc-1", "manual_approval", approval=True))


async def call(office: InProcessApi, name: str, command: str = "echo x > a.txt") -> AsgiResponse:
    """The hook before a call; the answer comes when the call was answered."""
    body = {
        "session_id": RUN,
        "cwd": "/home/dev/project",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_use_id": name,
    }
    return await ask(office.app, "POST", "/hooks/claude", json.dumps(body).encode(), waits=True)


async def question(office: InProcessApi) -> str:
    """The id of the question, as soon as there is one."""
    async with asyncio.timeout(60):
        while not (kept := office.state_of(RUN).approvals.kept):
            await asyncio.sleep(0.01)
    return next(iter(kept))


async def answer(
    office: InProcessApi,
    approval: str,
    decision: Literal["approve", "deny"] = "approve",
    run: str = RUN,
) -> AnswerOutcome:
    return await office.approvals.decide(run, approval, ApprovalDecision(decision), "ann")


def decided(office: InProcessApi) -> list[ApprovalDecided]:
    events = (event for _, event in office.desk.runs.journal.read(topic_of(RUN)))
    return [event for event in events if isinstance(event, ApprovalDecided)]


@pytest.mark.parametrize(("decision", "said"), [("approve", ""), ("deny", "ann denied this call")])
def test_a_held_call_gets_the_answer_of_the_person(
    decision: Literal["approve", "deny"], said: str
) -> None:
    async def story(office: InProcessApi) -> None:
        await office.supervision.call(lambda: begin(office))
        held = asyncio.ensure_future(call(office, "a"))
        asked = await question(office)
        await answer(office, asked, decision)
        reply = json.dumps((await held).json)
        assert said in reply
        assert ('"deny"' in reply) is (decision == "deny")
        [event] = decided(office)
        assert (event.by, event.approved) == ("ann", decision == "approve")

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_an_answer_is_given_once_and_only_to_what_was_asked() -> None:
    async def story(office: InProcessApi) -> None:
        await office.supervision.call(lambda: begin(office))
        held = asyncio.ensure_future(call(office, "a"))
        asked = await question(office)
        with pytest.raises(NoSuchApprovalError):
            await answer(office, "00000000")
        with pytest.raises(NoSuchApprovalError):
            await answer(office, asked, run="another-run")
        assert decided(office) == []
        await answer(office, asked, "deny")
        with pytest.raises(AnsweredBeforeError, match=f"approval {asked} was denied before"):
            await answer(office, asked)
        await held
        assert len(decided(office)) == 1

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_an_approval_that_was_used_is_gone() -> None:
    async def story(office: InProcessApi) -> None:
        await office.supervision.call(lambda: begin(office))
        held = asyncio.ensure_future(call(office, "a"))
        asked = await question(office)
        await answer(office, asked)
        await held
        with pytest.raises(NoSuchApprovalError):
            await answer(office, asked)

    with InProcessApi() as office:
        office.run(lambda: story(office))
