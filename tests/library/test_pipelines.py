"""`handrail.run_pipeline`: every step is reviewed by a real daemon, and its end is certain."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic, sleep

import psutil
import pytest

from handrail import PipelineFileError, PipelineResult, StartError, run_pipeline
from handrail.config.layers import pipeline_text
from handrail.drive.command import KEPT
from handrail.library.engine import events_in
from handrail.library.pipelines.execution import open_pipeline
from handrail.library.threads import start_in_thread
from handrail.model.event import ActionReviewed, RunEnded, RunStarted
from handrail.store.opening import open_log
from handrail.supervise.runs.settings_trust import trust_of, trusted_settings
from tests.library.conftest import SupervisedProject
from tests.project_settings import write_confirmed
from tests.server.daemon_sandbox import DaemonSandbox

pytestmark = pytest.mark.slow

HOSTILE = "; touch pwned 'one' \"two\" `touch pwned` $(touch pwned)\n\ttouch pwned"
PATIENCE = 60.0
NO_LS = (
    "step_reviewer: {rules: {custom: "
    "[{name: no_ls, decision: block, says: We do not list., commands: ['^ls']}]}}"
)


@pytest.fixture
def place(sandbox: DaemonSandbox, folder: Path) -> Iterator[SupervisedProject]:
    made = SupervisedProject(sandbox, folder, daemon=True)
    yield made
    made.close()


def play(place: SupervisedProject, text: str, **variables: str) -> PipelineResult:
    return run_pipeline(
        f"{text}\n", folder=place.folder, environ=place.sandbox.environ, variables=variables
    )


def until(there: Path) -> None:
    deadline = monotonic() + PATIENCE
    while not there.exists():
        assert monotonic() < deadline, f"there is no {there.name}"
        sleep(0.01)


def is_alive(pid: int) -> bool:
    with suppress(psutil.Error):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


def test_commands_run_and_pass_on_what_they_print(place: SupervisedProject) -> None:
    result = play(
        place,
        """
vars: {who: you}
steps:
  - {name: greet, type: command, command: 'echo "hello $who"'}
  - {name: again, type: command, command: 'printf %s "$greet_output" > said; exit $greet_exit_code'}
""",
        who="me",
    )
    assert result.ok, result
    assert (place.folder / "said").read_text() == "hello me"
    assert result.review_summary.total == result.review_summary.allowed == 2
    assert [len(step.runs) for step in result.steps] == [1, 1]


def test_a_refused_command_does_not_run_and_is_named(place: SupervisedProject) -> None:
    (place.folder / "handrail.yaml").write_text(NO_LS)
    result = play(
        place,
        """
name: listing
steps:
  - {name: look, type: command, command: ls > listed}
  - {name: after, type: command, command: touch after}
""",
    )
    assert (result.status, result.error) == ("error", "blocked_by_reviewer")
    assert [step.status.value for step in result.steps] == ["blocked_by_reviewer", "skipped"]
    (blocked,) = result.blocked_actions
    assert (blocked.step, blocked.tool, blocked.reason) == ("look", "Bash", "We do not list.")
    assert blocked.input == {"command": "ls > listed"}
    assert result.review_summary.blocked_count == 1
    assert not (place.folder / "listed").exists()
    assert not (place.folder / "after").exists()


@pytest.mark.parametrize("use", ['printf %s "$x" > got', "printf %s ${x} | cat >/dev/null; ls $x"])
def test_a_hostile_value_never_runs(place: SupervisedProject, use: str) -> None:
    result = play(
        place,
        f"""
vars: {{x: ""}}
steps:
  - name: use
    type: command
    continue_on_error: true
    command: {use!r}
  - name: tell
    type: command
    command: printf %s "$use_output" "$x" >/dev/null
""",
        x=HOSTILE,
    )
    assert result.steps[1].status.value == "ok", result
    assert not (place.folder / "pwned").exists()
    if "got" in use:
        assert (place.folder / "got").read_text() == HOSTILE


def test_the_reviewer_sees_the_value_of_a_variable(place: SupervisedProject) -> None:
    keep = place.folder.parent / "keep"
    keep.mkdir(exist_ok=True)
    text = "vars: {dir: ''}\nsteps: [{type: command, command: 'rmdir \"$dir\"'}]"
    (place.folder / "handrail.yaml").write_text(
        "step_reviewer: {rules: {custom: [{name: keep, decision: block, says: Keep it., "
        "targets: [../keep]}]}}"
    )
    result = play(place, text, dir=str(keep))
    assert result.error == "blocked_by_reviewer", result
    assert keep.is_dir()


def test_huge_output_is_cut(place: SupervisedProject) -> None:
    result = play(place, "steps:\n- {type: command, command: 'yes abcdefg | head -c 3000000'}")
    assert result.ok
    assert len(result.steps[0].output) < KEPT + 200
    assert "bytes before this are left out" in result.steps[0].output


def test_a_killed_command_has_failed(place: SupervisedProject) -> None:
    result = play(place, "steps:\n- {type: command, command: 'kill -9 $$'}")
    (step,) = result.steps
    assert (step.status.value, step.says) == ("failed", "killed by SIGKILL")


def test_over_its_time_every_process_of_a_command_ends(place: SupervisedProject) -> None:
    command = "setsid sleep 4321 & echo $! > pid; sleep 4321"
    result = play(place, f"steps:\n- {{type: command, seconds: 0.5, command: {command!r}}}")
    assert "no end after 0.5 s" in result.steps[0].says
    assert not is_alive(int((place.folder / "pid").read_text()))


def test_a_failing_command_is_tried_again(place: SupervisedProject) -> None:
    command = "echo x >> tries; [ $(wc -l < tries) = 3 ]"
    result = play(place, f"steps:\n- {{type: command, retries: 4, command: {command!r}}}")
    assert result.ok
    assert (result.steps[0].attempts, len(set(result.steps[0].runs))) == (3, 3)


def test_what_runs_is_the_rewrite(place: SupervisedProject) -> None:
    (place.folder / "notes").mkdir()
    (place.folder / "notes" / "a").write_text("not in git\n")
    result = play(place, "steps:\n- {name: tidy, type: command, command: 'rm -rf \"$D/x\" notes'}")
    (step,) = result.steps
    assert result.review_summary.modified == 1, result
    assert step.ran
    assert "Handrail changed the command" in step.says


def test_a_script_stops_at_the_first_refusal(place: SupervisedProject) -> None:
    (place.folder / "handrail.yaml").write_text(NO_LS)
    result = play(
        place,
        """
steps:
  - name: play
    type: scripted
    calls:
      - {tool: Write, input: {file_path: a.txt, content: one}}
      - {tool: Edit, input: {file_path: a.txt, old_string: one, new_string: two}}
      - {tool: Bash, input: {command: ls}}
      - {tool: Write, input: {file_path: b.txt, content: never}}
""",
    )
    assert result.error == "blocked_by_reviewer"
    assert (place.folder / "a.txt").read_text() == "two"
    assert not (place.folder / "b.txt").exists()
    assert result.review_summary.total == 3


def test_a_script_stops_at_the_first_failure(place: SupervisedProject) -> None:
    result = play(
        place,
        """
steps:
  - type: scripted
    calls:
      - {tool: Read, input: {file_path: nope.txt}}
      - {tool: Write, input: {file_path: b.txt, content: never}}
""",
    )
    assert result.error == "step_failed"
    assert "No such file" in result.steps[0].says
    assert not (place.folder / "b.txt").exists()


def test_each_step_is_a_run_in_the_log(place: SupervisedProject) -> None:
    result = play(place, "steps:\n- {type: command, command: 'touch new'}")
    (run,) = result.steps[0].runs
    with closing(open_log(place.sandbox.home.log, "read")) as store:
        kinds = [type(event) for _, event in events_in(store, run, 0)]
    assert kinds[0] is RunStarted
    assert ActionReviewed in kinds
    assert kinds[-1] is RunEnded


def test_the_daemon_may_die_in_the_middle(place: SupervisedProject) -> None:
    text = """
steps:
  - {name: waits, type: command, command: 'touch began; until [ -e go ]; do sleep 0.02; done'}
  - {name: then, type: command, command: 'touch "$waits_status"'}
"""
    under_way: Future[PipelineResult] = start_in_thread(lambda: play(place, text))
    until(place.folder / "began")
    place.sandbox.kill()
    (place.folder / "go").touch()
    result = under_way.result(PATIENCE)
    assert result.ok, result
    assert (place.folder / "ok").exists()
    assert result.review_summary.allowed == 2


# Its own settings

LOOSENS = "safety: {step_reviewer: {rules: {disabled: [no_ls]}}}\n"
LIST = "steps:\n- {type: command, command: 'ls > listed'}"


def test_its_settings_can_be_stricter(place: SupervisedProject) -> None:
    assert play(place, LIST).ok
    result = play(place, f"safety: {{{NO_LS}}}\n{LIST}")
    assert result.error == "blocked_by_reviewer"


def test_what_its_settings_loosen_waits_for_a_person(place: SupervisedProject) -> None:
    environ = place.sandbox.environ
    write_confirmed(place.folder, NO_LS, environ)
    file = place.folder / "ci.yaml"
    file.write_text(f"{LOOSENS}{LIST}")
    result = run_pipeline(file, folder=place.folder, environ=environ)
    assert result.error == "blocked_by_reviewer"
    assert result.withheld == ("step_reviewer.rules.disabled",)
    safety = open_pipeline(file, str(place.folder), environ).safety
    assert safety is not None
    found = trusted_settings(str(place.folder), environ, safety)
    trust_of(environ).confirm(pipeline_text(found.written, safety))
    result = run_pipeline(file, folder=place.folder, environ=environ)
    assert result.ok, result
    assert result.withheld == ()


def test_a_confirmation_counts_for_nothing_else(place: SupervisedProject) -> None:
    environ = place.sandbox.environ
    write_confirmed(place.folder, f"{NO_LS}\nlimits: {{actions: 9}}", environ)
    file = place.folder / "ci.yaml"
    file.write_text(f"{LOOSENS}{LIST}")
    safety = open_pipeline(file, str(place.folder), environ).safety
    assert safety is not None
    found = trusted_settings(str(place.folder), environ, safety)
    trust_of(environ).confirm(pipeline_text(found.written, safety))
    file.write_text(
        "safety: {step_reviewer: {rules: {disabled: [no_ls]}}, limits: {actions: 99}}\n" + LIST
    )
    result = run_pipeline(file, folder=place.folder, environ=environ)
    assert result.error == "blocked_by_reviewer"
    assert set(result.withheld) == {"step_reviewer.rules.disabled", "limits.actions"}


# What cannot run


def test_a_wrong_file_names_its_place(place: SupervisedProject) -> None:
    with pytest.raises(PipelineFileError, match=r"<text>:2: steps\[0\].type: 'x' is no type"):
        play(place, "steps:\n- {type: x}")
    with pytest.raises(PipelineFileError, match="--var b"):
        play(place, "steps:\n- {type: command, command: a}", b="c")


def test_without_the_agents_program_nothing_starts(place: SupervisedProject) -> None:
    environ = {**place.sandbox.environ, "PATH": "/nowhere", "IS_SANDBOX": "1"}
    text = "steps:\n- {type: command, command: touch ran}\n- {type: claude_code, prompt: x}"
    with pytest.raises(StartError, match="cannot find Claude Code"):
        run_pipeline(text, folder=place.folder, environ=environ)
    assert not (place.folder / "ran").exists()


def test_there_is_no_way_without_review() -> None:
    with pytest.raises(ValueError, match="reviews every action"):
        run_pipeline("steps:\n- {type: command, command: a}", safety=False)


def test_it_runs_in_any_thread(place: SupervisedProject) -> None:
    found: list[PipelineResult] = []
    text = "steps:\n- {type: command, command: 'true'}"
    thread = threading.Thread(target=lambda: found.append(play(place, text)))
    thread.start()
    thread.join(PATIENCE)
    assert found[0].ok
