"""Requests at the desk: acknowledged before anything is begun, and answered in one go."""

import json
from typing import cast

import pytest

from handrail.control import message as wire
from handrail.control.command_actions import CommandOutcome
from handrail.control.topics import CONTROL, CURRENT
from handrail.control.transitions import TABLE, transition
from handrail.model.control import FINAL, ControlCommand, Standing
from handrail.model.event import LoopEnded
from handrail.supervise.log.topics import topic_of
from tests.control.control_setup import ControlClock, ControlSetup, Json
from tests.control.stores import WatchedStore

RUN = "run-1"
OUTSIDE = {
    ControlCommand.INTERRUPT: "interrupt",
    ControlCommand.FREEZE: "freeze",
    ControlCommand.STOP: "stop",
    ControlCommand.CANCEL: "stop",
    ControlCommand.ESCALATE: "switch_model",
    ControlCommand.CHECKPOINT: "checkpoint",
    ControlCommand.ROLLBACK: "roll_back",
}
"""What is begun for a command in a run that is not frozen or stopped."""


def bring_to(bed: ControlSetup, standing: Standing) -> None:
    """Bring a run to stand so."""
    bed.loop(RUN)
    if standing == Standing.PAUSING:
        bed.act("before")
    if standing in _WAYS:
        command, is_confirmed = _WAYS[standing]
        request = bed.do(command)
        if is_confirmed:
            bed.came(RUN, request)
    elif standing == Standing.DONE:
        bed.runs.get(RUN, "/").record(LoopEnded(bed.clock.now, "done", "COMPLETE"))
    assert bed.hand().standing == standing
    bed.actions.begun.clear()


_WAYS = {
    Standing.PAUSING: (ControlCommand.PAUSE, False),
    Standing.PAUSED: (ControlCommand.PAUSE, False),
    Standing.INTERRUPTING: (ControlCommand.INTERRUPT, False),
    Standing.FREEZING: (ControlCommand.FREEZE, False),
    Standing.FROZEN: (ControlCommand.FREEZE, True),
    Standing.STOPPING: (ControlCommand.STOP, False),
    Standing.STOPPED: (ControlCommand.STOP, True),
    Standing.CANCELLING: (ControlCommand.CANCEL, False),
    Standing.CANCELLED: (ControlCommand.CANCEL, True),
}


@pytest.fixture
def bed() -> ControlSetup:
    clock = ControlClock()
    return ControlSetup(WatchedStore(clock), clock)


def watched(bed: ControlSetup) -> WatchedStore:
    assert isinstance(bed.store, WatchedStore)
    return bed.store


def topics(bed: ControlSetup, number: int) -> list[str]:
    return [entry.topic for entry in watched(bed).appends[number]]


def payload(bed: ControlSetup, number: int = -1) -> Json:
    return cast("Json", bed.control()[number]["payload"])


@pytest.mark.parametrize(("standing", "command"), sorted(TABLE))
def test_a_request_is_acknowledged_together_with_what_the_run_remembers(
    bed: ControlSetup, standing: Standing, command: ControlCommand
) -> None:
    bring_to(bed, standing)
    before = len(watched(bed).appends)
    bed.ask(bed.request(command))
    assert topics(bed, before) == [CONTROL, CONTROL, topic_of(RUN)]
    kinds = [json.loads(entry.body).get("type") for entry in watched(bed).appends[before]]
    assert kinds[:2] == ["REQUEST", "ACK"]
    step = transition(standing, command)
    assert step is not None
    assert bed.hand().standing == step.now


@pytest.mark.parametrize("standing", sorted(set(Standing) - FINAL))
@pytest.mark.parametrize("command", sorted(ControlCommand))
def test_what_cannot_be_done_is_acknowledged_and_refused_at_once(
    bed: ControlSetup, standing: Standing, command: ControlCommand
) -> None:
    if transition(standing, command) is not None:
        return
    bring_to(bed, standing)
    taken = bed.ask(bed.request(command))
    assert [type(each).__name__ for each in taken.messages] == ["Request", "Ack", "Result"]
    assert topics(bed, -1) == [CONTROL] * 3
    assert payload(bed)["code"] == "invalid_state"
    assert bed.hand().standing == standing
    assert not bed.waits


@pytest.mark.parametrize("standing", sorted(FINAL))
@pytest.mark.parametrize("command", sorted(ControlCommand))
def test_a_run_that_is_over_is_not_found(
    bed: ControlSetup, standing: Standing, command: ControlCommand
) -> None:
    bring_to(bed, standing)
    taken = bed.ask(bed.request(command))
    assert [type(each).__name__ for each in taken.messages] == ["Request", "Result"]
    assert payload(bed) == {
        "status": "failure",
        "code": "not_found",
        "message": f"Run {RUN} is not active",
    }


@pytest.mark.parametrize("command", sorted(OUTSIDE))
def test_nothing_is_begun_before_the_acknowledgment_is_on_the_disk(
    bed: ControlSetup, command: ControlCommand
) -> None:
    bed.loop(RUN)
    watched(bed).is_late = True
    bed.ask(bed.request(command))
    bed.go_on()
    assert bed.actions.begun == []
    watched(bed).confirm()
    bed.go_on()
    assert [what for what, *_ in bed.actions.begun] == [OUTSIDE[command]]


@pytest.mark.parametrize("command", sorted(set(OUTSIDE) - {ControlCommand.CANCEL}))
def test_a_result_comes_before_the_state_and_with_it(
    bed: ControlSetup, command: ControlCommand
) -> None:
    bed.loop(RUN)
    models: dict[str, object] = {"previous_model": "haiku", "new_model": "opus"}
    came = CommandOutcome(payload=models if command == ControlCommand.ESCALATE else {})
    request = bed.do(command)
    bed.came(RUN, request, came)
    shown = [] if command in (ControlCommand.CHECKPOINT, ControlCommand.ROLLBACK) else [CURRENT]
    assert topics(bed, -1) == [CONTROL, *shown, topic_of(RUN)]
    assert bed.kinds(request) == ["REQUEST", "ACK", "success"]


def test_a_cancelled_run_is_aborted_in_the_same_go(bed: ControlSetup) -> None:
    bed.loop(RUN)
    bed.confirm("cancel")
    assert topics(bed, -1) == [CONTROL, CURRENT, topic_of(RUN)]
    assert bed.current()[-1] == {
        "schema": 1,
        "event": "ABORT",
        "reason": "USER_CANCELLED",
        "run_id": RUN,
        "stack": [],
    }


def test_what_does_not_work_is_told_and_leaves_the_run_as_the_log_says(bed: ControlSetup) -> None:
    bed.loop(RUN)
    request = bed.do("stop")
    bed.came(RUN, request, CommandOutcome(False, "Could not be ended: 12 sleep"))
    assert payload(bed)["message"] == "Could not be ended: 12 sleep"
    assert bed.current()[-1]["stack"] == [
        {"id": RUN, "mode": "issue", "iter": 1, "max": 10, "model": "haiku", "state": "stopping"}
    ]


def test_who_waits_hears_of_a_result_when_it_is_on_the_disk(bed: ControlSetup) -> None:
    bed.loop(RUN)
    request = bed.do("stop")
    watched(bed).is_late = True
    bed.came(RUN, request)
    assert bed.heard == []
    watched(bed).confirm()
    assert [each.request_id for each in bed.heard] == [request]


def test_who_waits_does_not_hear_what_is_said_of_a_retry(bed: ControlSetup) -> None:
    bed.loop(RUN)
    request = bed.request("stop")
    for again in (request, request, {**request, "schema": 1}, {**request, "command": "pause"}):
        bed.ask(again)
    assert bed.heard == []
    bed.go_on()
    bed.came(RUN, "r-1")
    assert [each.ok for each in bed.heard] == [True]


def test_an_act_that_cannot_even_be_begun_is_a_failure(bed: ControlSetup) -> None:
    bed.loop(RUN)
    bed.ask(bed.request("freeze"))
    bed.actions.stumbles.append(ProcessLookupError(5))
    bed.go_on()
    assert bed.kinds("r-1") == ["REQUEST", "ACK", "invalid_state"]
    assert bed.hand().standing == Standing.PAUSED
    assert bed.hand().frozen == 0


def test_what_a_run_cannot_do_at_all_is_refused_with_the_reason(bed: ControlSetup) -> None:
    bed.loop(RUN)
    bed.actions.cannot[ControlCommand.ESCALATE] = "nobody drives it"
    bed.ask(bed.request("escalate"))
    assert (payload(bed)["code"], payload(bed)["message"]) == ("invalid_state", "nobody drives it")


@pytest.mark.parametrize(("expects", "code"), [("running", None), ("paused", "invalid_state")])
def test_whoever_expects_another_state_is_refused(
    bed: ControlSetup, expects: str, code: str | None
) -> None:
    bed.loop(RUN)
    bed.do("stop", expects=expects)
    assert payload(bed).get("code") == code


# Bad requests


def test_a_bad_request_with_an_id_is_answered_in_the_topic(bed: ControlSetup) -> None:
    taken = bed.ask({**bed.request("pause"), "schema": 3})
    assert taken.receipt is not None
    assert payload(bed) == {
        "status": "failure",
        "code": "bad_request",
        "message": "schema must be 0",
    }


def test_a_bad_request_without_an_id_is_answered_to_whoever_waits_only(bed: ControlSetup) -> None:
    taken = bed.ask(b"no")
    assert taken.receipt is None
    assert wire.encode(taken.messages[0]).startswith(b'{"schema":0,"type":"RESULT"')
    assert bed.control() == []


def test_a_bad_request_does_not_harm_the_good_one_with_its_id(bed: ControlSetup) -> None:
    bed.loop(RUN)
    request = bed.request("stop")
    bed.ask(request)
    bed.ask({**request, "command": "explode"})
    known = bed.desk.known(str(request["request_id"]))
    assert known is not None
    assert known.messages == ()
    bed.go_on()
    bed.came(RUN, str(request["request_id"]))
    assert bed.kinds("r-1") == ["REQUEST", "ACK", "bad_request", "success"]


def test_an_id_that_came_with_a_bad_request_can_still_be_used(bed: ControlSetup) -> None:
    bed.loop(RUN)
    request = bed.request("pause")
    bed.ask({**request, "target": {}})
    bed.ask(request)
    bed.go_on()
    assert bed.kinds("r-1") == ["bad_request", "REQUEST", "ACK", "success"]


@pytest.mark.parametrize("run", ["x" * 5000, "a\0b", "\N{PILE OF POO}" * 400, "../.."])
def test_a_run_whose_name_no_log_could_hold_is_not_found(bed: ControlSetup, run: str) -> None:
    bed.ask(bed.request("pause", run))
    assert payload(bed)["code"] == "not_found"


# Bounds


def test_messages_leave_room_for_a_stop(bed: ControlSetup) -> None:
    bed.loop(RUN)
    last = [bed.do("steer") for _ in range(51)][-1]
    assert bed.kinds(last) == ["REQUEST", "ACK", "invalid_state"]
    assert bed.kinds(bed.do("stop")) == ["REQUEST", "ACK"]


def test_no_request_is_dropped_for_another(bed: ControlSetup) -> None:
    bed.loop(RUN)
    asked = [bed.do("stop") for _ in range(120)]
    cancel = bed.do("cancel")
    bed.came(RUN, cancel)
    assert {bed.kinds(each)[-1] for each in asked} == {"invalid_state"}
    assert bed.kinds(cancel) == ["REQUEST", "ACK", "success"]
    assert bed.hand().asked == {}


# Secrets

KEY = "sk-ant-api03-" + "abcdefghijklmnopqrstuvwxyz0123456789"


def everything(bed: ControlSetup) -> bytes:
    return b"".join(row.body for row in bed.store.read_all(0, 100_000))


def test_a_secret_in_a_reason_is_not_written(bed: ControlSetup) -> None:
    bed.loop(RUN)
    bed.do("pause", reason=f"it has seen {KEY}")
    assert KEY.encode() not in everything(bed)
    assert "[redacted" in bed.hand().reason


def test_a_message_that_would_arrive_changed_is_refused(bed: ControlSetup) -> None:
    bed.loop(RUN)
    request = bed.do("steer", message=f"use {KEY}")
    assert bed.kinds(request) == ["REQUEST", "bad_request"]
    assert "secret" in str(payload(bed)["message"])
    assert KEY.encode() not in everything(bed)


def test_a_secret_in_what_comes_back_is_not_written(bed: ControlSetup) -> None:
    bed.loop(RUN)
    request = bed.do("stop")
    bed.came(
        RUN, request, CommandOutcome(False, f"Could not be ended: 12 curl -H 'x-api-key: {KEY}'")
    )
    assert KEY.encode() not in everything(bed)
