"""A fleet of real agents in a person's hand: pause all, stop one, redirect one, resume."""

import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import time

import pytest

from handrail.fleet.engine.events import TaskReleased
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.tasks.task import TaskStatus
from handrail.model.control import Standing
from handrail.server.fleet.client import remote_engine
from handrail.store.opening import open_log
from handrail.supervise.log.state_reader import read_state
from handrail.supervise.state.run_state import RunState
from handrail.testing.model_server import Answer, ModelRequest, Say, Script
from tests.claude.handrail_run import StartedRun, running, world_for_runs
from tests.claude.supervised import SupervisedSandbox, bash, until
from tests.claude.test_fleet import DONE, state_of, write_tasks

SLOTS = ("--slots", "2")


@pytest.fixture
def world(claude: Path) -> Iterator[SupervisedSandbox]:
    with world_for_runs() as world:
        yield world


class Hand:
    """A person at the command line."""

    def __init__(self, world: SupervisedSandbox) -> None:
        self.world = world

    def say(self, *words: str, code: int = 0) -> str:
        done = subprocess.run(
            [self.world.bin / "handrail", *words],
            cwd=self.world.repo,
            env=self.world.bed.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            text=True,
            timeout=120,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    @property
    def fleet(self) -> FleetState:
        return state_of(self.world)

    def task(self, name: str) -> TaskState:
        return self.fleet.tasks[name]

    def until_written(self, **files: str) -> None:
        """Until each task has written a file into its workspace."""

        def is_written(name: str, file: str) -> bool:
            task = self.fleet.tasks.get(name)
            where = task.workspace if task else None
            return where is not None and Path(where.path, file).exists()

        for name, file in files.items():
            until(partial(is_written, name, file), f"{name} has not written {file}")

    def run_of(self, name: str) -> RunState:
        return self.state(self.task(name).run)

    def state(self, run: str) -> RunState:
        store = open_log(self.world.state.log, "read")
        try:
            return read_state(store, run)
        finally:
            store.close()


def test_pause_all_then_stop_one_redirect_one_and_resume(world: SupervisedSandbox) -> None:
    write_tasks(
        world,
        {"id": "a", "prompt": "Make the apple.", "priority": 9},
        {"id": "b", "prompt": "Make the banana.", "priority": 9},
        {"id": "c", "prompt": "Make the cherry."},
        {"id": "d", "prompt": "Make the date.", "depends_on": ["a"]},
    )
    gate = threading.Event()

    def at_the_gate(request: ModelRequest) -> Answer:
        assert gate.wait(120)
        return Say("That was the first part.")

    script: Script = {
        "the apple": [bash("echo 1 > apple.txt", "a1"), at_the_gate, DONE],
        "the banana": [bash("echo 2 > banana.txt", "b1"), at_the_gate, DONE],
        "the cherry": [bash("echo 3 > cherry.txt", "c1"), DONE],
        "the date": [DONE],
    }
    hand = Hand(world)
    with running(world, script, "tasks.yaml", *SLOTS) as run:
        hand.until_written(a="apple.txt", b="banana.txt")
        fleet_run = hand.fleet.run
        said = hand.say("pause", "--all", "--at", "iteration", "--wait", "0", code=3)
        assert "dispatch is closed" in said
        assert hand.fleet.closed
        assert hand.run_of("a").hand.standing is Standing.RUNNING, "its iteration goes on"
        gate.set()
        until(
            lambda: hand.state(fleet_run).hand.standing is Standing.PAUSED,
            "the fleet is not paused",
        )
        assert hand.run_of("a").hand.standing is Standing.PAUSED
        assert hand.run_of("a").iteration == 1, "the next iteration has not begun"
        assert hand.task("c").status is TaskStatus.PENDING

        stopped = hand.task("a")
        said = hand.say("stop", stopped.run, "--wait")
        assert "handrail task retry a" in said
        assert (hand.task("a").status, hand.task("a").held) == (TaskStatus.PENDING, True)
        assert stopped.workspace is not None
        assert Path(stopped.workspace.path, "apple.txt").exists()

        assert "waits for other tasks" in hand.say(
            "redirect", hand.task("b").run, "--task", "d", code=1
        )
        assert hand.run_of("b").hand.standing is Standing.PAUSED, "nothing was stopped"
        old = hand.task("b")
        hand.say("redirect", old.run, "--task", "c", "--workspace", "same", "--wait")
        assert hand.task("b").status is TaskStatus.PENDING
        (signal,) = (each for each in hand.task("b").audit if each.kind == "signal")
        assert "Work in progress: Make the banana." in signal.commit
        assert "dispatch is open" in hand.say("resume", "--all", "--wait")
        code = run.process.wait(120)
        assert code == 1, "a waits for a person"
        assert hand.task("c").workspace == old.workspace
        assert {name: each.status for name, each in hand.fleet.tasks.items()} == {
            "a": TaskStatus.PENDING,
            "b": TaskStatus.DONE,
            "c": TaskStatus.DONE,
            "d": TaskStatus.PENDING,
        }
        engine = remote_engine(world.state, str(world.repo), world.bed.environ)
        engine.record(TaskReleased(time(), "a"))
        again = StartedRun(world, run.model, "--resume", *SLOTS)
        assert again.process.wait(120) == 0, again.out
        assert hand.task("a").workspace == stopped.workspace
        assert hand.task("d").status is TaskStatus.DONE


def test_cancel_of_the_fleets_run_ends_all_of_it(world: SupervisedSandbox) -> None:
    write_tasks(
        world, {"id": "a", "prompt": "Make the apple."}, {"id": "b", "prompt": "Make the banana."}
    )
    gate = threading.Event()

    def at_the_gate(request: ModelRequest) -> Answer:
        gate.wait(120)
        return DONE

    script: Script = {
        "the apple": [bash("echo 1 > apple.txt", "a1"), at_the_gate],
        "the banana": [bash("echo 2 > banana.txt", "b1"), at_the_gate],
    }
    hand = Hand(world)
    with running(world, script, "tasks.yaml", *SLOTS) as run:
        try:
            hand.until_written(a="apple.txt", b="banana.txt")
            assert "2 tasks: a, b" in hand.say("status")
            said = hand.say("cancel", hand.fleet.run, "--wait")
            assert "the scheduler has ended" in said
            assert run.process.wait(60) == 1
        finally:
            gate.set()
    tasks = hand.fleet.tasks.values()
    assert all((each.status, each.held) == (TaskStatus.PENDING, True) for each in tasks)
    assert hand.state(hand.fleet.run).hand.standing is Standing.CANCELLED
