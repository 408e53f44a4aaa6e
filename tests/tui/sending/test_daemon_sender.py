"""Commands by way of the daemon become the stages of the screen."""

import asyncio
from collections.abc import Sequence

import msgspec

from handrail.control.client import UnreachableError
from handrail.control.message import Ack, AnyMessage, Payload, Request, Result, Target
from handrail.model.control import ControlCommand, Standing
from handrail.tui.sending.daemon_sender import DaemonCommandSender
from handrail.tui.sending.port import SendingStage

TIME = "2026-11-15T12:00:00Z"


def _ack() -> Ack:
    return Ack(request_id="q", command="pause", target=Target("r"), timestamp=TIME, payload={})


def _result(payload: Payload) -> Result:
    return Result(
        request_id="q", command="pause", target=Target("r"), timestamp=TIME, payload=payload
    )


class FakeLine:
    """Answers with what it was given: the first to the request, the others to questions."""

    def __init__(self, *answers: Sequence[AnyMessage] | UnreachableError) -> None:
        self._answers = list(answers)
        self.requests: list[Request] = []

    def send(self, request: bytes) -> list[AnyMessage]:
        self.requests.append(msgspec.json.decode(request, type=Request))
        return self._next()

    def wait(self, request_id: str, seconds: float) -> list[AnyMessage]:
        return self._next()

    def _next(self) -> list[AnyMessage]:
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, UnreachableError):
            raise answer
        return list(answer)


def _sent(line: FakeLine, *, is_down: bool = False, patience: float = 60.0) -> list[SendingStage]:
    controls = DaemonCommandSender(lambda: line, lambda: is_down, patience=patience)

    async def send() -> list[SendingStage]:
        stages = controls.send(
            ControlCommand.STEER, "r", reason="why", text="look here", expects=Standing.RUNNING
        )
        return [stage async for stage in stages]

    return asyncio.run(send())


def test_a_command_is_requested_acknowledged_and_confirmed() -> None:
    done = _result({"status": "success", "message": "Told the agent at step 7"})
    line = FakeLine([_ack()], [_ack(), done])
    assert _sent(line) == [
        SendingStage("requested"),
        SendingStage("acknowledged"),
        SendingStage("confirmed", "Told the agent at step 7"),
    ]


def test_the_request_carries_what_the_person_said_and_saw() -> None:
    line = FakeLine([_ack(), _result({"status": "success"})])
    _sent(line)
    [request] = line.requests
    assert (request.command, request.target.run_id) == ("steer", "r")
    payload = request.payload
    assert (payload["message"], payload["reason"], payload["expects"]) == (
        "look here",
        "why",
        "running",
    )


def test_a_refusal_says_why() -> None:
    said = {"status": "failure", "code": "invalid_state", "message": "no longer running"}
    assert _sent(FakeLine([_ack(), _result(dict(said))]))[-1] == SendingStage(
        "failed", "no longer running", "invalid_state"
    )


def test_that_a_daemon_is_started_is_a_stage_of_its_own() -> None:
    line = FakeLine([_ack(), _result({"status": "success"})])
    assert [stage.step for stage in _sent(line, is_down=True)] == [
        "starting",
        "requested",
        "acknowledged",
        "confirmed",
    ]


def test_a_daemon_that_cannot_be_reached_is_a_failure() -> None:
    line = FakeLine(UnreachableError("the daemon did not start"))
    assert _sent(line, patience=0.0)[-1] == SendingStage(
        "failed", "the daemon did not start", "unreachable"
    )


def test_an_answer_that_does_not_come_is_not_awaited_for_ever() -> None:
    last = _sent(FakeLine([_ack()]), patience=0.0)[-1]
    assert (last.step, last.code) == ("failed", "timeout")
    assert "timeline" in last.says
