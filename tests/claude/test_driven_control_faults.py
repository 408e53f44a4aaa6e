"""Daemon and driver die at the worst moment: what a person has asked of the run is still done."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.model.control import ControlCommand, Standing
from handrail.server.http.socket_client import daemon_health
from handrail.testing.model_server import Answer, Say
from tests.claude.controlled import living, waits_for
from tests.claude.driven_agent import MODEL, by_words, half_said
from tests.claude.driven_run import driven
from tests.claude.supervised import SupervisedSandbox, supervised, until

OTHER = "claude-opus-4-5"
DONE = Say("All of it is done.\n\nTASK DONE")


@pytest.fixture
def world(claude: Path) -> Iterator[SupervisedSandbox]:
    with supervised() as world:
        yield world


def when_there(world: SupervisedSandbox, name: str) -> None:
    until((world.repo / name).exists, f"there is no file {name}")


def when_back(world: SupervisedSandbox) -> None:
    until(lambda: daemon_health(world.state), "the daemon was not started again")


def test_an_interrupt_that_was_acknowledged_is_carried_out_for_the_next_daemon(
    world: SupervisedSandbox,
) -> None:
    answers = by_words({"You were interrupted": DONE, "Build": half_said()})
    with driven(world, "Build the cart.", answers) as run:
        run.when_asked(1)
        os.kill(run.process.pid, signal.SIGSTOP)
        request = run.ann.ask(ControlCommand.INTERRUPT, run.run)
        world.kill()
        os.kill(run.process.pid, signal.SIGCONT)
        when_back(world)
        assert run.ann.result(request).ok
        assert run.when(Standing.PAUSED).hand.by == "ann"
        run.ann.do(ControlCommand.RESUME, run.run)
        assert run.wait() == 0


def test_another_model_that_was_acknowledged_is_taken_for_the_next_daemon(
    world: SupervisedSandbox,
) -> None:
    script: list[Answer] = [waits_for("go", "touch slow", "slow"), DONE]
    with driven(world, "Build the cart.", script) as run:
        when_there(world, "slow-began")
        os.kill(run.process.pid, signal.SIGSTOP)
        request = run.ann.ask(ControlCommand.ESCALATE, run.run, text=OTHER)
        world.kill()
        os.kill(run.process.pid, signal.SIGCONT)
        when_back(world)
        assert run.ann.result(request).payload["new_model"] == OTHER
        (world.repo / "go").touch()
        assert run.wait() == 0
        assert run.models == [MODEL, OTHER]


def test_a_run_whose_driver_was_killed_is_stopped_without_it(world: SupervisedSandbox) -> None:
    slow = waits_for("never", "true", "hang")
    with driven(world, "Build the cart.", by_words({"Build": slow})) as run:
        when_there(world, "hang-began")
        agents = run.agents
        os.kill(run.process.pid, signal.SIGKILL)
        run.wait()
        refused = run.ann.get(ControlCommand.ESCALATE, run.run, text=OTHER)
        assert f"handrail run --resume {run.run}" in refused.says
        run.ann.do(ControlCommand.STOP, run.run)
        assert agents
        assert living(agents) == []
        assert run.ann.state(run.run).hand.standing == Standing.STOPPED
