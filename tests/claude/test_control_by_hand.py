"""A person controls a session of the real Claude Code that they talk to, from another terminal."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from handrail.control.message import Result
from handrail.model.control import ControlCommand, Standing
from handrail.supervise.state.run_state import RunState
from handrail.testing.model_server import Answer, Say
from tests.claude.controlled import waits_for
from tests.claude.prompted_session import talking
from tests.claude.supervised import SupervisedSandbox, bash, supervised, until
from tests.run_controller import RunController

HINT = "Use pathlib, not os."


class Ran(NamedTuple):
    """A command of Handrail that a person has run."""

    code: int
    said: str


def by_hand(world: SupervisedSandbox, *args: str) -> Ran:
    done = subprocess.run(
        [world.bin / "handrail", *args],
        cwd=world.repo,
        env=world.bed.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    return Ran(done.returncode, " ".join((done.stdout + done.stderr).split()))


class Talked(NamedTuple):
    """A session that was controlled between two prompts, and in the middle of a command."""

    idle: Ran
    """A pause while it waits for a prompt."""
    told_early: bool
    told: Result
    held: RunState
    resumed: Ran
    pausing: Ran
    """A pause while a command is under way."""
    paused: RunState
    all_resumed: Ran
    nothing: Ran
    """What makes no sense."""
    too_late: Result
    """Of a hint, after which the session has ended."""
    requests: list[int]
    """How often the hint is in each request to the model."""
    files: frozenset[str]


@pytest.fixture(scope="module")
def talked(claude: Path) -> Iterator[Talked]:
    with supervised() as world:
        script: list[Answer] = [
            Say("One is done."),
            bash("touch made", "made"),
            waits_for("go", "touch slow", "slow"),
            Say("Two is done."),
        ]
        with talking(world, script) as talk:
            talk.say("One.")
            run, ann = talk.session, RunController(world.state)
            hint = ann.ask(ControlCommand.STEER, run, text=HINT)
            idle = by_hand(world, "pause", run, "--reason", "lunch")
            told_early = ann.has_result(hint)
            talk.begin("Two.")
            held = ann.when_held(run, "made")
            told = ann.result(hint)
            resumed = by_hand(world, "resume", run)
            until((world.repo / "slow-began").exists, "the command has not begun")
            pausing = by_hand(world, "pause", run, "--wait", "0.1")
            (world.repo / "go").touch()
            paused = ann.when(run, lambda state: state.hand.standing == Standing.PAUSED)
            all_resumed = by_hand(world, "resume", "--all")
            nothing = by_hand(world, "resume", run)
            ann.when(run, lambda state: state.phase == "waiting")
            late = ann.ask(ControlCommand.STEER, run, text="Too late.")
            told_to_model = [each.text.count(HINT) for each in talk.model.requests if each.tools]
        files = frozenset(path.name for path in world.repo.iterdir())
        too_late = ann.result(late)
        yield Talked(
            idle,
            told_early,
            told,
            held,
            resumed,
            pausing,
            paused,
            all_resumed,
            nothing,
            too_late,
            told_to_model,
            files,
        )


def test_a_session_that_waits_for_a_prompt_is_paused_at_once(talked: Talked) -> None:
    assert talked.idle.code == 0, talked.idle
    assert "confirmed" in talked.idle.said
    assert (talked.held.hand.standing, talked.held.hand.reason) == (Standing.PAUSED, "lunch")


def test_a_hint_to_a_session_that_waits_comes_with_the_next_prompt_once(talked: Talked) -> None:
    assert not talked.told_early
    assert talked.told.ok
    assert talked.requests == [0, 1, 1, 1]


def test_resumed_by_hand_what_was_held_runs(talked: Talked) -> None:
    assert talked.resumed.code == 0, talked.resumed
    assert "made" in talked.files


def test_a_pause_that_waits_for_a_command_is_acknowledged_and_stays_asked_for(
    talked: Talked,
) -> None:
    assert talked.pausing.code == 3, talked.pausing
    assert "acknowledged" in talked.pausing.said
    assert talked.paused.hand.standing == Standing.PAUSED


def test_all_that_can_be_resumed_is_resumed(talked: Talked) -> None:
    assert talked.all_resumed.code == 0, talked.all_resumed


def test_what_makes_no_sense_is_refused(talked: Talked) -> None:
    assert talked.nothing.code == 1, talked.nothing


def test_what_a_session_could_not_be_told_any_more_is_said(talked: Talked) -> None:
    assert not talked.too_late.ok
    assert talked.too_late.says == "The run has ended before that could be done"
