"""The real Claude Code asks a person in a fleet: it gets an answer, or the default one."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.fleet.tasks.task import TaskStatus
from handrail.supervise.runs.settings_trust import confirm_settings
from handrail.testing.model_server import Answer, ModelRequest, ModelTurn, Say, Script, ToolCall
from tests.claude.handrail_run import run, running, world_for_runs
from tests.claude.supervised import SupervisedSandbox, bash, until
from tests.claude.test_fleet import DONE, git, state_of, write_tasks

ASKS = Say("There are two.\nTASK QUESTION: Which colour?")


@pytest.fixture
def world(claude: Path) -> Iterator[SupervisedSandbox]:
    with world_for_runs() as world:
        yield world


def settings(world: SupervisedSandbox, questions: str) -> None:
    (world.repo / "handrail.yaml").write_text(f"fleet:\n  questions: {questions}\n")
    git(world, "add", "handrail.yaml")
    git(world, "commit", "-q", "-m", "settings")
    confirm_settings(str(world.repo), world.bed.environ)


def test_nobody_answers_in_time_so_the_agent_gets_the_default_answer_and_the_report_says_so(
    world: SupervisedSandbox,
) -> None:
    settings(world, "{timeout_minutes: 0, default_answer: Take the safe one.}")
    write_tasks(world, {"id": "a", "prompt": "Paint the file.", "verify": "test -f blue.txt"})
    report = world.repo.parent / "night.json"
    script: Script = {"": [ASKS, bash("echo 1 > blue.txt", "a1"), DONE]}
    done = run(world, script, "tasks.yaml", "--unattended", "--report", str(report))
    assert done.code == 0, done.out + done.err
    assert any("Take the safe one." in text for text in done.prompts())
    (asked,) = json.loads(report.read_text())["questions"]
    assert (asked["task"], asked["question"]) == ("a", "Which colour?")
    assert (asked["answer"], asked["by"]) == ("Take the safe one.", "")


def test_a_person_answers_while_the_agent_waits(world: SupervisedSandbox) -> None:
    write_tasks(world, {"id": "a", "prompt": "Paint the file.", "verify": "test -f blue.txt"})
    script: Script = {"": [ASKS, bash("echo 1 > blue.txt", "a1"), DONE]}
    with running(world, script, "tasks.yaml") as started:
        until(
            lambda: state_of(world).tasks and state_of(world).tasks["a"].questions,
            "the agent asked nothing",
        )
        answered = subprocess.run(
            [world.bin / "handrail", "task", "answer", "a", "Blue, please."],
            cwd=world.repo, env=world.bed.environ, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert answered.returncode == 0, answered.stderr
        done = started.wait()
    assert done.code == 0, done.out + done.err
    assert any("Blue, please." in text for text in done.prompts())
    task = state_of(world).tasks["a"]
    assert task.status is TaskStatus.DONE
    assert not task.questions[0].needs_person


def test_its_own_tool_for_questions_is_not_there_so_it_asks_as_told(
    world: SupervisedSandbox,
) -> None:
    settings(world, "{timeout_minutes: 0}")
    write_tasks(world, {"id": "a", "prompt": "Paint the file."})
    colours = [{"label": each, "description": each} for each in ("Blue", "Red")]
    question = {
        "question": "Which colour?", "header": "Colour", "options": colours, "multiSelect": False
    }  # fmt: skip
    told: list[str] = []

    def then_ask(request: ModelRequest) -> Answer:
        told.append(request.text)
        return ASKS

    asks = ModelTurn([ToolCall("AskUserQuestion", {"questions": [question]}, "q1")])
    done = run(world, {"": [asks, then_ask, DONE]}, "tasks.yaml")
    assert done.code == 0, done.out + done.err
    assert "TASK QUESTION" in told[0]
    assert "No such tool available: AskUserQuestion" in told[0]
    assert [each.text for each in state_of(world).tasks["a"].questions] == ["Which colour?"]
