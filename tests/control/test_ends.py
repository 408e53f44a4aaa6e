"""A session or a loop that ends while something is asked of it."""

import pytest

from handrail.model.control import Standing
from handrail.model.event import LoopEnded, RunEnded, RunStarted
from tests.control.control_setup import ControlSetup

RUN = "run-1"


@pytest.fixture
def bed() -> ControlSetup:
    bed = ControlSetup()
    bed.loop(RUN)
    return bed


def session(bed: ControlSetup, run: str = "session") -> str:
    """A run that Handrail does not drive."""
    bed.runs.get(run, "/").record(RunStarted(bed.clock.now, "claude", "/", "startup"))
    return run


def begun(bed: ControlSetup) -> list[str]:
    return [what for what, *_ in bed.actions.begun]


@pytest.mark.parametrize("command", ["steer", "redirect", "escalate", "checkpoint", "rollback"])
def test_what_nobody_can_do_any_more_is_answered_when_the_loop_ends(
    bed: ControlSetup, command: str
) -> None:
    request = bed.do(command)
    bed.runs.get(RUN, "/").record(LoopEnded(bed.clock.now, "done", "COMPLETE"))
    assert bed.kinds(request)[-1] == "invalid_state"
    assert bed.hand().asked == {}


@pytest.mark.parametrize(("command", "then"), [("stop", "done"), ("cancel", "cancelled")])
def test_a_loop_that_ends_while_it_is_stopped_is_over(
    bed: ControlSetup, command: str, then: str
) -> None:
    request = bed.do(command)
    bed.runs.get(RUN, "/").record(LoopEnded(bed.clock.now, "abort", "ERROR"))
    assert bed.kinds(request) == ["REQUEST", "ACK"]
    bed.came(RUN, request)
    assert bed.kinds(request)[-1] == "success"
    assert bed.hand().standing == then


def test_a_resume_of_a_loop_that_ends_is_void(bed: ControlSetup) -> None:
    bed.confirm("stop")
    request = bed.do("resume")
    bed.runs.get(RUN, "/").record(LoopEnded(bed.clock.now, "abort", "ERROR"))
    assert bed.kinds(request)[-1] == "invalid_state"
    assert bed.hand().standing == Standing.DONE


def test_a_loop_waits_for_its_agent_to_come_back(bed: ControlSetup) -> None:
    request = bed.do("steer")
    bed.runs.get(RUN, "/").record(RunEnded(bed.clock.now))
    assert bed.kinds(request) == ["REQUEST", "ACK"]


@pytest.mark.parametrize("command", ["interrupt", "freeze"])
def test_a_session_that_ends_while_it_is_held_is_paused(bed: ControlSetup, command: str) -> None:
    run = session(bed)
    request = bed.do(command, run)
    bed.runs.get(run, "/").record(RunEnded(bed.clock.now))
    assert bed.kinds(request)[-1] == "invalid_state"
    assert bed.hand(run).standing == Standing.PAUSED
    assert bed.hand(run).frozen == 0


def test_a_frozen_session_that_ends_is_paused(bed: ControlSetup) -> None:
    run = session(bed)
    bed.confirm("freeze", run)
    bed.runs.get(run, "/").record(RunEnded(bed.clock.now))
    assert bed.hand(run).standing == Standing.PAUSED
    assert bed.hand(run).frozen == 0


def test_a_freeze_that_takes_hold_too_late_is_undone(bed: ControlSetup) -> None:
    run = session(bed)
    request = bed.do("freeze", run)
    bed.runs.get(run, "/").record(RunEnded(bed.clock.now))
    bed.came(run, request)
    assert begun(bed) == ["freeze", "thaw"]


def test_a_pause_of_a_session_that_ends_is_confirmed(bed: ControlSetup) -> None:
    run = session(bed)
    bed.act("a", run)
    request = bed.do("pause", run)
    bed.runs.get(run, "/").record(RunEnded(bed.clock.now))
    assert bed.kinds(request)[-1] == "success"
