"""`handrail pipeline`: check, run, trust and describe files of steps."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import psutil
import pytest
from tests.cli.conftest import CommandResult, HandrailShell
from tests.cli.supervised_sessions import PATIENCE, supervised

from handrail.fleet.pipeline.json_schema import pipeline_schema

pytestmark = pytest.mark.slow

NO_LS = (
    "step_reviewer: {rules: {custom: "
    "[{name: no_ls, decision: block, says: We do not list., commands: ['^ls']}]}}"
)


@pytest.fixture
def at_work(shell: HandrailShell) -> Iterator[HandrailShell]:
    with supervised(shell):
        yield shell


def write(shell: HandrailShell, text: str, name: str = "ci.yaml") -> None:
    (shell.project / name).write_text(text)


def spawn(shell: HandrailShell, *args: str) -> CommandResult:
    done = shell.spawn("pipeline", *args)
    return CommandResult(done.returncode, done.stdout.decode(), done.stderr.decode())


# Without a run


def test_a_good_file_is_valid(shell: HandrailShell) -> None:
    write(shell, "steps: [{type: command, command: make}]")
    checked = shell.run("pipeline", "check", "ci.yaml")
    assert (checked.code, checked.out) == (0, " ✓ The pipeline is valid.\n")
    assert shell.run("pipeline", "check", "ci.yaml", "--json").json == {
        "ok": True,
        "problems": [],
        "withheld": [],
    }
    assert not shell.state.exists()


def test_every_mistake_is_named(shell: HandrailShell) -> None:
    write(shell, "steps:\n- {type: x}\n- {type: command, cmd: a}\n")
    checked = shell.run("pipeline", "check", "ci.yaml")
    assert checked.code == 1
    assert "ci.yaml:2: steps[0].type: 'x' is no type of a step" in checked.out
    assert "ci.yaml:3: steps[1].cmd: unknown key" in " ".join(checked.out.split())
    told = shell.run("pipeline", "check", "ci.yaml", "--json")
    assert told.code == 1
    assert [each.split(": ")[0] for each in told.json["problems"]] == [
        "ci.yaml:2",
        "ci.yaml:3",
        "ci.yaml:3",
    ]


def test_a_wrong_file_does_not_run(shell: HandrailShell) -> None:
    write(shell, "steps:\n- {type: x}\n- {type: y}\n")
    ran = shell.run("pipeline", "run", "ci.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("handrail: ci.yaml:2: steps[0].type: 'x' is no type of a step")
    assert "(and 1 more: handrail pipeline check ci.yaml)" in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["nope.yaml"], "nope.yaml: there is no such file"),
        (["ci.yaml", "--var", "x"], "--var x: write NAME=VALUE"),
        (["ci.yaml", "--var", "x=1"], "--var x: ci has no such variable; it has: none"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_meant_is_one_line(shell: HandrailShell, args: list[str], says: str) -> None:
    write(shell, "steps: [{type: command, command: make}]")
    ran = shell.run("pipeline", "run", *args)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
    assert ran.err.count("\n") == 1


def test_the_schema_is_printed(shell: HandrailShell) -> None:
    assert shell.run("pipeline", "schema").json == json.loads(json.dumps(pipeline_schema()))


def test_an_agent_may_check_a_file_but_run_none(
    shell: HandrailShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(shell, "steps: [{type: command, command: make}]")
    monkeypatch.setenv("CLAUDECODE", "1")
    assert shell.run("pipeline", "check", "ci.yaml").code == 0
    for command in ("run", "trust"):
        ran = shell.run("pipeline", command, "ci.yaml")
        assert (ran.code, ran.out) == (2, "")
        assert "only a person may do this" in ran.err
    for harmless in ("list", "show last"):
        reviewed = shell.run("review", f"handrail pipeline {harmless}", "--json")
        assert reviewed.json["decision"] == "allow"
    assert shell.run("review", "handrail pipeline check ci.yaml", "--json").json["decision"] == (
        "allow"
    )
    assert shell.run("review", "handrail pipeline run ci.yaml", "--json").json["decision"] == (
        "block"
    )


# Runs


def test_it_shows_its_steps_and_ends_well(at_work: HandrailShell) -> None:
    write(at_work, "vars: {who: you}\nsteps: [{name: hi, type: command, command: 'echo $who'}]")
    ran = spawn(at_work, "run", "ci.yaml", "--var", "who=me")
    assert (ran.code, ran.err) == (0, "")
    assert " ▸ hi (command) …\n ✓ hi: ok · " in ran.out
    assert " OK · ci · 1 step · " in ran.out
    assert " 1 action reviewed: 1 allowed\n" in ran.out


def test_the_result_is_json_on_request(at_work: HandrailShell) -> None:
    write(at_work, "steps: [{name: hi, type: command, command: echo there}]")
    ran = spawn(at_work, "run", "ci.yaml", "--json")
    assert ran.code == 0
    assert (ran.json["status"], ran.json["error"], ran.json["blocked_actions"]) == ("ok", "", [])
    assert ran.json["review_summary"] == {
        "total": 1,
        "allowed": 1,
        "warned": 0,
        "modified": 0,
        "blocked_count": 0,
    }
    assert ran.json["steps"][0]["output"] == "there"
    (run,) = ran.json["steps"][0]["runs"]
    logged = at_work.run("log", run, "--json").lines
    assert [event["event"] for event in logged if event["event"] == "action_reviewed"]


def test_a_failed_step_is_exit_code_1(at_work: HandrailShell) -> None:
    write(at_work, "steps: [{type: command, command: exit 7}, {type: command, command: 'true'}]")
    ran = spawn(at_work, "run", "ci.yaml")
    assert ran.code == 1
    assert " ✗ step1: failed · exit code 7" in ran.out
    assert " – step2: skipped" in ran.out
    assert " FAILED at step1 · ci" in ran.out


def test_a_refused_step_is_exit_code_3(at_work: HandrailShell) -> None:
    write(at_work, f"safety: {{{NO_LS}}}\nsteps: [{{name: look, type: command, command: ls}}]")
    ran = spawn(at_work, "run", "ci.yaml")
    assert ran.code == 3
    assert " ✗ look: blocked by reviewer · We do not list." in ran.out
    assert " BLOCKED at look · ci" in ran.out
    assert " ✗ look: Bash ls\n" in ran.out


def test_a_secret_in_the_output_is_not_shown(at_work: HandrailShell) -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    write(at_work, f"steps: [{{type: command, command: 'echo {token}; exit 1'}}]")
    ran = spawn(at_work, "run", "ci.yaml", "--json")
    assert token not in ran.out


def test_ctrl_c_ends_the_step_and_reports(at_work: HandrailShell) -> None:
    write(
        at_work,
        "steps:\n- {type: command, command: 'echo one'}\n"
        "- {name: waits, type: command, command: 'setsid sleep 4321 & echo $! > pid; sleep 4321'}\n"
        "- {type: command, command: touch never}\n",
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "handrail", "pipeline", "run", "ci.yaml", "--json"],
        cwd=at_work.project,
        env={**os.environ, **at_work.environ},
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    pid = _pid_in(at_work.project / "pid")
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    result = json.loads(out)
    assert (result["error"], result["failed_step"]) == ("interrupted", "waits")
    assert [step["status"] for step in result["steps"]] == ["ok", "interrupted"]
    assert "no process of it is left" in result["steps"][1]["says"]
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    assert not (at_work.project / "never").exists()


def _pid_in(file: Path) -> int:
    deadline = monotonic() + PATIENCE
    while not file.exists() or not file.read_text().strip():
        assert monotonic() < deadline, "the step never began"
        sleep(0.01)
    return int(file.read_text())


# Its own settings


def test_what_it_loosens_is_confirmed_by_a_person(at_work: HandrailShell) -> None:
    (at_work.home / ".config" / "handrail").mkdir(parents=True)
    (at_work.home / ".config" / "handrail" / "handrail.yaml").write_text(NO_LS)
    write(
        at_work,
        "safety: {step_reviewer: {rules: {disabled: [no_ls]}}}\n"
        "steps: [{type: command, command: ls}]",
    )
    ran = spawn(at_work, "run", "ci.yaml")
    assert ran.code == 3
    assert "safety: loosens step_reviewer.rules.disabled" in " ".join(ran.out.split())
    assert "handrail pipeline trust" in at_work.run("pipeline", "check", "ci.yaml").out
    shown = at_work.run("pipeline", "trust", "ci.yaml", "--json")
    assert (shown.code, shown.json["confirmed"]) == (1, False)
    assert shown.json["laxer"] == [
        {"key": "step_reviewer.rules.disabled", "from": [], "to": ["no_ls"]}
    ]
    done = at_work.run("pipeline", "trust", "ci.yaml", "--yes")
    assert (done.code, done.err) == (0, "")
    assert "step_reviewer.rules.disabled: also no_ls" in done.out
    assert spawn(at_work, "run", "ci.yaml").code == 0


# Past pipelines


def test_without_a_pipeline_the_list_says_how_to_start_one(at_work: HandrailShell) -> None:
    listed = at_work.run("pipeline", "list")
    assert (listed.code, "handrail pipeline run FILE" in listed.out) == (0, True)
    assert at_work.run("pipeline", "list", "--json").json == []
    shown = at_work.run("pipeline", "show", "last")
    assert (shown.code, "no pipeline has run yet" in shown.err) == (2, True)


def test_a_past_pipeline_is_listed_and_shown(at_work: HandrailShell) -> None:
    (at_work.project / "handrail.yaml").write_text(NO_LS)
    failed = "{name: odd, type: command, command: 'false', continue_on_error: true}"
    write(at_work, f"name: look\nsteps: [{failed}, {{name: see, type: command, command: ls}}]\n")
    assert spawn(at_work, "run", "ci.yaml").code == 3
    (row,) = at_work.run("pipeline", "list", "--json").json
    assert (row["name"], row["status"], row["error"]) == ("look", "error", "blocked_by_reviewer")
    assert row["file"] == str(at_work.project / "ci.yaml")
    listed = at_work.run("pipeline", "list").out
    assert f"✗ {row['id'][:8]}  look  blocked" in listed
    assert "at see" in listed, "not at the step that may fail"
    assert row["failed_step"] == "see"
    shown = at_work.run("pipeline", "show", row["id"][:6]).out
    assert "see: blocked by reviewer" in shown
    assert "see: Bash ls" in shown
    assert "We do not list." in shown
    assert at_work.run("pipeline", "show", "last", "--json").json == row
    unknown = at_work.run("pipeline", "show", "zzz")
    assert (unknown.code, "there is no pipeline 'zzz'" in unknown.err) == (2, True)
