"""The real Claude Code is paused, and goes on when a person says so."""

from pathlib import Path
from typing import NamedTuple

import pytest

from handrail.control.message import Result
from handrail.model.control import ControlCommand, Standing
from handrail.model.event import ActionHeld, Event, FindingMade
from handrail.supervise.state.run_state import RunState
from handrail.testing.model_server import ModelTurn, Say, Step, ToolCall
from tests.claude.controlled import ControlledSession, doing, settings, waits_for
from tests.claude.sandbox import FinishedSession
from tests.claude.supervised import STOPPED, SupervisedSandbox, bash, supervised


def read(world: SupervisedSandbox, call: str) -> ToolCall:
    return ToolCall("Read", {"file_path": f"{world.repo}/README.md"}, call)


def write(world: SupervisedSandbox, name: str) -> ToolCall:
    return ToolCall("Write", {"file_path": f"{world.repo}/{name}", "content": ""}, name)


class Look(NamedTuple):
    """How things are at one moment."""

    files: frozenset[str]
    asked: int
    state: RunState

    @classmethod
    def at(cls, session: ControlledSession) -> "Look":
        return cls(session.files(), session.asked(), session.ann.state(session.run))


# Paused in the middle of a turn


class Paused(NamedTuple):
    """A session that was paused while a command ran, and resumed."""

    pausing: Look
    """The command still runs."""
    answered_early: bool
    paused: Result
    held: Look
    still: Look
    """Some time later."""
    resumed: Result
    reads: Look
    """Paused again: calls at once that change nothing."""
    session: FinishedSession
    files: frozenset[str]


@pytest.fixture(scope="module")
def paused(claude: Path) -> Paused:
    with supervised() as world:

        def pause_again() -> None:
            session.ann.do(ControlCommand.PAUSE, session.run)

        session = ControlledSession.begin(
            world,
            [
                waits_for("go", "touch slow", "slow"),
                ModelTurn([bash("touch made", "made"), write(world, "written")]),
                doing(pause_again, ModelTurn([read(world, "read"), bash("ls", "list")])),
                Say("Done."),
            ],
        )
        ann, run = session.ann, session.run
        session.when_there("slow-began")
        pause = ann.ask(ControlCommand.PAUSE, run, reason="lunch")
        pausing, early = Look.at(session), ann.has_result(pause)
        session.touch("go")
        result = ann.result(pause)
        ann.when_held(run, "made")
        held = Look.at(session)
        ann.do(ControlCommand.CHECKPOINT, run)  # takes its time
        still = Look.at(session)
        resumed = ann.do(ControlCommand.RESUME, run)
        ann.when_held(run, "read", "list")
        reads = Look.at(session)
        ann.do(ControlCommand.RESUME, run)
        ended = session.wait()
        return Paused(pausing, early, result, held, still, resumed, reads, ended, session.files())


def test_a_pause_waits_for_the_command_that_is_under_way(paused: Paused) -> None:
    assert paused.pausing.state.hand.standing == Standing.PAUSING
    assert not paused.answered_early
    assert paused.paused.payload == {"status": "success", "message": "Loop paused at iteration 1"}
    assert "slow" in paused.held.files


def test_the_next_call_of_a_paused_run_is_held(paused: Paused) -> None:
    assert set(paused.held.state.hand.held) == {"made"}
    assert set(paused.still.state.hand.held) == {"made"}


def test_while_a_call_is_held_nothing_is_changed(paused: Paused) -> None:
    assert not {"made", "written"} & paused.still.files


def test_while_a_call_is_held_the_model_is_not_asked(paused: Paused) -> None:
    assert (paused.held.asked, paused.still.asked) == (2, 2)


def test_resumed_what_was_held_runs(paused: Paused) -> None:
    assert paused.resumed.says == "Loop resumed at iteration 1"
    assert paused.session.ran("slow", "made", "written")
    assert {"made", "written"} <= paused.files


def test_calls_at_once_that_only_read_are_all_held(paused: Paused) -> None:
    assert set(paused.reads.state.hand.held) == {"read", "list"}
    assert paused.reads.asked == 3
    assert paused.session.ran("read", "list")


def test_who_has_paused_it_is_known(paused: Paused) -> None:
    hand = paused.held.state.hand
    assert (hand.standing, hand.by, hand.reason) == (Standing.PAUSED, "ann", "lunch")


def test_the_agent_does_not_notice_that_it_was_paused(paused: Paused) -> None:
    assert "paused" not in paused.session.told()


# A sub-agent


def helper(**more: object) -> ToolCall:
    given = {"description": "help", "prompt": "HELPER", "subagent_type": "general-purpose"}
    return ToolCall("Agent", {**given, **more}, id="helper")


@pytest.mark.parametrize("alone", [True, False], ids=["alone", "waited for"])
def test_a_call_of_a_sub_agent_is_held_too(claude: Path, alone: bool) -> None:
    with supervised() as world:

        def pause() -> None:
            session.ann.do(ControlCommand.PAUSE, session.run)

        script: dict[str, list[Step]] = {
            "HELPER": [doing(pause, bash("touch helped", "helped")), Say("Helped.")],
            "Begin": [helper(run_in_background=alone), *[Say("Done.")] * 4],
        }
        session = ControlledSession.begin(world, script)
        ann, run = session.ann, session.run
        state = ann.when_held(run, "helped")
        assert state.hand.standing == Standing.PAUSED
        assert "helped" not in session.files()
        ann.do(ControlCommand.RESUME, run)
        assert session.wait().ran("helped")
        assert "helped" in session.files()


# A session that ends meanwhile


def test_a_session_that_ended_while_it_was_paused_is_paused_when_it_is_taken_up_again(
    claude: Path,
) -> None:
    with supervised() as world:

        def pause() -> None:
            first.ann.do(ControlCommand.PAUSE, first.run)

        first = ControlledSession.begin(world, [doing(pause, Say("I stop here."))])
        first.wait()
        again = ControlledSession.begin(world, [bash("touch made", "made")] * 2, run=first.run)
        state = again.ann.when_held(again.run, "made")
        assert state.hand.standing == Standing.PAUSED
        again.ann.do(ControlCommand.RESUME, again.run)
        assert again.wait().ran("made")


# Held for longer than a host waits


class TooLong(NamedTuple):
    """A session that stays paused for longer than calls are held, and is resumed in the end."""

    looks: list[Look]
    """After each call."""
    session: FinishedSession
    events: list[Event]


@pytest.fixture(scope="module")
def too_long(claude: Path) -> TooLong:
    with supervised() as world:
        settings(world, "control: {hold_seconds: 1}")
        looks: list[Look] = []

        def pause() -> None:
            session.ann.do(ControlCommand.PAUSE, session.run, reason="the fixture comes first")

        def look() -> None:
            looks.append(Look.at(session))

        def resume() -> None:
            look()
            session.ann.do(ControlCommand.RESUME, session.run)

        session = ControlledSession.begin(
            world,
            [
                bash("touch before", "before"),
                doing(pause, bash("touch first", "first")),
                doing(look, ModelTurn([bash("touch second", "second"), read(world, "read")])),
                doing(resume, bash("touch third", "third")),
                Say("Done."),
            ],
        )
        return TooLong(looks, session.wait(), session.ann.events(session.run))


@pytest.mark.parametrize("call", ["first", "second", "read"])
def test_a_call_that_is_held_too_long_is_refused_with_the_reason(
    too_long: TooLong, call: str
) -> None:
    told = too_long.session.tool_results()[call]
    assert told.is_error
    assert STOPPED in told.text
    assert "paused by ann: the fixture comes first" in told.text


def test_the_run_stays_paused_when_a_call_was_refused(too_long: TooLong) -> None:
    assert [look.state.hand.standing for look in too_long.looks] == [Standing.PAUSED] * 2


def test_after_a_refusal_the_next_call_is_held_again(too_long: TooLong) -> None:
    held = [event.id for event in too_long.events if isinstance(event, ActionHeld)]
    assert held == ["first", "second", "read"]


def test_what_was_refused_has_not_run(too_long: TooLong) -> None:
    assert not {"first", "second"} & too_long.looks[-1].files


def test_after_that_the_run_can_go_on(too_long: TooLong) -> None:
    assert too_long.session.ran("before", "third")


def test_a_refusal_because_of_a_pause_is_nothing_against_the_agent(too_long: TooLong) -> None:
    assert not [event for event in too_long.events if isinstance(event, FindingMade)]
