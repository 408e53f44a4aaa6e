"""Requests that come late, or again: what an id means, and for how long."""

from typing import cast

import pytest

from handrail.control.topics import CONTROL
from tests.control.control_setup import ControlSetup, Json, as_bytes, make

RUN = "run-1"


@pytest.fixture
def bed() -> ControlSetup:
    return ControlSetup()


def payload(bed: ControlSetup, number: int = -1) -> Json:
    return cast("Json", bed.control()[number]["payload"])


@pytest.mark.parametrize(("waited", "code"), [(30.0, None), (30.1, "bad_request")])
def test_a_request_in_the_topic_expires(bed: ControlSetup, waited: float, code: str | None) -> None:
    bed.loop(RUN)
    bed.put(as_bytes(bed.request("stop")))
    bed.clock.now += waited
    bed.read_rows()
    assert payload(bed).get("code") == code


def test_one_that_has_expired_may_be_sent_again_with_its_id(bed: ControlSetup) -> None:
    bed.loop(RUN)
    request = as_bytes(bed.request("stop"))
    bed.put(request)
    bed.clock.now += 40
    bed.read_rows()
    bed.put(request)
    bed.read_rows()
    assert bed.kinds("r-1") == ["REQUEST", "bad_request", "REQUEST", "ACK"]


@pytest.mark.parametrize("skew", [-300, -299, 0, 29, 30])
def test_clocks_may_differ_a_little(bed: ControlSetup, skew: float) -> None:
    bed.loop(RUN)
    bed.ask(make("pause", RUN, "r-1", bed.clock.now + skew))
    assert bed.kinds("r-1") == ["REQUEST", "ACK"]


@pytest.mark.parametrize("skew", [-301, 31, 301])
def test_clocks_that_differ_too_much_are_told_so(bed: ControlSetup, skew: float) -> None:
    bed.loop(RUN)
    bed.ask(make("pause", RUN, "r-1", bed.clock.now + skew))
    assert bed.kinds("r-1") == ["REQUEST", "bad_request"]
    assert "clocks" in str(payload(bed)["message"])


# Retries


def test_a_retry_of_a_request_under_way_is_a_duplicate(bed: ControlSetup) -> None:
    bed.loop(RUN)
    request = bed.request("stop")
    bed.ask(request)
    bed.go_on()
    bed.clock.now += 1000
    bed.ask({**request, "timestamp": "2024-12-28T10:16:40Z"})
    bed.go_on()
    assert bed.kinds("r-1") == ["REQUEST", "ACK", "REQUEST", "duplicate"]
    assert len(bed.actions.begun) == 1


@pytest.mark.parametrize("command", ["pause", "resume"])
def test_a_retry_of_what_is_finished_gets_the_same_bytes(bed: ControlSetup, command: str) -> None:
    bed.loop(RUN)
    request = bed.request(command)
    bed.ask(request)
    bed.go_on()
    first = [row.body for row in bed.store.read(CONTROL)][-1]
    bed.clock.now += 299
    bed.ask(request)
    assert [row.body for row in bed.store.read(CONTROL)][-1] == first


def test_after_five_minutes_an_id_is_a_new_request(bed: ControlSetup) -> None:
    bed.loop(RUN)
    bed.ask(make("resume", RUN, "r-1", bed.clock.now))
    bed.clock.now += 301
    bed.ask(make("pause", RUN, "r-1", bed.clock.now))
    bed.go_on()
    assert bed.kinds("r-1") == [
        "REQUEST",
        "ACK",
        "invalid_state",
        "REQUEST",
        "ACK",
        "success",
    ]


@pytest.mark.parametrize("other", [{"command": "cancel"}, {"target": {"run_id": "run-2"}}])
def test_an_id_of_another_request_is_refused_without_harm_to_it(
    bed: ControlSetup, other: Json
) -> None:
    bed.loop(RUN)
    bed.loop("run-2")
    request = bed.request("stop")
    bed.ask(request)
    bed.ask({**request, **other})
    bed.go_on()
    bed.came(RUN, "r-1")
    assert bed.kinds("r-1") == ["REQUEST", "ACK", "REQUEST", "duplicate", "success"]
    assert bed.hand("run-2").asked == {}


def test_a_retry_of_a_resume_does_not_make_a_frozen_run_be_forgotten(bed: ControlSetup) -> None:
    bed.loop(RUN)
    bed.do("pause")
    resume = bed.request("resume")
    bed.ask(resume)
    bed.go_on()
    bed.confirm("freeze")
    bed.ask(resume)
    assert RUN in ControlSetup(bed.store, bed.clock).actions.reminders


def test_an_id_with_another_payload_does_not_hear_the_answer_of_the_first(
    bed: ControlSetup,
) -> None:
    bed.loop(RUN)
    bed.ask(make("pause", RUN, "r-1", bed.clock.now, reason="look first"))
    bed.go_on()
    bed.ask(make("pause", RUN, "r-1", bed.clock.now, reason="something else"))
    assert bed.kinds("r-1") == ["REQUEST", "ACK", "success", "REQUEST", "duplicate"]


@pytest.mark.parametrize("by_topic", [True, False])
@pytest.mark.parametrize("restarts", [True, False])
def test_what_was_asked_for_is_compared_after_a_restart_too(
    bed: ControlSetup, by_topic: bool, restarts: bool
) -> None:
    bed.loop(RUN)
    first = as_bytes(make("pause", RUN, "r-1", bed.clock.now, reason="password=hunter2hunter2"))
    if by_topic:
        bed.put(first)
        bed.read_rows()
    else:
        bed.ask(first)
    bed.go_on()
    later = ControlSetup(bed.store, bed.clock) if restarts else bed
    later.ask(first)
    later.ask(make("pause", RUN, "r-1", bed.clock.now, reason="something else"))
    assert bed.kinds("r-1")[-4:] == ["REQUEST", "success", "REQUEST", "duplicate"]
