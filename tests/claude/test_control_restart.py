"""The daemon is killed while the real Claude Code is paused: what was asked for stays so."""

from pathlib import Path
from typing import NamedTuple

import pytest

from handrail.control.message import AnyMessage, Request, Result
from handrail.model.control import ControlCommand, Standing
from handrail.model.event import ActionHeld, ControlAsked, Event
from handrail.server.http.socket_client import daemon_health
from handrail.supervise.state.run_state import RunState
from handrail.testing.model_server import Say
from tests.claude.controlled import ControlledSession, doing, waits_for
from tests.claude.sandbox import FinishedSession
from tests.claude.supervised import SupervisedSandbox, bash, supervised, until

HOST_BLOCKED = 'blocking because onFailure is "block"'


class Killed(NamedTuple):
    """A session whose daemon was killed twice."""

    pausing: RunState
    """After the first time: a command was still under way."""
    confirmed: Result
    held: RunState
    """After the second time: a call was held."""
    files: frozenset[str]
    """While the next one is held."""
    again: list[AnyMessage]
    """What the same request is answered with."""
    session: FinishedSession
    events: list[Event]


def when_back(world: SupervisedSandbox) -> None:
    """Until the session has brought the daemon back."""
    until(lambda: (daemon_health(world.state) or {}).get("ok"), "the daemon is not back")


@pytest.fixture(scope="module")
def killed(claude: Path) -> Killed:
    with supervised() as world:
        session = ControlledSession.begin(
            world,
            [
                waits_for("go", "touch slow", "slow"),
                bash("touch first", "first"),
                doing(lambda: when_back(world), bash("touch second", "second")),
                Say("Done."),
            ],
        )
        ann, run = session.ann, session.run
        session.when_there("slow-began")
        pause = ann.ask(ControlCommand.PAUSE, run, reason="lunch")
        world.kill()
        world.handrail("serve", "--background")
        pausing = ann.state(run)
        session.touch("go")
        confirmed = ann.result(pause)
        ann.when_held(run, "first")
        world.kill()
        held = ann.when_held(run, "second")
        files = session.files()
        again = ann.send(pause)
        ann.do(ControlCommand.RESUME, run)
        return Killed(pausing, confirmed, held, files, again, session.wait(), ann.events(run))


def test_a_pause_that_was_acknowledged_is_confirmed_by_the_next_daemon(killed: Killed) -> None:
    assert killed.pausing.hand.standing == Standing.PAUSING
    assert killed.confirmed.payload == {
        "status": "success",
        "message": "Loop paused at iteration 1",
    }


def test_a_call_that_was_held_when_the_daemon_died_has_not_run(killed: Killed) -> None:
    assert HOST_BLOCKED in killed.session.tool_results()["first"].text
    assert "first" not in killed.files


def test_a_run_that_was_paused_is_paused_when_the_daemon_is_back(killed: Killed) -> None:
    hand = killed.held.hand
    assert (hand.standing, hand.by, hand.reason) == (Standing.PAUSED, "ann", "lunch")


def test_the_next_call_is_held_again(killed: Killed) -> None:
    held = [event for event in killed.events if isinstance(event, ActionHeld)]
    assert [event.id for event in held if not event.released] == ["first", "second"]
    assert "second" not in killed.files


def test_what_nobody_waits_for_any_more_is_not_held(killed: Killed) -> None:
    assert set(killed.held.hand.held) == {"second"}


def test_the_same_request_is_not_done_twice(killed: Killed) -> None:
    asked = [event for event in killed.events if isinstance(event, ControlAsked)]
    assert [event.command for event in asked] == [ControlCommand.PAUSE, ControlCommand.RESUME]
    assert killed.again[-1] == killed.confirmed


def test_the_session_goes_on_after_that(killed: Killed) -> None:
    assert killed.session.ran("slow", "second")


def test_where_hooks_are_commands_calls_are_held_and_survive_a_kill_too(claude: Path) -> None:
    with supervised("--handler", "command") as world:

        def pause() -> None:
            session.ann.do(ControlCommand.PAUSE, session.run)

        session = ControlledSession.begin(
            world,
            [
                doing(pause, bash("touch first", "first")),
                doing(lambda: world.handrail("serve", "--background"), bash("touch on", "on")),
                Say("Done."),
            ],
        )
        ann, run = session.ann, session.run
        ann.when_held(run, "first")
        world.kill()
        state = ann.when_held(run, "on")
        assert state.hand.standing == Standing.PAUSED
        ann.do(ControlCommand.RESUME, run)
        ended = session.wait()
        assert "Handrail does not answer" in ended.tool_results()["first"].text
        assert "first" not in session.files()
        assert ended.ran("on")


def test_a_pause_is_confirmed_although_nobody_heard_the_end_of_a_command(claude: Path) -> None:
    with supervised() as world:
        asked: list[Request] = []

        def pause() -> None:
            world.handrail("serve", "--background")
            asked.append(session.ann.ask(ControlCommand.PAUSE, session.run))

        session = ControlledSession.begin(
            world,
            [
                waits_for("go", "touch slow", "slow"),
                doing(pause, bash("touch on", "on")),
                Say("Done."),
            ],
        )
        session.when_there("slow-began")
        world.kill()
        session.touch("go")
        session.ann.when_held(session.run, "on")
        assert session.ann.result(asked[0]).ok
        session.ann.do(ControlCommand.RESUME, session.run)
        assert session.wait().ran("slow", "on")
