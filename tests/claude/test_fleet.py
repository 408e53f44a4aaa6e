"""`handrail run tasks.yaml`: the real Claude Code works through tasks, each in a worktree."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from handrail.fleet.engine.fleet_state import FleetState
from handrail.fleet.tasks.task import TaskStatus
from handrail.hosts.driven_agent import MARK
from handrail.server.fleet.client import remote_engine
from handrail.supervise.runs.settings_trust import confirm_settings
from handrail.testing.model_server import Answer, ModelRequest, Say, Script
from tests.claude.handrail_run import run, world_for_runs
from tests.claude.supervised import SupervisedSandbox, bash, until

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


def test_an_attempt_after_a_killed_driver_goes_on_with_the_session(
    world: SupervisedSandbox,
) -> None:
    write_tasks(world, {"id": "a", "prompt": "Write the file.", "verify": "test -f file.txt"})
    runs: list[str] = []

    def kill_the_driver(request: ModelRequest) -> Answer:
        task = state_of(world).tasks["a"]
        assert task.lease is not None
        runs.append(task.run)
        os.kill(task.lease.pid, signal.SIGKILL)
        return Say("Nobody hears this.")

    script: Script = {
        "Write the file.": [
            bash("echo 1 > file.txt", "a1"),
            kill_the_driver,
            bash("echo 2 >> file.txt", "b1"),
            DONE,
        ]
    }
    done = run(world, script, "tasks.yaml")
    assert done.code == 0, done.out + done.err
    task = state_of(world).tasks["a"]
    assert (task.attempt, [task.run]) == (2, runs), "a new attempt, the same session"
    told = [(each.kind, each.says) for each in task.audit if each.kind != "iteration"]
    assert [kind for kind, _ in told] == ["start", "crash", "recovery", "start"]
    assert told[2][1].startswith("resume (session): Its workspace holds work.")
    last = done.requests[-1]
    assert "a1" in last.tool_results, "the model sees the old conversation"
    assert "You go on in the same conversation and the same workspace." in last.text
    assert "### Last Attempt Log" not in last.text


def test_an_attempt_whose_session_is_gone_begins_anew_and_knows_what_the_last_one_did(
    world: SupervisedSandbox,
) -> None:
    write_tasks(world, {"id": "a", "prompt": "Write the file.", "verify": "test -f file.txt"})
    runs: list[str] = []

    def lose_the_session(request: ModelRequest) -> Answer:
        task = state_of(world).tasks["a"]
        assert task.lease is not None
        runs.append(task.run)
        os.kill(task.lease.pid, signal.SIGSTOP)
        for pid in processes_of(task.run):  # or the agent would write its transcript at its end
            os.kill(pid, signal.SIGKILL)
        (transcript,) = world.bed.root.glob(f"**/projects/*/{task.run}.jsonl")
        transcript.unlink()
        os.kill(task.lease.pid, signal.SIGKILL)
        return DONE

    script: Script = {
        "Recovery Context": [bash("echo 2 >> file.txt", "b1"), DONE],
        "": [bash("echo 1 > file.txt", "a1"), lose_the_session],
    }
    done = run(world, script, "tasks.yaml")
    assert done.code == 0, done.out + done.err
    task = state_of(world).tasks["a"]
    assert task.attempt == 2
    assert task.run not in runs
    told = [(each.kind, each.says) for each in task.audit if each.kind != "iteration"]
    assert [kind for kind, _ in told] == ["start", "crash", "recovery", "start"]
    assert told[2][1].startswith("requeue (new session):")
    said = "\n".join(request.text for request in done.requests)
    assert "**Previous attempts:** 1" in said
    assert "**Workspace has uncommitted changes:** Yes" in said
    assert "### Last Attempt Log" in said


def test_dependent_tasks_build_on_each_other_and_are_merged_and_reported(
    world: SupervisedSandbox,
) -> None:
    (world.repo / "handrail.yaml").write_text("fleet:\n  merge: {auto: true}\n")
    git(world, "add", "handrail.yaml")
    git(world, "commit", "-q", "-m", "settings")
    confirm_settings(str(world.repo), world.bed.environ)
    write_tasks(
        world,
        {"id": "first", "prompt": "Write the first file.", "verify": "test -f first.txt"},
        {"id": "second", "prompt": "Write the second file.", "depends_on": ["first"],
         "verify": "test -f first.txt && test -f second.txt"},
    )  # fmt: skip
    (world.repo / "tasks.yaml").rename(world.repo.parent / "tasks.yaml")
    script: Script = {
        "the first file": [bash("echo 1 > first.txt", "a1"), DONE],
        "the second file": [bash("cat first.txt > second.txt", "b1"), DONE],
    }
    report = world.repo.parent / "night.json"
    done = run(world, script, "../tasks.yaml", "--unattended", "--report", str(report))
    assert done.code == 0, done.out + done.err
    assert (world.repo / "second.txt").read_text() == "1\n"
    state = state_of(world)
    assert {each.merge.outcome for each in state.tasks.values() if each.merge} == {"merged"}
    assert "handrail rollback before-autopilot-" in done.out
    told = json.loads(report.read_text())
    assert (told["totals"]["merged"], told["totals"]["need_person"]) == (2, 0)
    assert [each["changed_files"] for each in told["tasks"]] == [["first.txt"], ["second.txt"]]
    assert git(world, "branch", "--list", "handrail/*") == ""


def test_a_cancelled_task_ends_its_agent_before_the_command_says_so(
    world: SupervisedSandbox,
) -> None:
    write_tasks(world, {"id": "a", "prompt": "Write the file."})
    answers: list[dict[str, object]] = []

    def give_up(request: ModelRequest) -> Answer:
        ran = subprocess.run(
            [world.bin / "handrail", "task", "cancel", "a", "--reason", "Enough.", "--json"],
            cwd=world.repo, env=world.bed.environ, capture_output=True, text=True, check=False,
        )  # fmt: skip
        left = processes_of(state_of(world).tasks["a"].run)
        answers.append({**json.loads(ran.stdout), "left": left})
        return DONE

    done = run(world, {"": [bash("echo 1 > file.txt", "a1"), give_up]}, "tasks.yaml")
    assert done.code == 1, done.out + done.err
    until(lambda: bool(answers), "the command never answered")
    (answer,) = answers
    assert (answer["agentGone"], answer["left"]) == (True, [])
    task = state_of(world).tasks["a"]
    assert (task.status, task.says, task.attempt) == (TaskStatus.FAILED, "Enough.", 1)


def processes_of(run: str) -> list[int]:
    """The processes of a run that are left."""
    found = []
    for each in psutil.process_iter():
        with suppress(psutil.Error):
            if each.environ().get(MARK) == run:
                found.append(each.pid)
    return found


def git(world: SupervisedSandbox, *args: str) -> str:
    me = ("-c", "user.name=Me", "-c", "user.email=me@example.invalid")
    ran = subprocess.run(
        ["git", "-C", str(world.repo), *me, *args], check=True, capture_output=True, text=True
    )
    return ran.stdout
