"""Pause, interrupt, freeze and resume: what has to be true before they are confirmed."""

import pytest

from handrail.config.control import Control
from handrail.control.command_actions import CommandOutcome
from handrail.model.control import Standing
from handrail.model.event import (
    ActionDropped,
    ActionEnded,
    AgentEnded,
    AgentStarted,
    Compacted,
    ControlAnswered,
    IterationEnded,
    PromptGiven,
    RunStarted,
)
from handrail.store.journal import Journal
from handrail.supervise.decision.decision_progress import Held, Ready
from handrail.supervise.log.event_bus import EventBus
from handrail.supervise.log.topics import topic_of
from tests.control.control_setup import ControlClock, ControlSetup
from tests.control.stores import WatchedStore

RUN = "run-1"
FAILED = CommandOutcome(False, "it did not work")


@pytest.fixture
def bed() -> ControlSetup:
    bed = ControlSetup()
    bed.loop(RUN)
    return bed


def answers(bed: ControlSetup) -> list[ControlAnswered]:
    events = Journal(bed.store).read(topic_of(RUN))
    return [event for _, event in events if isinstance(event, ControlAnswered)]


def begun(bed: ControlSetup) -> list[str]:
    return [what for what, *_ in bed.actions.begun]


# Pause


def test_a_pause_of_an_idle_run_is_confirmed_at_once(bed: ControlSetup) -> None:
    request = bed.do("pause", by="ann")
    assert bed.kinds(request)[-1] == "success"
    assert answers(bed)[-1].evidence == ("no action is under way (no action yet)",)


def test_a_pause_waits_until_the_action_under_way_has_ended(bed: ControlSetup) -> None:
    bed.act("a")
    request = bed.do("pause")
    assert bed.kinds(request) == ["REQUEST", "ACK"]
    bed.end_action("a")
    assert bed.kinds(request)[-1] == "success"
    assert answers(bed)[-1].evidence == ("no action is under way (last: step 1)",)


def test_everybody_hears_that_the_action_ended_before_the_pause_is_confirmed() -> None:
    bed = ControlSetup(opens=False)
    before: list[type] = []
    after: list[type] = []
    bed.runs.bus = EventBus()
    bed.runs.bus.subscribe(
        lambda _, event: before.append(type(event)),
        bed.desk.on_event,
        lambda _, event: after.append(type(event)),
    )
    bed.desk.open()
    bed.loop(RUN)
    bed.act("a")
    bed.do("pause")
    bed.end_action("a")
    assert before[-2:] == [ActionEnded, ControlAnswered]
    assert after == before


def test_a_pause_waits_for_every_action_under_way(bed: ControlSetup) -> None:
    bed.act("a")
    bed.act("b", command="pwd")
    request = bed.do("pause")
    bed.end_action("b", command="pwd")
    assert bed.kinds(request) == ["REQUEST", "ACK"]
    bed.end_action("a")
    assert bed.kinds(request)[-1] == "success"


def test_an_action_that_was_dropped_is_not_waited_for(bed: ControlSetup) -> None:
    bed.act("a")
    request = bed.do("pause")
    bed.runs.get(RUN, "/").drop("a", "the person said no")
    assert bed.kinds(request)[-1] == "success"


@pytest.mark.parametrize("event", [IterationEnded(1.0), PromptGiven(1.0, "go on")])
def test_of_an_agent_that_has_stopped_nothing_is_waited_for(
    bed: ControlSetup, event: IterationEnded | PromptGiven
) -> None:
    bed.act("a")
    request = bed.do("pause")
    bed.runs.get(RUN, "/").record(event)
    assert bed.kinds(request)[-1] == "success"


def test_a_sub_agent_may_go_on_when_its_agent_has_stopped(bed: ControlSetup) -> None:
    run = bed.runs.get(RUN, "/")
    run.record(AgentStarted(1.0, "helper"))
    bed.act("a", agent="helper")
    request = bed.do("pause")
    run.record(IterationEnded(2.0))
    assert bed.kinds(request) == ["REQUEST", "ACK"]
    run.record(AgentEnded(3.0, "helper"))
    assert bed.kinds(request)[-1] == "success"


def test_the_next_action_is_held_and_decided_when_the_run_goes_on(bed: ControlSetup) -> None:
    bed.do("pause")
    assert isinstance(bed.begin_action("a"), Held)
    assert bed.hand().held == {"a": "Bash: ls"}
    bed.do("resume")
    assert isinstance(bed.begin_action("a"), Ready)
    assert bed.hand().held == {}


@pytest.mark.parametrize("source", ["compact", "resume", "clear"])
def test_a_session_that_begins_anew_is_still_paused(bed: ControlSetup, source: str) -> None:
    bed.do("pause")
    supervisor = bed.runs.get(RUN, "/")
    supervisor.record(Compacted(bed.clock.now, "auto"))
    supervisor.record(RunStarted(bed.clock.now, "claude", "/", source))
    assert isinstance(bed.begin_action("a"), Held)


def test_a_run_is_held_until_the_resume_is_on_the_disk() -> None:
    clock = ControlClock()
    store = WatchedStore(clock)
    bed = ControlSetup(store, clock)
    bed.loop(RUN)
    bed.do("pause", by="ann")
    store.is_late = True
    bed.ask(bed.request("resume"))
    bed.go_on()
    assert isinstance(bed.begin_action("a"), Held)
    assert bed.hand().by == "ann"
    store.confirm()
    bed.go_on()
    assert isinstance(bed.begin_action("a"), Ready)


@pytest.mark.parametrize(
    ("first", "again"),
    [("pause", "pause"), ("interrupt", "pause"), ("freeze", "freeze"), ("freeze", "pause")],
)
def test_a_run_that_is_about_to_go_on_can_be_held_again(
    bed: ControlSetup, first: str, again: str
) -> None:
    """Whoever is refused because it is held already would believe that it stays so."""
    bed.confirm(first)
    bed.ask(bed.request("resume"))
    bed.ask(bed.request(again))
    bed.go_on()
    assert bed.kinds("r-2")[-1] == "invalid_state"
    for _ in range(3):
        bed.came(RUN, "r-2")
        bed.came(RUN, "r-3")
    assert bed.kinds("r-3")[-1] == "success"
    assert bed.hand().standing == ("frozen" if again == "freeze" else "paused")


def test_what_ends_while_a_run_is_about_to_go_on_does_not_pause_it(bed: ControlSetup) -> None:
    bed.act("a")
    bed.do("pause")
    bed.ask(bed.request("resume"))
    bed.end_action("a")
    bed.go_on()
    assert [row["stack"][0].get("state") for row in bed.current()] == [None]  # type: ignore[index]
    assert bed.hand().standing == Standing.RUNNING


# Overtaken


def test_a_resume_overtakes_a_pause(bed: ControlSetup) -> None:
    bed.act("a")
    pause = bed.do("pause")
    resume = bed.do("resume", by="ben")
    assert bed.kinds(pause)[-1] == "invalid_state"
    assert bed.kinds(resume)[-1] == "success"
    bed.end_action("a")
    assert bed.hand().standing == Standing.RUNNING


def test_who_is_overtaken_is_told_by_whom(bed: ControlSetup) -> None:
    bed.do("freeze", by="ann")
    bed.do("resume", by="ben")
    assert answers(bed)[0].says == "Overtaken: ben asked for resume"


def test_a_pause_overtakes_a_resume_that_is_not_confirmed(bed: ControlSetup) -> None:
    bed.confirm("freeze")
    resume = bed.do("resume")
    pause = bed.do("pause")
    bed.came(RUN, resume)
    bed.came(RUN, pause)
    assert bed.kinds(resume)[-1] == "invalid_state"
    assert bed.hand().standing == Standing.PAUSED


def test_a_stop_overtakes_a_pause(bed: ControlSetup) -> None:
    bed.act("a")
    pause, stop = bed.do("pause"), bed.do("stop")
    bed.came(RUN, stop)
    assert [bed.kinds(each)[-1] for each in (pause, stop)] == ["invalid_state", "success"]
    assert bed.hand().standing == Standing.STOPPED


def test_a_cancel_overtakes_a_stop_and_its_late_end_changes_nothing(bed: ControlSetup) -> None:
    stop, cancel = bed.do("stop"), bed.do("cancel")
    bed.came(RUN, cancel)
    bed.came(RUN, stop)
    assert [bed.kinds(each)[-1] for each in (stop, cancel)] == ["invalid_state", "success"]
    assert bed.hand().standing == Standing.CANCELLED


def test_two_who_want_a_stop_are_answered_by_the_same_end(bed: ControlSetup) -> None:
    first, second = bed.do("stop"), bed.do("stop")
    bed.came(RUN, first)
    assert bed.kinds(second)[-1] == "success"
    bed.confirm("resume")
    bed.came(RUN, second)
    assert bed.hand().standing == Standing.RUNNING


# Interrupt


def test_an_interrupt_drops_what_was_under_way(bed: ControlSetup) -> None:
    bed.act("a")
    request = bed.do("interrupt", by="ann")
    bed.came(RUN, request)
    dropped = [
        event
        for _, event in Journal(bed.store).read(topic_of(RUN))
        if isinstance(event, ActionDropped)
    ]
    assert [(event.step, event.says) for event in dropped] == [(1, "interrupted by ann")]
    assert bed.state().at_work == []
    assert bed.hand().standing == Standing.PAUSED


def test_an_interrupt_that_fails_leaves_a_pause(bed: ControlSetup) -> None:
    bed.act("a")
    request = bed.do("interrupt")
    bed.came(RUN, request, FAILED)
    assert bed.hand().standing == Standing.PAUSING
    bed.end_action("a")
    assert bed.hand().standing == Standing.PAUSED
    assert bed.kinds(request)[-1] == "invalid_state"


def test_a_frozen_agent_is_let_go_before_it_is_interrupted(bed: ControlSetup) -> None:
    bed.confirm("freeze")
    request = bed.do("interrupt")
    assert begun(bed) == ["freeze", "thaw"]
    bed.came(RUN, request)
    assert begun(bed) == ["freeze", "thaw", "interrupt"]
    bed.came(RUN, request)
    assert bed.kinds(request) == ["REQUEST", "ACK", "success"]
    assert bed.hand().frozen == 0


# Freeze


def test_a_freeze_that_fails_ends_as_a_pause(bed: ControlSetup) -> None:
    bed.act("a")
    request = bed.do("freeze")
    bed.came(RUN, request, FAILED)
    bed.end_action("a")
    assert bed.kinds(request) == ["REQUEST", "ACK", "invalid_state"]
    assert bed.hand().standing == Standing.PAUSED
    assert bed.current()[-1]["event"] == "STATE"


def test_a_frozen_run_that_is_paused_finishes_its_action_first(bed: ControlSetup) -> None:
    """The action was stopped in the middle: when its process goes on, it is under way again."""
    bed.act("a")
    bed.confirm("freeze")
    pause = bed.do("pause")
    bed.came(RUN, pause)
    assert bed.kinds(pause) == ["REQUEST", "ACK"]
    assert bed.hand().standing == Standing.PAUSING
    bed.end_action("a")
    assert bed.kinds(pause)[-1] == "success"


def test_a_frozen_run_is_not_paused_before_its_processes_go_on(bed: ControlSetup) -> None:
    bed.confirm("freeze")
    pause = bed.do("pause")
    bed.runs.get(RUN, "/").record(IterationEnded(bed.clock.now))
    assert bed.kinds(pause) == ["REQUEST", "ACK"]
    bed.came(RUN, pause)
    assert bed.kinds(pause)[-1] == "success"


def test_what_undoes_a_freeze_is_begun_after_it(bed: ControlSetup) -> None:
    freeze = bed.do("freeze")
    resume = bed.do("resume")
    assert begun(bed) == ["freeze"]
    bed.came(RUN, freeze)
    assert begun(bed) == ["freeze", "thaw"]
    bed.came(RUN, resume)
    assert bed.kinds(resume)[-1] == "success"
    assert bed.hand().standing == Standing.RUNNING


def test_a_freeze_is_begun_after_the_thaw_before_it(bed: ControlSetup) -> None:
    bed.confirm("freeze")
    resume = bed.do("resume")
    freeze = bed.do("freeze")
    assert begun(bed) == ["freeze", "thaw"]
    bed.came(RUN, resume)
    assert begun(bed) == ["freeze", "thaw", "freeze"]
    bed.came(RUN, freeze)
    assert bed.hand().standing == Standing.FROZEN


def test_something_else_that_comes_back_does_not_begin_it_twice(bed: ControlSetup) -> None:
    escalate = bed.do("escalate")
    bed.do("freeze")
    bed.do("resume")
    bed.came(RUN, escalate)
    assert begun(bed) == ["switch_model", "freeze"]


def test_a_stop_waits_for_no_freeze(bed: ControlSetup) -> None:
    bed.do("freeze")
    stop = bed.do("stop")
    assert begun(bed) == ["freeze", "stop"]
    bed.came(RUN, stop)
    bed.confirm("resume")
    bed.do("freeze")
    assert begun(bed) == ["freeze", "stop", "resume", "freeze"]


@pytest.mark.parametrize("command", ["resume", "pause", "interrupt"])
def test_a_run_that_cannot_be_thawed_stays_frozen_and_guarded(
    bed: ControlSetup, command: str
) -> None:
    bed.confirm("freeze")
    bed.clock.now += 100
    request = bed.do(command)
    bed.came(RUN, request, FAILED)
    assert bed.hand().standing == Standing.FROZEN
    assert bed.hand().frozen == bed.clock.now  # so that it is not tried again at once
    assert begun(bed) == ["freeze", "thaw"]
    assert bed.actions.reminders[RUN][0] == Control().freeze_seconds


def test_a_freeze_that_is_confirmed_late_ends_by_itself_too(bed: ControlSetup) -> None:
    request = bed.do("freeze")
    bed.clock.now += Control().freeze_seconds
    bed.actions.reminders.pop(RUN)[1]()  # nothing is frozen yet, so nothing can end
    bed.came(RUN, request)
    assert bed.hand().standing == Standing.FROZEN
    left, remind = bed.actions.reminders[RUN]
    bed.clock.now += left
    remind()
    assert bed.hand().standing == Standing.PAUSING
