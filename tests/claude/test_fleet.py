"""`handrail run tasks.yaml`: the real Claude Code works through tasks, each in a worktree."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.fleet.fleet_state import FleetState
from handrail.fleet.task import TaskStatus
from handrail.server.fleet.client import remote_engine
from handrail.testing.model_server import Answer, ModelRequest, Say, Script
from tests.claude.handrail_run import run, world_for_runs
from tests.claude.supervised import SupervisedSandbox, bash

DONE = Say("All of it works.\nTASK DONE")


@pytest.fixture
def world(claude: Path) -> Iterator[SupervisedSandbox]:
    with world_for_runs() as world:
        yield world


def state_of(world: SupervisedSandbox) -> FleetState:
    return remote_engine(world.state, str(world.repo), world.bed.environ).state()


def write_tasks(world: SupervisedSandbox, *tasks: dict[str, object]) -> None:
    (world.repo / "tasks.yaml").write_text(json.dumps({"tasks": tasks}))


def test_tasks_are_done_in_worktrees_of_their_own_and_in_order(world: SupervisedSandbox) -> None:
    write_tasks(
        world,
        {"id": "second", "prompt": "Write the second file.", "depends_on": ["first"],
         "verify": "test -f second.txt"},
        {"id": "first", "prompt": "Write the first file.", "verify": "test -f first.txt"},
        {"id": "other", "prompt": "Write another file."},
    )  # fmt: skip
    script: Script = {
        "the first file": [bash("echo 1 > first.txt", "a1"), DONE],
        "the second file": [bash("echo 2 > second.txt", "b1"), DONE],
        "another file": [bash("echo 3 > other.txt", "c1"), DONE],
    }
    done = run(world, script, "tasks.yaml")
    assert done.code == 0, done.out + done.err
    tasks = state_of(world).tasks
    assert {each.status for each in tasks.values()} == {TaskStatus.DONE}
    assert all(each.result and each.result.commit for each in tasks.values())
    for name, file in (("first", "first.txt"), ("second", "second.txt"), ("other", "other.txt")):
        shown = subprocess.run(
            ["git", "-C", str(world.repo), "show", "--name-only", "--format=", f"handrail/{name}"],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        assert shown.stdout.split() == [file]
        assert not (world.repo / file).exists(), "the main work tree stays as it was"


def test_an_attempt_after_a_killed_driver_knows_what_the_last_one_did(
    world: SupervisedSandbox,
) -> None:
    write_tasks(world, {"id": "a", "prompt": "Write the file.", "verify": "test -f file.txt"})

    def kill_the_driver(request: ModelRequest) -> Answer:
        lease = state_of(world).tasks["a"].lease
        assert lease is not None
        os.kill(lease.pid, signal.SIGKILL)
        return DONE

    script: Script = {
        "Recovery Context": [bash("echo 2 >> file.txt", "b1"), DONE],
        "": [bash("echo 1 > file.txt", "a1"), kill_the_driver],
    }
    done = run(world, script, "tasks.yaml")
    assert done.code == 0, done.out + done.err
    task = state_of(world).tasks["a"]
    assert task.attempt == 2
    assert [each.kind for each in task.audit if each.kind != "iteration"] == [
        "start",
        "crash",
        "start",
    ]
    told = "\n".join(request.text for request in done.requests)
    assert "**Previous attempts:** 1" in told
    assert "**Workspace has uncommitted changes:** Yes" in told
