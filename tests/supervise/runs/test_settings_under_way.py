"""Settings that change while a run is under way: they can forbid at once, and allow only later."""

import os
import subprocess
from pathlib import Path

import pytest

from handrail.model import Decision
from handrail.model.event import RunEnded, RunStarted, SettingsChanged
from handrail.store.errors import DiskFullError
from handrail.supervise.supervisor import Supervisor
from tests.supervise.supervision_setup import RUN, SupervisionSetup

OFF = "step_reviewer: {enabled: false}\n"
STRICT = "step_reviewer: {rules: {custom_rules_path: rules.yaml}}\n"
RULE = "rules: [{name: no-make, decision: block, says: not here, commands: [make]}]\n"
HARM = "rm -rf .git"


def decide(bed: SupervisionSetup, command: str, call: str) -> Decision:
    return bed.do(bed.bash(command, call)).decision


@pytest.fixture
def begun(supervision: SupervisionSetup) -> SupervisionSetup:
    """A run that has taken its first step."""
    supervision.do(supervision.bash("ls", "first"))
    return supervision


def test_a_laxer_file_does_not_open_the_way_for_the_run_that_it_appeared_in(
    begun: SupervisionSetup,
) -> None:
    begun.settings(OFF)
    assert decide(begun, HARM, "a") is Decision.BLOCK


def test_a_file_that_is_gone_still_holds_for_the_run(supervision: SupervisionSetup) -> None:
    supervision.settings("limits: {actions: 2}\n")
    supervision.do(supervision.bash("ls", "a"))
    (supervision.path / "handrail.yaml").unlink()
    supervision.ticks.advance(2)
    assert decide(supervision, "ls", "b") is Decision.ALLOW
    assert decide(supervision, "ls", "c") is Decision.BLOCK


def test_a_work_tree_that_begins_further_down_does_not_hide_the_settings(
    supervision: SupervisionSetup,
) -> None:
    inside = supervision.path / "notes"
    supervision.settings("limits: {actions: 1}\n")
    supervision.get(RUN, inside).before(supervision.bash("ls", "a", inside))
    (inside / ".git").mkdir()
    supervision.ticks.advance(2)
    verdict = supervision.get(RUN, inside).before(supervision.bash("ls", "b", inside))
    assert verdict.decision is Decision.BLOCK


def test_a_stricter_file_counts_at_once(begun: SupervisionSetup) -> None:
    assert decide(begun, "make", "a") is Decision.ALLOW
    (begun.path / "rules.yaml").write_text(RULE)
    begun.settings(STRICT)
    assert decide(begun, "make all", "b") is Decision.BLOCK


def test_a_lower_limit_counts_at_once(begun: SupervisionSetup) -> None:
    begun.settings("limits: {actions: 1}\n")
    assert decide(begun, "ls", "a") is Decision.BLOCK


def test_the_change_is_told_once_and_written_down(begun: SupervisionSetup) -> None:
    begun.settings(OFF)
    first, second = begun.do(begun.bash("ls", "a")), begun.do(begun.bash("ls", "b"))
    assert first.alarm.startswith("handrail.yaml was changed: ")
    assert second.alarm == ""
    written = [event for event in begun.events() if isinstance(event, SettingsChanged)]
    assert [event.path for event in written] == ["handrail.yaml"]


def test_a_file_that_is_changed_back_is_as_if_nothing_had_been(begun: SupervisionSetup) -> None:
    began = begun.run.project
    begun.settings(OFF)
    changed = begun.run.project
    (begun.path / "handrail.yaml").unlink()
    begun.ticks.advance(2)
    back = begun.run.project
    assert changed.newer is not None
    assert back.newer is None
    assert back.config == began.config


def test_a_run_that_is_started_anew_takes_the_settings_on_the_disk(begun: SupervisionSetup) -> None:
    begun.settings("limits: {actions: 1}\n")
    assert decide(begun, "ls", "a") is Decision.BLOCK
    begun.settings("limits: {actions: 100}\n")
    begun.runs.renew(RUN)
    assert decide(begun, "ls", "b") is Decision.ALLOW


def test_another_run_takes_the_settings_on_the_disk(begun: SupervisionSetup) -> None:
    begun.settings("limits: {actions: 1}\n")
    other = begun.get("r2")
    assert other.project.newer is None
    assert other.project.config.limits.actions == 1


def test_a_run_whose_log_failed_keeps_its_settings(begun: SupervisionSetup) -> None:
    begun.log.refuses = DiskFullError("/log")
    begun.run.before(begun.bash("make", "a"))
    begun.log.refuses = None
    begun.settings(OFF)
    assert decide(begun, HARM, "b") is Decision.BLOCK


def test_without_a_log_the_settings_of_the_start_hold(begun: SupervisionSetup) -> None:
    begun.settings(OFF)
    bare = begun.runs.bare(RUN, str(begun.path))
    verdict = bare.judge_without_log(begun.bash(HARM, "a"), DiskFullError("/log"))
    assert verdict.decision is Decision.BLOCK


@pytest.mark.parametrize(
    ("first", "then", "wanted"),
    [("deny", "warn", "deny"), ("warn", "deny_all", "deny_all"), ("deny_all", "deny", "deny_all")],
)
def test_what_to_do_in_a_fault_is_the_stricter_of_both(
    supervision: SupervisionSetup, first: str, then: str, wanted: str
) -> None:
    supervision.settings(f"on_fault: {first}\n")
    supervision.do(supervision.bash("ls", "a"))
    supervision.settings(f"on_fault: {then}\n")
    assert supervision.run.project.on_fault == wanted
    assert supervision.runs.on_fault(RUN) == wanted


# --- after the daemon was started anew ---------------------------------------------------------


@pytest.fixture
def started(supervision: SupervisionSetup) -> SupervisionSetup:
    """A run whose start was heard of."""
    supervision.run.record(
        RunStarted(supervision.clock(), "claude", str(supervision.path), "startup")
    )
    return supervision


def test_a_new_daemon_does_not_bring_in_a_laxer_file(started: SupervisionSetup) -> None:
    started.settings(OFF)
    started.restart()
    assert decide(started, HARM, "a") is Decision.BLOCK


def test_a_file_that_became_laxer_before_anybody_looked_is_not_taken_over(
    started: SupervisionSetup,
) -> None:
    started.restart()
    started.settings(OFF)
    started.restart()
    assert decide(started, HARM, "a") is Decision.BLOCK


def test_a_new_daemon_takes_note_of_a_stricter_file(started: SupervisionSetup) -> None:
    (started.path / "rules.yaml").write_text(RULE)
    started.settings(STRICT)
    started.restart()
    assert decide(started, "make", "a") is Decision.BLOCK


def test_rules_of_a_file_that_is_gone_hold_after_a_restart(supervision: SupervisionSetup) -> None:
    (supervision.path / "rules.yaml").write_text(RULE)
    supervision.settings(STRICT)
    supervision.run.record(
        RunStarted(supervision.clock(), "claude", str(supervision.path), "startup")
    )
    for name in ("handrail.yaml", "rules.yaml"):
        (supervision.path / name).unlink()
    supervision.restart()
    assert decide(supervision, "make", "a") is Decision.BLOCK


def test_after_a_restart_the_person_is_told_and_it_is_written_down(
    started: SupervisionSetup,
) -> None:
    started.settings(OFF)
    started.restart()
    assert started.do(started.bash("ls", "a")).alarm.startswith("handrail.yaml was changed: ")
    assert started.kinds()[:2] == ["RunStarted", "SettingsChanged"]


def test_a_restart_with_the_same_settings_leaves_no_trace(started: SupervisionSetup) -> None:
    (started.path / ".env").write_text("API_SECRET=s3cret-Value_1234\n")
    started.ticks.advance(2)
    started.restart()
    assert started.run.project.newer is None
    assert started.kinds() == ["RunStarted"]


def test_settings_with_a_secret_in_them_are_recognised_after_a_restart(
    supervision: SupervisionSetup,
) -> None:
    secret = "s3cret-Value_1234"
    (supervision.path / ".env").write_text(f"API_SECRET={secret}\n")
    supervision.settings(f"goal: use {secret}\n")
    supervision.run.record(
        RunStarted(supervision.clock(), "claude", str(supervision.path), "startup")
    )
    supervision.restart()
    assert supervision.run.project.newer is None
    assert secret not in repr(supervision.events())


def test_broken_settings_after_a_restart_leave_those_of_the_start_in_force(
    started: SupervisionSetup,
) -> None:
    started.settings("limits: {actions: many}\n")
    started.restart()
    verdict = started.do(started.bash("make", "a"))
    assert verdict.decision is Decision.ALLOW
    assert "Those from before stay in force" in verdict.alarm


def test_a_run_that_is_resumed_after_a_restart_takes_the_settings_on_the_disk(
    started: SupervisionSetup,
) -> None:
    started.settings("limits: {actions: 7}\n")
    started.restart()
    assert started.run.project.newer is not None
    started.runs.renew(RUN)
    started.run.record(RunStarted(started.clock(), "claude", "", "resume"))
    started.restart()
    project = started.run.project
    assert (project.newer, project.config.limits.actions) == (None, 7)


def test_the_first_settings_that_can_be_read_are_those_that_a_restart_keeps(
    supervision: SupervisionSetup,
) -> None:
    supervision.settings("limits: {actions: many}\n")
    supervision.run.record(
        RunStarted(supervision.clock(), "claude", str(supervision.path), "startup")
    )
    supervision.settings("limits: {actions: 2}\n")
    supervision.do(supervision.bash("ls", "a"))
    supervision.settings(OFF)
    supervision.restart()
    assert supervision.run.project.config.limits.actions == 2


def test_a_run_that_has_ended_is_not_told_of_settings_that_came_later(
    started: SupervisionSetup,
) -> None:
    started.run.record(RunEnded(started.clock(), "other"))
    started.settings(OFF)
    started.restart()
    assert started.run.project.newer is not None
    assert started.kinds() == ["RunStarted", "RunEnded"]


# --- a session that an agent starts ------------------------------------------------------------


def nested(
    bed: SupervisionSetup, folder: Path, *, agent: int, run: str = "r2", began: float = 0.0
) -> Supervisor:
    """A session that this process starts, while a run is under way in the process `agent`."""
    bed.run.record(
        RunStarted(bed.clock(), "claude", str(bed.path), "startup", pid=agent, pid_began=began)
    )
    bed.settings(OFF)
    supervisor = bed.get(run, folder)
    bed.runs.renew(run, str(folder), os.getpid())
    supervisor.record(RunStarted(bed.clock(), "claude", str(folder), "startup", pid=os.getpid()))
    return supervisor


def test_a_session_that_an_agent_starts_does_not_take_over_a_laxer_file(
    supervision: SupervisionSetup,
) -> None:
    supervisor = nested(supervision, supervision.path / "notes", agent=os.getppid())
    assert supervisor.before(supervision.bash(HARM, "a")).decision is Decision.BLOCK


def test_what_such_a_session_began_with_holds_after_a_restart(
    supervision: SupervisionSetup,
) -> None:
    nested(supervision, supervision.path, agent=os.getppid())
    supervision.restart()
    assert supervision.get("r2").before(supervision.bash(HARM, "a")).decision is Decision.BLOCK


def test_an_agent_that_resumes_its_own_session_does_not_take_over_a_laxer_file(
    supervision: SupervisionSetup,
) -> None:
    supervisor = nested(supervision, supervision.path, agent=os.getppid(), run=RUN)
    assert supervisor.before(supervision.bash(HARM, "a")).decision is Decision.BLOCK


def test_a_session_that_a_person_starts_beside_it_takes_the_settings_on_the_disk(
    supervision: SupervisionSetup,
) -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as other:
        assert nested(supervision, supervision.path, agent=other.pid).project.newer is None


def test_a_session_in_another_project_has_the_settings_of_that_one(
    supervision: SupervisionSetup,
) -> None:
    assert nested(supervision, supervision.elsewhere, agent=os.getppid()).project.newer is None


def test_a_process_that_got_the_number_of_an_agent_later_is_not_that_agent(
    supervision: SupervisionSetup,
) -> None:
    assert (
        nested(supervision, supervision.path, agent=os.getppid(), began=0.1).project.newer is None
    )


def test_an_agent_is_known_by_its_number_and_its_start_whatever_the_clock_says(
    supervision: SupervisionSetup,
) -> None:
    supervision.clock.now = 1.0
    supervisor = nested(supervision, supervision.path, agent=os.getppid())
    assert supervisor.before(supervision.bash(HARM, "a")).decision is Decision.BLOCK


@pytest.mark.parametrize("pid", [0, -1, 2**31, 2**70])
def test_a_number_that_is_no_process_has_nobody_above_it(
    supervision: SupervisionSetup, pid: int
) -> None:
    supervision.run.record(
        RunStarted(
            supervision.clock(), "claude", str(supervision.path), "startup", pid=os.getppid()
        )
    )
    supervision.settings(OFF)
    supervisor = supervision.get("r2")
    supervision.runs.renew("r2", str(supervision.path), pid)
    assert supervisor.project.newer is None
