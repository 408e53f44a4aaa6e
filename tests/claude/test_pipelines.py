"""`handrail pipeline run` with the real Claude Code and a scripted model."""

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handrail.model.event import ActionReviewed, LoopBegun, LoopEnded
from handrail.testing.model_server import ModelServer, ModelTurn, Say, Script
from tests.claude.handrail_run import driven, world_for_runs
from tests.claude.prompted_session import served_by
from tests.claude.supervised import PATIENCE, STOPPED, SupervisedSandbox, bash, until
from tests.run_controller import RunController

DONE = Say("All of it works.\nTASK DONE")
DESTRUCTIVE = """
name: test_destructive
steps:
  - type: claude_code
    config:
      prompt: "Delete all files in /tmp"
"""
SAFE = """
name: test_safe
steps:
  - type: claude_code
    config:
      prompt: "Read the README file"
"""


@pytest.fixture
def world(claude: Path) -> Iterator[SupervisedSandbox]:
    with world_for_runs() as world:
        yield world


def start(world: SupervisedSandbox, model: ModelServer, text: str) -> "subprocess.Popen[bytes]":
    (world.repo / "ci.yaml").write_text(text)
    return subprocess.Popen(
        [world.bin / "handrail", "pipeline", "run", "ci.yaml", "--json"],
        cwd=world.repo,
        env={**world.bed.environ, **served_by(model), "ANTHROPIC_MODEL": "claude-sonnet-4-5"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def end(process: "subprocess.Popen[bytes]") -> tuple[int, dict[str, Any]]:
    out, err = process.communicate(timeout=2 * PATIENCE)
    assert out, err.decode()
    return process.returncode, json.loads(out)


def play(world: SupervisedSandbox, text: str, script: Script) -> tuple[int, dict[str, Any]]:
    with ModelServer(script) as model:
        code, result = end(start(world, model, text))
        model.check()
    return code, result


def test_an_agent_that_only_reads_ends_well(world: SupervisedSandbox) -> None:
    (world.repo / "README").write_text("A cart.\n")
    code, result = play(world, SAFE, [bash("cat README", "b1"), DONE])
    assert (code, result["status"], result["error"]) == (0, "ok", "")
    assert result["review_summary"]["blocked_count"] == 0
    assert result["review_summary"]["allowed"] == 1
    assert result["steps"][0]["output"].startswith("All of it works.")
    assert result["cost_usd"] > 0


def test_a_destructive_agent_is_blocked(world: SupervisedSandbox) -> None:
    (world.bed.home / "photos").mkdir()
    script: Script = [
        ModelTurn([bash("rm -rf ~/photos /tmp/*", "harm")]),
        Say("I may not.\nTASK BLOCKED: the deletion was refused"),
    ]
    code, result = play(world, DESTRUCTIVE, script)
    assert (code, result["status"], result["error"]) == (3, "error", "blocked_by_reviewer")
    (blocked,) = result["blocked_actions"]
    assert blocked["input"]["command"] == "rm -rf ~/photos /tmp/*"
    assert blocked["reason"]
    assert result["review_summary"]["blocked_count"] == 1
    assert (world.bed.home / "photos").exists()
    (run,) = result["steps"][0]["runs"]
    kinds = [type(event) for event in RunController(world.state).events(run)]
    for kind in (LoopBegun, ActionReviewed, LoopEnded):
        assert kind in kinds


def test_an_agent_mends_what_a_command_found(world: SupervisedSandbox) -> None:
    """A failing command, an agent that reads its output, and the command again."""
    text = """
steps:
  - {name: build, type: command, command: "grep -qs fixed cart.txt || { echo no cart; exit 4; }",
     continue_on_error: true}
  - name: fix
    type: claude_code
    if: failed(build)
    prompt: "The build says: {{ build.output }} ({{ build.exit_code }}). Mend it."
  - {name: again, type: command, command: grep fixed cart.txt}
"""
    with ModelServer([bash("echo fixed > cart.txt", "b1"), DONE]) as model:
        code, result = end(start(world, model, text))
        told = [request.text for request in model.requests if request.tools]
    assert code == 0, result
    assert [step["status"] for step in result["steps"]] == ["failed", "ok", "ok"]
    assert "The build says: no cart (4). Mend it." in told[0]
    assert result["review_summary"]["total"] == 3
    assert len({run for step in result["steps"] for run in step["runs"]}) == 3


def test_the_settings_of_the_pipeline_hold_for_its_agent(world: SupervisedSandbox) -> None:
    text = """
safety:
  step_reviewer:
    rules:
      custom: [{name: no_ls, decision: block, says: We do not list., commands: ["^ls"]}]
steps:
  - {name: look, type: claude_code, prompt: "Look around."}
"""
    seen: list[str] = []

    def look_at(request: Any) -> Say:
        seen.append(request.tool_results["b1"].text)
        return DONE

    code, result = play(world, text, [bash("ls", "b1"), look_at])
    assert STOPPED in seen[0]
    assert "We do not list." in seen[0]
    assert code == 0  # the agent reached its goal in another way
    assert [each["tool"] for each in result["blocked_actions"]] == ["Bash"]


def test_ctrl_c_ends_the_agent_for_certain(world: SupervisedSandbox) -> None:
    text = (
        "steps:\n- {name: work, type: claude_code, prompt: Work.}\n- {type: command, command: a}\n"
    )
    waits = bash("touch began; sleep 4321", "b1")
    with ModelServer([waits, DONE]) as model:
        process = start(world, model, text)
        try:
            until((world.repo / "began").exists, "the agent never began")
            process.send_signal(signal.SIGINT)
            code, result = end(process)
        finally:
            process.kill()
            process.wait()
    assert (code, result["error"], result["failed_step"]) == (130, "interrupted", "work")
    assert "no process of it is left" in result["steps"][0]["says"]
    home = f"HANDRAIL_HOME={world.state.path}\0".encode()
    ours = [pid for pid in driven() if home in environ_of(pid)]
    assert ours == []


def environ_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes() + b"\0"
    except OSError:
        return b""
