"""Ctrl+C and SIGTERM end `handrail run` for many tasks; the next start goes on."""

import json
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.fleet.tasks.task import TaskStatus
from handrail.testing.model_server import Answer, ModelRequest, ModelTurn, Script
from tests.claude.handrail_run import StartedRun, running, world_for_runs
from tests.claude.supervised import SupervisedSandbox, bash, until
from tests.claude.test_fleet import DONE, write_tasks
from tests.claude.test_fleet_control import Hand

DEAF = "trap '' TERM; echo 1 >> began.txt; while [ ! -e {door} ]; do sleep 0.1; done"
"""It does not end when it is asked to."""


@pytest.fixture
def world(claude: Path) -> Iterator[SupervisedSandbox]:
    with world_for_runs() as world:
        yield world


def two_tasks(world: SupervisedSandbox) -> None:
    """Tasks for two slots, in a file that is not in the repository."""
    write_tasks(
        world, {"id": "a", "prompt": "Make the apple."}, {"id": "b", "prompt": "Make the banana."}
    )
    (world.repo / "tasks.yaml").rename(world.repo.parent / "tasks.yaml")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_agents_gives_the_tasks_back_and_reports(
    world: SupervisedSandbox, number: signal.Signals
) -> None:
    two_tasks(world)
    door = threading.Event()
    script: Script = {
        f"the {name}": [bash(f"echo 1 >> {name}.txt", name), ModelTurn([DONE], after=door), DONE]
        for name in ("apple", "banana")
    }
    hand = Hand(world)
    report = world.repo.parent / "night.json"
    arguments = ("../tasks.yaml", "--slots", "2", "--report", str(report))
    with running(world, script, *arguments) as run:
        hand.until_written(a="apple.txt", b="banana.txt")
        before = hand.fleet
        run.process.send_signal(number)
        assert run.process.wait(60) == 128 + number
        assert run.left() == []
        assert "Ending the agents" in run.out
        assert "2 ready" in run.out
        after = hand.fleet.tasks
        for name, task in after.items():
            assert (task.status, task.lease, task.held) == (TaskStatus.PENDING, None, False)
            assert task.tries == 0, "it is no fault of the task"
            assert task.workspace == before.tasks[name].workspace
            assert "handrail run was ended" in task.audit[-1].says
        assert len(json.loads(report.read_text())["tasks"]) == 2
        door.set()
        again = StartedRun(world, run.model, "--resume", "--slots", "2")
        assert again.process.wait(60) == 0, again.out
        tasks = hand.fleet.tasks
        assert {each.status for each in tasks.values()} == {TaskStatus.DONE}


def test_agents_that_do_not_end_when_asked_are_ended(world: SupervisedSandbox) -> None:
    two_tasks(world)
    deaf = DEAF.format(door=world.repo.parent / "door")
    hand = Hand(world)
    script: Script = {"": [bash(deaf, f"deaf-{number}") for number in range(9)]}
    with running(world, script, "../tasks.yaml", "--slots", "2") as run:
        hand.until_written(a="began.txt", b="began.txt")
        run.ctrl_c()
        assert run.process.wait(60) == 130
        assert run.left() == []
        for task in hand.fleet.tasks.values():
            assert (task.status, task.lease, task.tries) == (TaskStatus.PENDING, None, 0)
            assert "processes were ended" in task.audit[-1].says


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_it_at_once_and_the_next_start_takes_the_tasks_up(
    world: SupervisedSandbox, number: signal.Signals
) -> None:
    two_tasks(world)
    door = world.repo.parent / "door"
    deaf = DEAF.format(door=door)

    def works(request: ModelRequest) -> Answer:
        return DONE if door.exists() else bash(deaf, f"deaf-{request.turn}")

    hand = Hand(world)
    with running(world, {"": [works] * 9}, "../tasks.yaml", "--slots", "2") as run:
        hand.until_written(a="began.txt", b="began.txt")
        workspaces = {name: each.workspace for name, each in hand.fleet.tasks.items()}
        run.process.send_signal(number)
        run.until_said("Ending the agents")
        assert run.process.poll() is None, "the agents do not end when they are asked to"
        run.process.send_signal(number)
        assert run.process.wait(60) == 128 + number
        assert "Report:" not in run.out, "it did not wait for anything"
        assert run.left(), "its agents are left: they did not end so fast"
        assert {each.status for each in hand.fleet.tasks.values()} == {TaskStatus.ACTIVE}
        door.touch()
        again = StartedRun(world, run.model, "--resume", "--slots", "2")
        assert again.process.wait(60) == 0, again.out
        until(lambda: not run.left(), "a process of an agent is left")
        tasks = hand.fleet.tasks
        assert {each.status for each in tasks.values()} == {TaskStatus.DONE}
        assert {name: each.workspace for name, each in tasks.items()} == workspaces
