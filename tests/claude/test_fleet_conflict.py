"""A conflict at the merge goes back to the agent of its task, who has to resolve it for real."""

from collections.abc import Iterator

import pytest

from handrail.fleet.tasks.task import TaskStatus
from handrail.testing.model_server import Script
from tests.claude.handrail_run import StartedRun, running, world_for_runs
from tests.claude.supervised import SupervisedSandbox, bash
from tests.claude.test_fleet import DONE, git, write_tasks
from tests.claude.test_fleet_control import Hand


@pytest.fixture
def world(claude: object) -> Iterator[SupervisedSandbox]:
    with world_for_runs() as world:
        yield world


def test_an_agent_that_leaves_conflict_markers_is_sent_back_and_the_task_is_merged(
    world: SupervisedSandbox,
) -> None:
    write_tasks(
        world, {"id": "a", "prompt": "Make the apple."}, {"id": "b", "prompt": "Make the banana."}
    )
    (world.repo / "tasks.yaml").rename(world.repo.parent / "tasks.yaml")
    script: Script = {
        "conflicts with changes": [
            DONE,  # it has done nothing about the markers
            bash("printf 'apple\\nbanana\\n' > fruit.txt; git add fruit.txt", "resolve"),
            DONE,
        ],
        "the apple": [bash("echo apple > fruit.txt", "a1"), DONE],
        "the banana": [bash("echo banana > fruit.txt", "b1"), DONE],
    }
    hand = Hand(world)
    with running(world, script, "../tasks.yaml", "--slots", "2") as run:
        assert run.process.wait(120) == 0, run.out
        assert "fruit.txt" in hand.say("merge", "--all", "--yes", code=1)
        hand.say("merge", "b", "--resolve", code=1)
        assert hand.task("b").status is TaskStatus.PENDING
        again = StartedRun(world, run.model, "--resume", "--slots", "1")
        assert again.process.wait(120) == 0, again.out
        said = [request.text for request in run.model.requests]
    told = next(text for text in said if "did not pass" in text)
    assert "fruit.txt:1:<<<<<<< HEAD" in told
    first = next(text for text in said if "conflicts with changes" in text)
    assert "This Task was previously attempted and its agent said that it was done." in first
    task = hand.task("b")
    assert task.result is not None
    assert task.result.iterations == 2
    hand.say("merge", "b")
    assert git(world, "show", "main:fruit.txt") == "apple\nbanana\n"
