"""A person decides about an incident; each choice works, once."""

import asyncio
import os
import re
import shutil
from pathlib import Path

import pytest

from handrail.intervene.incidents.folders import IncidentError, IncidentFolders, NoSuchIncidentError
from handrail.intervene.incidents.gathering import gather_incident
from handrail.intervene.incidents.record import Leftover
from handrail.intervene.incidents.recovery import NO_SAFE_CHECKPOINT, STRICT, RecoveryOption
from handrail.model.checkpoint import Checkpoint
from handrail.model.event import (
    CheckpointTaken,
    CleanedUp,
    Event,
    IncidentResolved,
    Intervened,
    RolledBack,
    RunStarted,
)
from handrail.model.finding import Finding
from handrail.model.intervention import Intervention, InterventionName
from handrail.model.ordinal import Decision, Severity
from handrail.server.control.incident_recovery import (
    CannotRecoverError,
    IncidentRecovery,
    RecoveredRun,
    RecoveryChoice,
)
from handrail.server.home import Home
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.supervise.decision.run_limits import refusal_by_limits
from handrail.supervise.decision.verdict import verdict_of
from tests.intervene.stopped_run import save
from tests.supervise.decision.test_run_limits import WRITES
from tests.supervise.strategies import ended, reviewed
from tests.supervise.supervision_setup import RUN, SupervisionSetup

LOOP = Finding("loop", Severity.HIGH, 0.9, (3, 4), says="The same call failed 4 times: make")
STOP = Intervened(
    5.0, Intervention("i1", InterventionName.EMERGENCY_STOP, LOOP, 4, incident="inc-1")
)
POINT = CheckpointTaken(2.0, Checkpoint("4c1f", RUN, 1, "4c1f0a2b9d3e", 2.0, "before a prompt"))

Answer = tuple[int, dict[str, object]]


class RecoverySetup:
    """A stopped run, its incident, and the daemon's part that a person talks to."""

    def __init__(self, bed: SupervisionSetup, folder: Path, *before: Event) -> None:
        self.bed = bed
        self.home = Home(str(folder / "state"))
        self.incidents = IncidentFolders(self.home.incidents)
        for event in (RunStarted(1.0, "claude", str(bed.path)), *before, STOP):
            bed.run.record(event)
        save(self.incidents, gather_incident(RUN, "inc-1", bed.events()))

    def choose(self, option: str, incident: str = "inc-1") -> RecoveredRun:
        """Carry out a person's choice."""
        supervision = SupervisionThread()
        recoveries = IncidentRecovery(
            supervision, self.bed.runs, self._settle, self.home, lambda: 6.0
        )
        choice = RecoveryChoice(RecoveryOption(option), "again", "ann")
        try:
            return asyncio.run(recoveries.choose(incident, choice))
        finally:
            supervision.close()

    def _settle(self) -> None:
        if self.bed.run.state.course.held:
            self.bed.run.record(RolledBack(7.0, "4c1f", files=("cart.txt",)))

    def refused(self) -> bool:
        return refusal_by_limits(self.bed.run.state, WRITES, (), 9.0) is not None


@pytest.fixture
def court(tmp_path: Path) -> RecoverySetup:
    return RecoverySetup(SupervisionSetup(tmp_path), tmp_path, POINT)


def test_a_run_goes_on_within_strict_limits(court: RecoverySetup) -> None:
    court.choose("resume_with_limits")
    assert not court.refused()
    course = court.bed.run.state.course
    assert (course.allowance, course.strict) == (STRICT, True)


def test_under_strict_limits_nothing_is_deleted_or_sent(court: RecoverySetup) -> None:
    court.choose("resume_with_limits")
    for command, may_run in (
        ("echo x > notes/a.txt", True),
        ("rm notes/plan.md", False),
        ("curl https://example.org/a", False),
    ):
        verdict = court.bed.run.before(court.bed.bash(command))
        assert (verdict.decision is not Decision.BLOCK) is may_run, command


def test_under_strict_watch_a_warning_is_a_refusal(court: RecoverySetup) -> None:
    action = court.bed.bash("curl -d x https://example.org/x")
    before = verdict_of(
        court.bed.run.project.begin_review(action, court.bed.run.state.past).review, 0
    )
    assert before.decision is Decision.WARN
    court.choose("resume_with_limits")
    court.bed.run.state.course.allowance = None
    verdict = court.bed.run.before(action)
    assert verdict.decision is Decision.BLOCK
    assert "watched strictly" in verdict.reason
    assert verdict.alternative


def test_the_note_reaches_the_agent_with_its_next_call_once(court: RecoverySetup) -> None:
    court.choose("resume_with_limits")
    said = "This run was stopped, and a person lets it go on. They say: again"
    assert court.bed.run.before(court.bed.bash("ls")).guidance == (said,)
    assert court.bed.run.before(court.bed.bash("ls notes")).guidance == ()


def test_the_note_of_an_abort_is_for_the_record_alone(court: RecoverySetup) -> None:
    court.choose("abort")
    assert court.bed.run.state.notices == {}


def test_an_unsafe_checkpoint_is_not_gone_back_to(tmp_path: Path) -> None:
    failed: list[Event] = [
        reviewed(1),
        ended(1, ok=False),
    ]
    court = RecoverySetup(SupervisionSetup(tmp_path), tmp_path, *failed, POINT)
    with pytest.raises(CannotRecoverError, match=re.escape(NO_SAFE_CHECKPOINT)):
        court.choose("rollback_and_retry")


def test_an_abort_cleans_up_what_the_incident_lists(court: RecoverySetup, tmp_path: Path) -> None:
    left = tmp_path / "left.txt"
    left.write_text("left behind\n")
    record = court.incidents.read("inc-1").record
    mark = os.lstat(left)
    record.leftovers = [
        Leftover("temporary", str(left), f"{mark.st_dev}:{mark.st_ino}:{mark.st_mtime_ns}")
    ]
    save(court.incidents, record)
    done = court.choose("abort")
    assert done.cleaned == CleanedUp(6.0, "inc-1", (str(left),))
    assert not left.exists()
    assert any(isinstance(event, CleanedUp) for event in court.bed.events())


def test_a_run_goes_on_under_approval(court: RecoverySetup) -> None:
    court.choose("manual_approval")
    assert court.bed.run.state.course.approval


def test_a_run_goes_back_and_tries_again(court: RecoverySetup) -> None:
    done = court.choose("rollback_and_retry")
    assert done.rolled_back == RolledBack(7.0, "4c1f", files=("cart.txt",))
    assert not court.refused()


def test_an_aborted_run_stays_stopped(court: RecoverySetup) -> None:
    court.choose("abort")
    assert court.refused()


def test_what_was_decided_is_in_the_log_and_in_the_incident(court: RecoverySetup) -> None:
    court.choose("abort")
    [event] = [each for each in court.bed.events() if isinstance(each, IncidentResolved)]
    assert (event.option, event.note) == ("abort", "again")
    resolution = court.incidents.read("inc-1").resolution
    assert resolution is not None
    assert resolution.option == "abort"


def test_without_a_checkpoint_nobody_can_go_back(tmp_path: Path) -> None:
    court = RecoverySetup(SupervisionSetup(tmp_path), tmp_path)
    with pytest.raises(CannotRecoverError, match=re.escape(NO_SAFE_CHECKPOINT)):
        court.choose("rollback_and_retry")
    assert court.refused()


def test_an_incident_is_decided_once(court: RecoverySetup) -> None:
    court.choose("resume_with_limits")
    with pytest.raises(CannotRecoverError, match="resolved before"):
        court.choose("abort")
    assert not court.refused()


@pytest.mark.parametrize("incident", ["inc-9", "..", "../inc-1", "a/b"])
def test_an_incident_that_is_not_there_is_not_found(court: RecoverySetup, incident: str) -> None:
    with pytest.raises(NoSuchIncidentError):
        court.choose("abort", incident)


def test_an_incident_that_could_not_be_written_can_be_decided_about(court: RecoverySetup) -> None:
    shutil.rmtree(court.incidents.folder)
    court.choose("resume_with_limits")
    assert not court.refused()
    assert court.incidents.read("inc-1").resolution is not None


def test_a_folder_that_cannot_be_written_keeps_nobody_from_deciding(court: RecoverySetup) -> None:
    shutil.rmtree(court.incidents.folder)
    Path(court.incidents.folder).write_text("in the way")
    court.choose("resume_with_limits")
    assert not court.refused()
    with pytest.raises(IncidentError):
        court.choose("abort")
