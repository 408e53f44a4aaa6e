"""What a person wants the agent to know: told once, to the agent itself, and never lost."""

import pytest

from handrail.model.control import Standing
from handrail.model.event import AgentStarted
from handrail.supervise.decision.messages import said_to_agent
from tests.control.control_setup import ControlSetup
from tests.control.stores import WatchedStore

RUN = "run-1"
SAID = "ann tells you: use the other file"


@pytest.fixture
def bed() -> ControlSetup:
    bed = ControlSetup()
    bed.loop(RUN)
    return bed


def test_the_agent_is_told_with_the_next_answer_and_only_once(bed: ControlSetup) -> None:
    request = bed.do("steer", by="ann")
    assert bed.kinds(request) == ["REQUEST", "ACK"]
    assert bed.act("a").guidance == (SAID,)
    assert bed.kinds(request)[-1] == "success"
    assert bed.act("b", command="pwd").guidance == ()


def test_the_same_answer_given_twice_has_it_both_times(bed: ControlSetup) -> None:
    bed.do("steer", by="ann")
    assert bed.act("a").guidance == (SAID,)
    assert bed.act("a").guidance == (SAID,)
    assert ControlSetup(bed.store, bed.clock).act("a").guidance == (SAID,)


def test_it_may_come_with_what_is_said_after_an_action(bed: ControlSetup) -> None:
    bed.act("a")
    request = bed.do("steer", by="ann")
    assert bed.end_action("a").guidance == (SAID,)
    assert bed.end_action("a").guidance == (SAID,)
    assert bed.kinds(request)[-1] == "success"


def test_it_may_come_when_the_agent_stops(bed: ControlSetup) -> None:
    bed.do("steer", by="ann")
    assert bed.runs.get(RUN, "/").rest("done").wait().guidance == (SAID,)


def test_sub_agents_are_not_told(bed: ControlSetup) -> None:
    bed.runs.get(RUN, "/").record(AgentStarted(1.0, "helper"))
    request = bed.do("steer")
    assert bed.act("a", agent="helper").guidance == ()
    assert bed.end_action("a").guidance == ()
    assert bed.kinds(request) == ["REQUEST", "ACK"]


def test_a_redirect_changes_the_goal_and_says_so(bed: ControlSetup) -> None:
    bed.do("redirect", by="ann", reason="it was the wrong file")
    (said,) = bed.act("a").guidance
    assert said.startswith("ann has given you another task (it was the wrong file).")
    assert said.endswith("do that instead")
    state = bed.state()
    assert state.loop is not None
    assert (state.loop.goal, state.history.goal) == ("do that instead", "do that instead")


def test_messages_come_in_the_order_in_which_they_were_sent(bed: ControlSetup) -> None:
    for number in range(3):
        bed.do("steer", by="ann", message=str(number))
    said = bed.act("a").guidance
    assert said == ("ann tells you: 0", "ann tells you: 1", "ann tells you: 2")


def test_a_run_that_is_stopped_is_told_when_it_goes_on(bed: ControlSetup) -> None:
    bed.confirm("stop")
    request = bed.do("steer", by="ann")
    assert SAID not in bed.act("a").guidance
    assert bed.kinds(request) == ["REQUEST", "ACK"]
    bed.confirm("resume")
    assert bed.act("b", command="pwd").guidance == (SAID,)


def test_a_message_survives_a_restart(bed: ControlSetup) -> None:
    request = bed.do("steer", by="ann")
    after = ControlSetup(bed.store, bed.clock)
    assert after.act("a").guidance == (SAID,)
    assert after.kinds(request) == ["REQUEST", "ACK", "success"]


def test_a_message_whose_delivery_the_log_does_not_take_comes_again() -> None:
    """Rather twice than never."""
    clock = ControlSetup().clock
    store = WatchedStore(clock)
    bed = ControlSetup(store, clock)
    bed.loop(RUN)
    request = bed.do("steer", by="ann")
    store.takes = False
    bed.act("a")
    bed.go_on()
    store.takes = True
    assert bed.act("b", command="pwd").guidance[-1] == SAID
    assert bed.kinds(request) == ["REQUEST", "ACK", "success"]


def test_nobody_in_particular_is_the_one_who_started_it(bed: ControlSetup) -> None:
    bed.do("steer")
    (asked,) = bed.hand().messages
    assert said_to_agent(asked) == "The person who started you tells you: use the other file"
    assert bed.hand().standing == Standing.RUNNING
