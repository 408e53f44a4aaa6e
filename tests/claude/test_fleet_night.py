"""One night of a fleet of real agents, in which everything happens that can happen to it.

Four tasks in three slots, one after another: a driver is killed, all are paused, one slot is given
to another task, Ctrl+C ends the run, and `--resume` goes on with it. At last two of them conflict.
"""

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.tasks.task import TaskStatus
from handrail.model.control import Standing
from handrail.testing.model_server import Answer, ModelRequest, ModelTurn, Say
from tests.claude.handrail_run import StartedRun, running, world_for_runs
from tests.claude.supervised import SupervisedSandbox, bash, until
from tests.claude.test_fleet import DONE, git, write_tasks
from tests.claude.test_fleet_control import Hand

PART = Say("That was the first part.")
FRUITS = {"a": "apple", "b": "banana", "c": "cherry", "d": "date"}
FAVOURITE = "favourite.txt"
"""Two tasks write it, each in its own way."""


class Gardener:
    """The model for one task: it works once after each prompt, then waits at a door.

    What it does depends on the doors alone: not on the attempt, nor on how its session came to be.
    """

    def __init__(self, fruit: str, first: threading.Event, second: threading.Event) -> None:
        self._first = first
        self._second = second
        self._part = DONE if fruit == "apple" else PART
        favourite = f"; echo {fruit} > {FAVOURITE}" if fruit in ("banana", "cherry") else ""
        self._work = f"echo {fruit} >> {fruit}.txt{favourite}"
        self._fruit = fruit

    def __call__(self, request: ModelRequest) -> Answer:
        if not _is_at_a_result(request):
            return bash(self._work, f"{self._fruit}-{request.turn}")
        if not self._first.is_set():
            return ModelTurn([self._part], after=self._first)
        return ModelTurn([DONE], after=self._second)


def _is_at_a_result(request: ModelRequest) -> bool:
    messages = request.body["messages"]
    assert isinstance(messages, list)
    content = messages[-1]["content"]
    return isinstance(content, list) and any(each["type"] == "tool_result" for each in content)


class Night(NamedTuple):
    """How the fleet stood at each turn of the night."""

    killed: TaskState
    """The task whose driver was killed, just before."""
    paused: FleetState
    standings: dict[str, Standing]
    """Of the tasks' runs during the pause."""
    redirected: FleetState
    resumed: FleetState
    code: int
    left: list[int]
    """Processes of agents after Ctrl+C."""
    ended: FleetState
    code_resumed: int
    end: FleetState
    merging: str
    merged: FleetState
    files: list[str]
    """On the main branch, in the morning."""
    trees: dict[str, str]
    """What each task's file came to, by its own branch or the main one."""


@pytest.fixture(scope="module")
def night(claude: Path) -> Iterator[Night]:
    with world_for_runs() as world:
        yield spend_the_night(world)


def spend_the_night(world: SupervisedSandbox) -> Night:
    """Let everything happen; return what there was to see."""
    write_tasks(
        world,
        {"id": "a", "prompt": "Grow the apple.", "verify": "test -s apple.txt"},
        {"id": "b", "prompt": "Grow the banana."},
        {"id": "c", "prompt": "Grow the cherry."},
        {"id": "d", "prompt": "Grow the date.", "depends_on": ["a"],
         "verify": "test -s apple.txt && test -s date.txt"},
    )  # fmt: skip
    (world.repo / "tasks.yaml").rename(world.repo.parent / "tasks.yaml")
    first, second = threading.Event(), threading.Event()
    script = {f"the {name}": [Gardener(name, first, second)] * 99 for name in FRUITS.values()}
    hand = Hand(world)
    with running(world, script, "../tasks.yaml", "--slots", "3") as run:
        hand.until_written(a="apple.txt", b="banana.txt", c="cherry.txt")
        killed = kill_the_driver(hand, "a")
        pause_all(hand)
        first.set()
        until(lambda: is_paused(hand), "the fleet is not paused")
        paused = hand.fleet
        standings = {name: hand.run_of(name).hand.standing for name in "bc"}
        hand.say("redirect", hand.task("b").run, "--task", "d", "--wait")
        redirected = hand.fleet
        hand.say("resume", "--all", "--wait")
        until_lines(hand, "b", 2)
        until_lines(hand, "c", 2)
        until_lines(hand, "d", 1)
        resumed = hand.fleet
        run.ctrl_c()
        code, left, ended = run.process.wait(60), run.left(), hand.fleet
        second.set()
        again = StartedRun(world, run.model, "--resume", "--slots", "3")
        code_resumed = again.process.wait(60)
        end = hand.fleet
        trees = {name: git(world, "show", f"handrail/{name}:{FRUITS[name]}.txt") for name in FRUITS}
    merging = hand.say("merge", "--all", "--yes", code=1)
    return Night(
        killed, paused, standings, redirected, resumed, code, left, ended, code_resumed, end,
        merging, hand.fleet, git(world, "ls-tree", "--name-only", "main").split(), trees,
    )  # fmt: skip


def kill_the_driver(hand: Hand, name: str) -> TaskState:
    """Kill the driver of a task; return once the task is worked on again."""
    task = hand.task(name)
    assert task.lease is not None
    os.kill(task.lease.pid, signal.SIGKILL)
    until_lines(hand, name, 2)
    return task


def pause_all(hand: Hand) -> None:
    """Close dispatch, while every agent is in the middle of an iteration."""
    hand.say("pause", "--all", "--at", "iteration", "--wait", "0", code=3)


def is_paused(hand: Hand) -> bool:
    """Whether nothing goes on any more."""
    fleet = hand.fleet
    runs = [fleet.run, *(each.run for each in fleet.active())]
    return all(hand.state(run).hand.standing is Standing.PAUSED for run in runs)


def until_lines(hand: Hand, name: str, lines: int) -> None:
    """Until a task has worked so many times in its workspace."""

    def has_lines() -> bool:
        where = hand.task(name).workspace
        file = Path(where.path, f"{FRUITS[name]}.txt") if where else None
        return file is not None and file.exists() and len(file.read_text().split()) >= lines

    until(has_lines, f"{name} has not worked {lines} times")


def statuses(state: FleetState) -> dict[str, TaskStatus]:
    """The status of each task."""
    return {name: each.status for name, each in state.tasks.items()}


def test_a_task_whose_driver_is_killed_goes_on_in_its_workspace(night: Night) -> None:
    task = night.end.tasks["a"]
    assert task.workspace == night.killed.workspace
    assert task.attempt > night.killed.attempt
    assert night.trees["a"].split() == ["apple", "apple"], "what it had written is still there"
    assert "crash" in {each.kind for each in task.audit}
    assert task.result is not None
    assert task.result.verified


def test_during_the_pause_an_iteration_ends_and_nothing_begins(night: Night) -> None:
    assert statuses(night.paused) == {
        "a": TaskStatus.DONE,
        "b": TaskStatus.ACTIVE,
        "c": TaskStatus.ACTIVE,
        "d": TaskStatus.PENDING,
    }, "d could be claimed: what it waits for is done, and there is a slot"
    assert night.paused.closed
    assert set(night.standings.values()) == {Standing.PAUSED}


def test_a_slot_goes_on_with_another_task_and_keeps_the_work_of_the_old_one(night: Night) -> None:
    old = night.redirected.tasks["b"]
    assert (old.status, old.held) == (TaskStatus.PENDING, False)
    (entry,) = (each for each in old.audit if each.kind == "signal")
    assert "Work in progress: Grow the banana." in entry.commit
    resumed = night.resumed.tasks
    assert resumed["d"].status is TaskStatus.ACTIVE
    assert resumed["b"].workspace == old.workspace
    assert night.trees["b"].split()[:2] == ["banana", "banana"]


def test_ctrl_c_leaves_no_process_and_gives_the_tasks_back(night: Night) -> None:
    assert night.code == 130
    assert night.left == []
    assert statuses(night.ended) == {"a": TaskStatus.DONE} | dict.fromkeys(
        "bcd", TaskStatus.PENDING
    )
    for name in "bcd":
        before, after = night.resumed.tasks[name], night.ended.tasks[name]
        assert (after.lease, after.held) == (None, False)
        assert after.workspace == before.workspace


def test_in_the_end_every_task_has_one_accepted_result(night: Night) -> None:
    assert night.code_resumed == 0
    assert set(statuses(night.end).values()) == {TaskStatus.DONE}
    assert night.end.tasks["a"].result == night.ended.tasks["a"].result, "it was not done again"
    assert all(each.result and each.result.commit for each in night.end.tasks.values())


def test_a_conflict_at_the_merge_is_left_for_a_person_and_stops_no_other_merge(
    night: Night,
) -> None:
    merges = {name: each.merge for name, each in night.merged.tasks.items()}
    outcomes = {name: merge.outcome for name, merge in merges.items() if merge}
    assert outcomes == {"a": "merged", "b": "merged", "c": "conflict", "d": "merged"}
    assert FAVOURITE in night.merging
    assert "handrail merge c --resolve" in night.merging
    assert {"apple.txt", "banana.txt", "date.txt", FAVOURITE} <= set(night.files)
    assert "cherry.txt" not in night.files
