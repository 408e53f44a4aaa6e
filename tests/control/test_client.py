"""The controller's side: what it hears of a request, whoever is lost in between."""

from collections.abc import Callable

import pytest

from handrail.control.client import UnreachableError, make_request, request_stages, user_name
from handrail.control.message import Ack, AnyMessage, Request, Result, decode
from handrail.model.control import ControlCommand

Said = list[AnyMessage] | None
Step = Said | type[UnreachableError]


class FakeConnection:
    """Says what it was told to say, one after the other, and then nothing more."""

    def __init__(self, *steps: Step, each_takes: float = 0.0) -> None:
        self.now = 100.0
        self.calls: list[str] = []
        self.sent: list[bytes] = []
        self._steps = list(steps)
        self._each_takes = each_takes

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def send(self, request: bytes) -> list[AnyMessage]:
        self.sent.append(request)
        return self._say("send") or []

    def wait(self, request_id: str, seconds: float) -> list[AnyMessage] | None:
        if not self._steps:
            self.now += seconds
        return self._say("wait")

    def _say(self, what: str) -> Said:
        self.calls.append(what)
        self.now += self._each_takes
        step = self._steps.pop(0) if self._steps else []
        if isinstance(step, type):
            raise step("nobody is there")
        return step


REQUEST = make_request(ControlCommand.STOP, "run-1", at=0.0)


def message(kind: Callable[..., AnyMessage], **payload: object) -> AnyMessage:
    return kind(
        request_id=REQUEST.request_id,
        command="stop",
        target=REQUEST.target,
        timestamp="2024-12-28T10:00:00Z",
        payload=payload,
    )


ACK = message(Ack)
DONE = message(Result, status="success")
DUPLICATE = message(Result, status="failure", code="duplicate", message="The request is under way")
REFUSED = message(Result, status="failure", code="not_found", message="no")
GONE = UnreachableError


def hear(line: FakeConnection, seconds: float = 60.0) -> list[AnyMessage]:
    told = request_stages(line, REQUEST, seconds=seconds, clock=line.clock, sleep=line.sleep)
    return list[AnyMessage](told)


def test_an_acknowledgment_comes_before_the_result() -> None:
    line = FakeConnection([REQUEST, ACK], [DONE])
    assert hear(line) == [ACK, DONE]
    assert line.calls == ["send", "wait"]


def test_both_may_come_at_once() -> None:
    assert hear(FakeConnection([REQUEST, ACK, DONE])) == [ACK, DONE]


def test_a_refusal_is_a_result() -> None:
    assert hear(FakeConnection([REQUEST, REFUSED])) == [REFUSED]


def test_who_is_lost_before_the_acknowledgment_is_asked_again_with_the_same_id() -> None:
    line = FakeConnection(GONE, GONE, [REQUEST, ACK], [DONE])
    assert hear(line) == [ACK, DONE]
    assert len(set(line.sent)) == 1
    assert len(line.sent) == 3


def test_who_is_lost_after_it_is_asked_again_and_it_is_told_once() -> None:
    line = FakeConnection([REQUEST, ACK], GONE, [REQUEST, DUPLICATE], [DONE])
    assert hear(line) == [ACK, DONE]
    assert line.calls == ["send", "wait", "send", "wait"]


def test_a_duplicate_is_no_end_and_says_that_it_was_acknowledged() -> None:
    told = hear(FakeConnection([REQUEST, DUPLICATE], [DONE]))
    assert [type(each) for each in told] == [Ack, Result]


def test_a_request_that_was_forgotten_is_sent_again() -> None:
    line = FakeConnection([REQUEST, ACK], None, [REQUEST, ACK], [DONE])
    assert hear(line) == [ACK, DONE]
    assert line.calls == ["send", "wait", "send", "wait"]


def test_without_a_result_it_ends_when_the_time_is_up() -> None:
    line = FakeConnection([REQUEST, ACK])
    assert hear(line, 50.0) == [ACK]
    assert 150.0 <= line.now < 151.0


def test_a_request_expires_when_nobody_has_acknowledged_it() -> None:
    line = FakeConnection(*[GONE] * 1000)
    with pytest.raises(UnreachableError):
        hear(line, 600.0)
    assert 130.0 <= line.now < 131.0


def test_whoever_waits_for_a_short_time_hears_as_soon_that_nobody_is_there() -> None:
    line = FakeConnection(*[GONE] * 1000)
    with pytest.raises(UnreachableError):
        hear(line, 2.0)
    assert 102.0 <= line.now < 103.0


def test_an_acknowledged_request_does_not_expire() -> None:
    line = FakeConnection([REQUEST, ACK], *[GONE] * 300, [REQUEST, DUPLICATE], [DONE])
    assert hear(line, 600.0) == [ACK, DONE]


def test_whoever_says_nothing_at_once_is_not_asked_without_a_break() -> None:
    line = FakeConnection([REQUEST, ACK], *[[]] * 1000)
    hear(line, 10.0)
    assert len(line.calls) < 60


def test_whoever_knows_a_request_only_when_it_is_sent_is_not_asked_without_a_break() -> None:
    """A broken way to ask: sent again and again, it is always under way, and never known."""
    line = FakeConnection(*[[REQUEST, DUPLICATE], None] * 1000)
    hear(line, 10.0)
    assert len(line.calls) < 120


def test_a_request_is_what_the_protocol_wants() -> None:
    request = make_request(
        ControlCommand.STEER,
        "run-1",
        by="ann",
        reason="why",
        text="go left",
        expects="running",
        at=0.0,
    )
    assert isinstance(request, Request)
    assert request.timestamp == "1970-01-01T00:00:00Z"
    assert request.payload == {
        "message": "go left",
        "reason": "why",
        "by": "ann",
        "expects": "running",
    }


def test_whoever_does_not_say_is_the_user() -> None:
    assert make_request(ControlCommand.PAUSE, "run-1").payload == {"by": user_name()}


def test_what_is_sent_can_be_read() -> None:
    line = FakeConnection([REQUEST, REFUSED])
    hear(line)
    assert decode(line.sent[0]) == REQUEST
