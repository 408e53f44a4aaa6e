"""Settings that change while a run is under way: they can forbid at once, and allow only later."""

import os
import subprocess
from pathlib import Path

import pytest

from handrail.model import Decision
from handrail.model.event import RunEnded, RunStarted, SettingsChanged
from handrail.store.errors import DiskFullError
from handrail.supervise.supervisor import Supervisor
from tests.supervise.bed import RUN, Bed

OFF = "step_reviewer: {enabled: false}\n"
STRICT = "step_reviewer: {rules: {custom_rules_path: rules.yaml}}\n"
RULE = "rules: [{name: no-make, decision: block, says: not here, commands: [make]}]\n"
HARM = "rm -rf .git"


def decide(bed: Bed, command: str, call: str) -> Decision:
    return bed.do(bed.bash(command, call)).decision


@pytest.fixture
def begun(bed: Bed) -> Bed:
    """A run that has taken its first step."""
    bed.do(bed.bash("ls", "first"))
    return bed


def test_a_laxer_file_does_not_open_the_way_for_the_run_that_it_appeared_in(begun: Bed) -> None:
    begun.settings(OFF)
    assert decide(begun, HARM, "a") is Decision.BLOCK


def test_a_file_that_is_gone_still_holds_for_the_run(bed: Bed) -> None:
    bed.settings("limits: {actions: 2}\n")
    bed.do(bed.bash("ls", "a"))
    (bed.path / "handrail.yaml").unlink()
    bed.ticks.advance(2)
    assert decide(bed, "ls", "b") is Decision.ALLOW
    assert decide(bed, "ls", "c") is Decision.BLOCK


def test_a_work_tree_that_begins_further_down_does_not_hide_the_settings(bed: Bed) -> None:
    inside = bed.path / "notes"
    bed.settings("limits: {actions: 1}\n")
    bed.get(RUN, inside).before(bed.bash("ls", "a", inside))
    (inside / ".git").mkdir()
    bed.ticks.advance(2)
    verdict = bed.get(RUN, inside).before(bed.bash("ls", "b", inside))
    assert verdict.decision is Decision.BLOCK


def test_a_stricter_file_counts_at_once(begun: Bed) -> None:
    assert decide(begun, "make", "a") is Decision.ALLOW
    (begun.path / "rules.yaml").write_text(RULE)
    begun.settings(STRICT)
    assert decide(begun, "make all", "b") is Decision.BLOCK


def test_a_lower_limit_counts_at_once(begun: Bed) -> None:
    begun.settings("limits: {actions: 1}\n")
    assert decide(begun, "ls", "a") is Decision.BLOCK


def test_the_change_is_told_once_and_written_down(begun: Bed) -> None:
    begun.settings(OFF)
    first, second = begun.do(begun.bash("ls", "a")), begun.do(begun.bash("ls", "b"))
    assert first.alarm.startswith("handrail.yaml was changed: ")
    assert second.alarm == ""
    written = [event for event in begun.events() if isinstance(event, SettingsChanged)]
    assert [event.path for event in written] == ["handrail.yaml"]


def test_a_file_that_is_changed_back_is_as_if_nothing_had_been(begun: Bed) -> None:
    began = begun.run.project
    begun.settings(OFF)
    changed = begun.run.project
    (begun.path / "handrail.yaml").unlink()
    begun.ticks.advance(2)
    back = begun.run.project
    assert changed.newer is not None
    assert back.newer is None
    assert back.config == began.config


def test_a_run_that_is_started_anew_takes_the_settings_on_the_disk(begun: Bed) -> None:
    begun.settings("limits: {actions: 1}\n")
    assert decide(begun, "ls", "a") is Decision.BLOCK
    begun.settings("limits: {actions: 100}\n")
    begun.runs.renew(RUN)
    assert decide(begun, "ls", "b") is Decision.ALLOW


def test_another_run_takes_the_settings_on_the_disk(begun: Bed) -> None:
    begun.settings("limits: {actions: 1}\n")
    other = begun.get("r2")
    assert other.project.newer is None
    assert other.project.config.limits.actions == 1


def test_a_run_whose_log_failed_keeps_its_settings(begun: Bed) -> None:
    begun.log.refuses = DiskFullError("/log")
    begun.run.before(begun.bash("make", "a"))
    begun.log.refuses = None
    begun.settings(OFF)
    assert decide(begun, HARM, "b") is Decision.BLOCK


def test_without_a_log_the_settings_of_the_start_hold(begun: Bed) -> None:
    begun.settings(OFF)
    bare = begun.runs.bare(RUN, str(begun.path))
    verdict = bare.judge_without_log(begun.bash(HARM, "a"), DiskFullError("/log"))
    assert verdict.decision is Decision.BLOCK


@pytest.mark.parametrize(
    ("first", "then", "wanted"),
    [("deny", "warn", "deny"), ("warn", "deny_all", "deny_all"), ("deny_all", "deny", "deny_all")],
)
def test_what_to_do_in_a_fault_is_the_stricter_of_both(
    bed: Bed, first: str, then: str, wanted: str
) -> None:
    bed.settings(f"on_fault: {first}\n")
    bed.do(bed.bash("ls", "a"))
    bed.settings(f"on_fault: {then}\n")
    assert bed.run.project.on_fault == wanted
    assert bed.runs.on_fault(RUN) == wanted


# --- after the daemon was started anew ---------------------------------------------------------


@pytest.fixture
def started(bed: Bed) -> Bed:
    """A run whose start was heard of."""
    bed.run.record(RunStarted(bed.clock(), "claude", str(bed.path), "startup"))
    return bed


def test_a_new_daemon_does_not_bring_in_a_laxer_file(started: Bed) -> None:
    started.settings(OFF)
    started.restart()
    assert decide(started, HARM, "a") is Decision.BLOCK


def test_a_file_that_became_laxer_before_anybody_looked_is_not_taken_over(started: Bed) -> None:
    started.restart()
    started.settings(OFF)
    started.restart()
    assert decide(started, HARM, "a") is Decision.BLOCK


def test_a_new_daemon_takes_note_of_a_stricter_file(started: Bed) -> None:
    (started.path / "rules.yaml").write_text(RULE)
    started.settings(STRICT)
    started.restart()
    assert decide(started, "make", "a") is Decision.BLOCK


def test_rules_of_a_file_that_is_gone_hold_after_a_restart(bed: Bed) -> None:
    (bed.path / "rules.yaml").write_text(RULE)
    bed.settings(STRICT)
    bed.run.record(RunStarted(bed.clock(), "claude", str(bed.path), "startup"))
    for name in ("handrail.yaml", "rules.yaml"):
        (bed.path / name).unlink()
    bed.restart()
    assert decide(bed, "make", "a") is Decision.BLOCK


def test_after_a_restart_the_person_is_told_and_it_is_written_down(started: Bed) -> None:
    started.settings(OFF)
    started.restart()
    assert started.do(started.bash("ls", "a")).alarm.startswith("handrail.yaml was changed: ")
    assert started.kinds()[:2] == ["RunStarted", "SettingsChanged"]


def test_a_restart_with_the_same_settings_leaves_no_trace(started: Bed) -> None:
    (started.path / ".env").write_text("API_SECRET=s3cret-Value_1234\n")
    started.ticks.advance(2)
    started.restart()
    assert started.run.project.newer is None
    assert started.kinds() == ["RunStarted"]


def test_settings_with_a_secret_in_them_are_recognised_after_a_restart(bed: Bed) -> None:
    secret = "s3cret-Value_1234"
    (bed.path / ".env").write_text(f"API_SECRET={secret}\n")
    bed.settings(f"goal: use {secret}\n")
    bed.run.record(RunStarted(bed.clock(), "claude", str(bed.path), "startup"))
    bed.restart()
    assert bed.run.project.newer is None
    assert secret not in repr(bed.events())


def test_broken_settings_after_a_restart_leave_those_of_the_start_in_force(started: Bed) -> None:
    started.settings("limits: {actions: many}\n")
    started.restart()
    verdict = started.do(started.bash("make", "a"))
    assert verdict.decision is Decision.ALLOW
    assert "Those from before stay in force" in verdict.alarm


def test_a_run_that_is_resumed_after_a_restart_takes_the_settings_on_the_disk(
    started: Bed,
) -> None:
    started.settings("limits: {actions: 7}\n")
    started.restart()
    assert started.run.project.newer is not None
    started.runs.renew(RUN)
    started.run.record(RunStarted(started.clock(), "claude", "", "resume"))
    started.restart()
    project = started.run.project
    assert (project.newer, project.config.limits.actions) == (None, 7)


def test_the_first_settings_that_can_be_read_are_those_that_a_restart_keeps(bed: Bed) -> None:
    bed.settings("limits: {actions: many}\n")
    bed.run.record(RunStarted(bed.clock(), "claude", str(bed.path), "startup"))
    bed.settings("limits: {actions: 2}\n")
    bed.do(bed.bash("ls", "a"))
    bed.settings(OFF)
    bed.restart()
    assert bed.run.project.config.limits.actions == 2


def test_a_run_that_has_ended_is_not_told_of_settings_that_came_later(started: Bed) -> None:
    started.run.record(RunEnded(started.clock(), "other"))
    started.settings(OFF)
    started.restart()
    assert started.run.project.newer is not None
    assert started.kinds() == ["RunStarted", "RunEnded"]


# --- a session that an agent starts ------------------------------------------------------------


def nested(
    bed: Bed, folder: Path, *, agent: int, run: str = "r2", began: float = 0.0
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


def test_a_session_that_an_agent_starts_does_not_take_over_a_laxer_file(bed: Bed) -> None:
    supervisor = nested(bed, bed.path / "notes", agent=os.getppid())
    assert supervisor.before(bed.bash(HARM, "a")).decision is Decision.BLOCK


def test_what_such_a_session_began_with_holds_after_a_restart(bed: Bed) -> None:
    nested(bed, bed.path, agent=os.getppid())
    bed.restart()
    assert bed.get("r2").before(bed.bash(HARM, "a")).decision is Decision.BLOCK


def test_an_agent_that_resumes_its_own_session_does_not_take_over_a_laxer_file(bed: Bed) -> None:
    supervisor = nested(bed, bed.path, agent=os.getppid(), run=RUN)
    assert supervisor.before(bed.bash(HARM, "a")).decision is Decision.BLOCK


def test_a_session_that_a_person_starts_beside_it_takes_the_settings_on_the_disk(
    bed: Bed,
) -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as other:
        assert nested(bed, bed.path, agent=other.pid).project.newer is None


def test_a_session_in_another_project_has_the_settings_of_that_one(bed: Bed) -> None:
    assert nested(bed, bed.elsewhere, agent=os.getppid()).project.newer is None


def test_a_process_that_got_the_number_of_an_agent_later_is_not_that_agent(bed: Bed) -> None:
    assert nested(bed, bed.path, agent=os.getppid(), began=0.1).project.newer is None


def test_an_agent_is_known_by_its_number_and_its_start_whatever_the_clock_says(bed: Bed) -> None:
    bed.clock.now = 1.0
    supervisor = nested(bed, bed.path, agent=os.getppid())
    assert supervisor.before(bed.bash(HARM, "a")).decision is Decision.BLOCK


@pytest.mark.parametrize("pid", [0, -1, 2**31, 2**70])
def test_a_number_that_is_no_process_has_nobody_above_it(bed: Bed, pid: int) -> None:
    bed.run.record(RunStarted(bed.clock(), "claude", str(bed.path), "startup", pid=os.getppid()))
    bed.settings(OFF)
    supervisor = bed.get("r2")
    bed.runs.renew("r2", str(bed.path), pid)
    assert supervisor.project.newer is None
