"""A run of the real Claude Code that Handrail drives, with a person's hand on it."""

import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from handrail.model.control import ControlCommand, Standing
from handrail.model.event import ControlAnswered
from handrail.server.http.socket_client import daemon_health
from handrail.testing.model_server import Answer, ModelRequest, ModelTurn, Say
from tests.claude.controlled import doing, living, waits_for
from tests.claude.driven_agent import MODEL, by_words, half_said, last_said
from tests.claude.driven_run import DrivenRun, driven
from tests.claude.supervised import SupervisedSandbox, bash, supervised, until

OTHER = "claude-opus-4-5"
DONE = Say("All of it is done.\n\nTASK DONE")
INTERRUPTED = "You were interrupted"


@pytest.fixture
def world(claude: Path) -> Iterator[SupervisedSandbox]:
    with supervised() as world:
        yield world


def when_there(world: SupervisedSandbox, name: str) -> None:
    until((world.repo / name).exists, f"there is no file {name}")


def evidence(run: DrivenRun, command: ControlCommand) -> tuple[str, ...]:
    """What has shown that a command was carried out."""
    return next(
        event.evidence
        for event in run.ann.events(run.run)
        if isinstance(event, ControlAnswered) and event.command == command
    )


# Another model


def test_the_next_request_after_an_escalation_asks_the_other_model(
    world: SupervisedSandbox,
) -> None:
    script: list[Answer] = [waits_for("go", "touch slow", "slow"), Say("Not yet."), DONE]
    with driven(world, "Build the cart.", script) as run:
        when_there(world, "slow-began")
        result = run.ann.do(ControlCommand.ESCALATE, run.run, text=OTHER, reason="it is stuck")
        assert result.payload == {
            "status": "success",
            "previous_model": MODEL,
            "new_model": OTHER,
        }
        (world.repo / "go").touch()
        assert run.wait() == 0
        assert run.models == [MODEL, OTHER, OTHER]


# Breaking off


def test_an_answer_of_the_model_is_broken_off(world: SupervisedSandbox) -> None:
    answers = by_words({INTERRUPTED: DONE, "Build": half_said()})
    with driven(world, "Build the cart.", answers) as run:
        run.when_asked(1)
        run.ann.do(ControlCommand.INTERRUPT, run.run)
        state = run.when(Standing.PAUSED)
        assert state.hand.by == "ann"
        assert "The turn was broken off" in evidence(run, ControlCommand.INTERRUPT)
        assert len(run.models) == 1
        run.ann.do(ControlCommand.RESUME, run.run)
        assert run.wait() == 0
        assert INTERRUPTED in run.last_request


def test_a_command_is_broken_off(world: SupervisedSandbox) -> None:
    slow = bash("echo $$ > pid.new; mv pid.new pid; sleep 600; touch made", "slow")
    answers = by_words({INTERRUPTED: DONE, "Build": slow})
    with driven(world, "Build the cart.", answers) as run:
        when_there(world, "pid")
        command = int((world.repo / "pid").read_text())
        run.ann.do(ControlCommand.INTERRUPT, run.run)
        assert run.when(Standing.PAUSED).at_work == []
        until(lambda: not living([command]), "the command goes on")
        run.ann.do(ControlCommand.RESUME, run.run)
        assert run.wait() == 0
        assert not (world.repo / "made").exists()


def test_a_call_that_is_held_is_broken_off_and_never_runs(world: SupervisedSandbox) -> None:
    def pause(_: ModelRequest) -> Answer:
        run.ann.do(ControlCommand.PAUSE, run.run)
        return bash("touch made", "made")

    def answer(request: ModelRequest) -> Answer:
        return DONE if INTERRUPTED in last_said(request) else pause(request)

    with driven(world, "Build the cart.", [answer] * 9) as run:
        run.ann.when_held(run.run, "made")
        run.ann.do(ControlCommand.INTERRUPT, run.run)
        run.ann.when(run.run, lambda state: not state.hand.held)
        assert run.when(Standing.PAUSED).at_work == []
        run.ann.do(ControlCommand.RESUME, run.run)
        assert run.wait() == 0
        assert not (world.repo / "made").exists()


# Frozen


def test_the_agent_is_frozen_and_its_driver_is_not(world: SupervisedSandbox) -> None:
    script: list[Answer] = [waits_for("go", "touch slow", "slow"), DONE]
    with driven(world, "Build the cart.", script) as run:
        when_there(world, "slow-began")
        run.ann.do(ControlCommand.FREEZE, run.run)
        below = {psutil.Process(pid).status() for pid in run.agents}
        assert below == {psutil.STATUS_STOPPED}
        assert psutil.Process(run.process.pid).status() != psutil.STATUS_STOPPED
        (world.repo / "go").touch()
        assert len(run.models) == 1
        run.ann.do(ControlCommand.RESUME, run.run)
        assert run.wait() == 0
        assert (world.repo / "slow").exists()


def test_a_frozen_run_can_be_interrupted(world: SupervisedSandbox) -> None:
    with driven(world, "Build.", by_words({INTERRUPTED: DONE, "Build": half_said()})) as run:
        run.when_asked(1)
        run.ann.do(ControlCommand.FREEZE, run.run)
        run.ann.do(ControlCommand.INTERRUPT, run.run)
        run.ann.do(ControlCommand.RESUME, run.run)
        assert run.wait() == 0


# Between two iterations


def test_what_is_asked_for_between_two_iterations_holds_for_the_next(
    world: SupervisedSandbox,
) -> None:
    def pause() -> None:
        run.ann.do(ControlCommand.PAUSE, run.run)

    with driven(world, "Build the cart.", [doing(pause, Say("Not yet.")), DONE]) as run:
        run.when_at_rest()
        goal = run.ann.ask(ControlCommand.REDIRECT, run.run, text="Fix the login instead.")
        run.ann.do(ControlCommand.ESCALATE, run.run, text=OTHER)
        run.ann.do(ControlCommand.RESUME, run.run)
        assert run.wait() == 0
        assert run.ann.result(goal).ok
        assert run.models == [MODEL, OTHER]
        assert "Fix the login instead." in run.last_request
        assert "Fix the login instead." in run.ann.state(run.run).history.goal


def test_a_pause_holds_the_loop_at_the_end_of_an_iteration(world: SupervisedSandbox) -> None:
    def pause() -> None:
        run.ann.do(ControlCommand.PAUSE, run.run)

    with driven(world, "Build the cart.", [doing(pause, Say("Not yet.")), DONE]) as run:
        run.when_at_rest()
        steer = run.ann.ask(ControlCommand.STEER, run.run, text="Use pathlib.")
        run.ann.do(ControlCommand.CHECKPOINT, run.run)  # takes its time
        assert len(run.models) == 1
        assert run.ann.state(run.run).iteration == 1
        run.ann.do(ControlCommand.RESUME, run.run)
        assert run.wait() == 0
        assert run.last_request.count("Use pathlib.") == 1
        assert run.ann.result(steer).ok
        assert run.ann.state(run.run).iteration == 2
        shown = [(frame["iter"], frame.get("state", "")) for frame in frames(run)]
        assert shown[:3] == [(1, ""), (1, ""), (1, "paused")]
        assert shown[-1] == (2, "")


def frames(run: DrivenRun) -> list[dict[str, object]]:
    """The loop as it was shown to those who watch, from its beginning."""
    found: list[dict[str, object]] = []
    for row in run.ann.current():
        stack = row["stack"]
        assert isinstance(stack, list)
        found += stack
    return found


def test_a_pause_holds_a_loop_whose_agent_says_that_it_is_done(world: SupervisedSandbox) -> None:
    def pause() -> None:
        run.ann.do(ControlCommand.PAUSE, run.run)

    verify = ("--verify", "touch verified")
    with driven(world, "Build the cart.", [doing(pause, DONE)], *verify) as run:
        run.when_at_rest()
        with pytest.raises(subprocess.TimeoutExpired):
            run.process.wait(2)
        assert not (world.repo / "verified").exists()
        run.ann.do(ControlCommand.RESUME, run.run)
        assert run.wait() == 0


# The end


def test_a_stopped_run_is_taken_up_again_by_its_driver(world: SupervisedSandbox) -> None:
    answers = by_words({"started again": DONE, "Build": waits_for("never", "true", "hang")})
    with driven(world, "Build the cart.", answers) as run:
        when_there(world, "hang-began")
        assert run.agents
        result = run.ann.do(ControlCommand.STOP, run.run)
        assert run.agents == []
        assert result.says == "Loop stopped at iteration 1"
        assert run.process.poll() is None
        run.ann.do(ControlCommand.RESUME, run.run)
        assert run.wait() == 0
        assert "Build the cart." in run.last_request


def test_a_cancelled_run_ends_its_driver(world: SupervisedSandbox) -> None:
    thinks = ModelTurn([Say("never said")], after=threading.Event())
    with driven(world, "Build the cart.", [thinks]) as run:
        run.when_asked(1)
        run.ann.do(ControlCommand.CANCEL, run.run)
        assert run.wait() == 1
        assert run.ann.current()[-1] == {
            "schema": 1,
            "event": "ABORT",
            "reason": "USER_CANCELLED",
            "run_id": run.run,
            "stack": [],
        }
        assert run.ann.get(ControlCommand.RESUME, run.run).code == "not_found"


# The daemon is killed


def test_a_driven_run_that_is_paused_stays_so_when_its_daemon_is_killed(
    world: SupervisedSandbox,
) -> None:
    def pause() -> None:
        run.ann.do(ControlCommand.PAUSE, run.run)

    with driven(world, "Build the cart.", [doing(pause, Say("Not yet.")), DONE]) as run:
        run.when_at_rest()
        world.kill()
        until(lambda: daemon_health(world.state), "the driver has not started the daemon again")
        assert run.ann.state(run.run).hand.standing == Standing.PAUSED
        run.ann.do(ControlCommand.RESUME, run.run)
        assert run.wait() == 0
        assert len(run.models) == 2
