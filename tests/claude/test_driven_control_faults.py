"""Daemon and driver die at the worst moment: what a person has asked of the run is still done."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from handrail.intervene.processes.control_group import make_group, remove_group
from handrail.model.control import ControlCommand, Standing
from handrail.model.event import ControlAnswered
from handrail.server.http.socket_client import daemon_health
from handrail.testing.model_server import Answer, Say
from tests.claude.controlled import living, settings, waits_for
from tests.claude.driven_agent import MODEL, by_words, half_said
from tests.claude.driven_run import driven
from tests.claude.handrail_run import run as run_to_the_end
from tests.claude.supervised import SupervisedSandbox, bash, supervised, until

OTHER = "claude-opus-4-5"
DONE = Say("All of it is done.\n\nTASK DONE")


@pytest.fixture
def world(claude: Path) -> Iterator[SupervisedSandbox]:
    with supervised() as world:
        yield world


@pytest.fixture
def has_groups(world: SupervisedSandbox) -> bool:
    """Whether this machine lets a run have a control group."""
    group = make_group(str(uuid4()), world.bed.environ)
    if group is not None:
        remove_group(group.path)
    return group is not None


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


def test_an_agent_whose_driver_was_killed_waits_and_ends(world: SupervisedSandbox) -> None:
    """The command under way ends; the next call waits, and then the run is interrupted."""
    settings(world, "control: {hold_seconds: 2}")
    script: list[Answer] = [waits_for("go", "touch slow", "slow"), bash("touch more", "b2"), DONE]
    with driven(world, "Build the cart.", script) as run:
        when_there(world, "slow-began")
        agents = run.agents
        os.kill(run.process.pid, signal.SIGKILL)
        run.wait()
        held = run.when(Standing.PAUSING)
        assert (held.hand.by, f"--resume {run.run}" in held.hand.reason) == ("handrail", True)
        (world.repo / "go").touch()
        stopped = run.when(Standing.STOPPED)
        assert (stopped.hand.by, living(agents)) == ("handrail", [])
        assert not (world.repo / "more").exists()
        [shown] = json.loads(world.handrail("status", "--json"))["runs"]
        assert shown["state"] == "interrupted"
    again = run_to_the_end(world, [DONE] * 9, "--resume", run.run)
    assert again.code == 0, again.out + again.err


def test_a_process_that_emptied_its_environment_ends_with_the_run(
    world: SupervisedSandbox, has_groups: bool
) -> None:
    hide = "env -i setsid sh -c 'echo $$ > hidden; exec sleep 600' > out 2>&1 &"
    script: list[Answer] = [bash(hide, "b1"), waits_for("never", "true", "hang")]
    with driven(world, "Build the cart.", script) as run:
        when_there(world, "hang-began")
        hidden = int((world.repo / "hidden").read_text())
        run.ann.do(ControlCommand.STOP, run.run)
        assert living([hidden]) == []
        [told] = [each for each in run.ann.events(run.run) if isinstance(each, ControlAnswered)]
        means = "in its control group" if has_groups else "below its driver"
        assert told.evidence[-1].startswith(f"verified {means}, which ")


def test_a_process_that_emptied_its_environment_ends_although_the_driver_was_killed(
    world: SupervisedSandbox, has_groups: bool
) -> None:
    """Nobody adopts it any more; its control group still holds it."""
    if not has_groups:
        pytest.skip("no control group (version 2) can be written here, so none can be tried")
    hide = "env -i setsid sh -c 'echo $$ > hidden; exec sleep 600' > out 2>&1 &"
    script: list[Answer] = [bash(hide, "b1"), waits_for("never", "true", "hang")]
    with driven(world, "Build the cart.", script) as run:
        when_there(world, "hang-began")
        hidden = int((world.repo / "hidden").read_text())
        os.kill(run.process.pid, signal.SIGKILL)
        run.wait()
        run.ann.do(ControlCommand.STOP, run.run)
        assert living([hidden]) == []


def test_a_run_whose_driver_was_killed_is_taken_over_at_once(world: SupervisedSandbox) -> None:
    """The agent of the killed driver ends before the next one begins."""
    slow = waits_for("never", "true", "hang")
    with driven(world, "Build the cart.", by_words({"Build": slow})) as run:
        when_there(world, "hang-began")
        agents = run.agents
        os.kill(run.process.pid, signal.SIGKILL)
        run.wait()
        again = run_to_the_end(world, [DONE] * 9, "--resume", run.run)
        assert again.code == 0, again.out + again.err
        assert living(agents) == []


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
