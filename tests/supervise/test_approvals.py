"""A person approves the actions of a run one by one: exactly these, once, and for a while."""

from pathlib import Path

import pytest

from handrail.model.action import Action
from handrail.model.action_kind import ActionKind
from handrail.model.control import ControlCommand, Standing
from handrail.model.event import (
    ActionReviewed,
    AgentTold,
    ApprovalAsked,
    ApprovalDecided,
    ControlAnswered,
    IncidentResolved,
    Intervened,
    RunStarted,
)
from handrail.model.finding import Finding
from handrail.model.intervention import Intervention, InterventionName
from handrail.model.ordinal import Decision, Severity
from handrail.model.review import Verdict
from handrail.supervise.decision.decision_progress import DecisionProgress, Held, Ready
from tests.supervise.supervision_setup import SupervisionSetup, ran

STOP = Intervention(
    "i1",
    InterventionName.EMERGENCY_STOP,
    Finding("loop", Severity.HIGH, 0.9, (1, 2)),
    0,
    incident="inc-1",
)
WRITES = "echo x > notes/a.txt"
VALID_SECONDS = 30 * 60


class ApprovalSetup(SupervisionSetup):
    """A run that goes on under approval, and the person who answers."""

    def begin(self, *, attended: bool = False) -> None:
        now = self.clock()
        for event in (
            RunStarted(now, "claude", str(self.path), attended=attended),
            Intervened(now, STOP),
            IncidentResolved(now, "inc-1", "manual_approval", approval=True),
        ):
            self.run.record(event)

    def asked(self) -> list[ApprovalAsked]:
        return [event for event in self.events() if isinstance(event, ApprovalAsked)]

    def answer(self, *, approved: bool, reason: str = "") -> str:
        """Answer the newest question."""
        approval, now = self.asked()[-1].approval, self.clock()
        self.run.record(
            ApprovalDecided(now, approval, approved, "ann", reason, now + VALID_SECONDS)
        )
        return approval

    def reviewed(self) -> list[ActionReviewed]:
        return [event for event in self.events() if isinstance(event, ActionReviewed)]


@pytest.fixture
def bed(tmp_path: Path) -> ApprovalSetup:
    bed = ApprovalSetup(tmp_path)
    bed.begin()
    return bed


def held(progress: DecisionProgress[Verdict]) -> Held[Verdict]:
    assert isinstance(progress, Held)
    return progress


def verdict(progress: DecisionProgress[Verdict]) -> Verdict:
    assert isinstance(progress, Ready)
    return progress.wait()


def test_what_only_reads_runs_without_a_question(bed: ApprovalSetup) -> None:
    assert verdict(bed.run.decide(bed.bash("cat notes/plan.md", "a"))).decision is Decision.ALLOW
    assert bed.asked() == []


def test_a_change_waits_and_runs_once_it_is_approved(bed: ApprovalSetup) -> None:
    waiting = held(bed.run.decide(bed.bash(WRITES, "a")))
    assert waiting.seconds() == bed.run.project.config.control.hold_seconds
    [question] = bed.asked()
    assert question.says == f"Bash: {WRITES}"
    assert question.kinds == (ActionKind.FILE_WRITE,)
    approval = bed.answer(approved=True)
    assert waiting.seconds() is None
    assert verdict(waiting.resume()).decision is Decision.ALLOW
    assert bed.reviewed()[-1].approval == approval


def test_an_approval_counts_once(bed: ApprovalSetup) -> None:
    waiting = held(bed.run.decide(bed.bash(WRITES, "a")))
    bed.answer(approved=True)
    verdict(waiting.resume())
    bed.run.after(ran(bed.bash(WRITES, "a")))
    held(bed.run.decide(bed.bash(WRITES, "b")))
    assert len(bed.asked()) == 2


@pytest.mark.parametrize(
    "other", ["echo x > notes/b.txt", "echo x > notes/a.txt; ls", "echo y > notes/a.txt"]
)
def test_an_approval_counts_for_exactly_this_action(bed: ApprovalSetup, other: str) -> None:
    held(bed.run.decide(bed.bash(WRITES, "a")))
    bed.answer(approved=True)
    held(bed.run.decide(bed.bash(other, "b")))
    assert verdict(bed.run.decide(bed.bash(WRITES, "c"))).decision is Decision.ALLOW


def test_in_another_folder_it_is_another_action(bed: ApprovalSetup) -> None:
    held(bed.run.decide(bed.bash(WRITES, "a")))
    bed.answer(approved=True)
    held(bed.run.decide(bed.bash(WRITES, "b", bed.path / "notes")))


def test_two_calls_of_the_same_action_share_the_question_and_one_of_them_runs(
    bed: ApprovalSetup,
) -> None:
    first = held(bed.run.decide(bed.bash(WRITES, "a")))
    second = held(bed.run.decide(bed.bash(WRITES, "b")))
    assert len(bed.asked()) == 1
    bed.answer(approved=True)
    assert verdict(first.resume()).decision is Decision.ALLOW
    held(second.resume())


def test_an_approval_expires(bed: ApprovalSetup) -> None:
    held(bed.run.decide(bed.bash(WRITES, "a")))
    bed.answer(approved=True)
    bed.clock.advance(VALID_SECONDS)
    held(bed.run.decide(bed.bash(WRITES, "b")))
    assert len(bed.asked()) == 2


def test_a_question_expires_and_its_answer_comes_too_late(bed: ApprovalSetup) -> None:
    held(bed.run.decide(bed.bash(WRITES, "a")))
    bed.clock.advance(24 * 3600.0)
    bed.answer(approved=True)
    held(bed.run.decide(bed.bash(WRITES, "b")))
    assert len(bed.asked()) == 2


def test_a_denial_says_why_and_nobody_is_asked_again(bed: ApprovalSetup) -> None:
    waiting = held(bed.run.decide(bed.bash(WRITES, "a")))
    bed.answer(approved=False, reason="that file is mine")
    refused = verdict(waiting.resume())
    assert refused.decision is Decision.BLOCK
    assert refused.reason == "ann denied this call: that file is mine"
    assert refused.alternative
    assert verdict(bed.run.decide(bed.bash(WRITES, "b"))).decision is Decision.BLOCK
    assert len(bed.asked()) == 1


def test_the_first_answer_counts(bed: ApprovalSetup) -> None:
    waiting = held(bed.run.decide(bed.bash(WRITES, "a")))
    bed.answer(approved=False)
    bed.answer(approved=True)
    assert verdict(waiting.resume()).decision is Decision.BLOCK


def test_past_the_host_s_wait_the_agent_goes_on_and_is_told_of_the_approval(
    bed: ApprovalSetup,
) -> None:
    waiting = held(bed.run.decide(bed.bash(WRITES, "a")))
    refused = verdict(waiting.answer())
    [question] = bed.asked()
    assert refused.decision is Decision.BLOCK
    assert question.approval in refused.reason
    bed.answer(approved=True)
    told = verdict(bed.run.decide(bed.bash("ls", "b")))
    assert told.guidance == (
        f"ann approved `Bash: {WRITES}`: make exactly this call again, it may run once.",
    )
    assert verdict(bed.run.decide(bed.bash("ls notes", "c"))).guidance == ()
    assert verdict(bed.run.decide(bed.bash(WRITES, "d"))).decision is Decision.ALLOW


def test_a_call_that_waited_is_not_told_of_its_own_answer(bed: ApprovalSetup) -> None:
    waiting = held(bed.run.decide(bed.bash(WRITES, "a")))
    bed.answer(approved=True)
    assert verdict(waiting.resume()).guidance == ()
    assert not any(isinstance(event, AgentTold) for event in bed.events())


@pytest.mark.parametrize("approved", [True, False])
def test_a_restart_forgets_neither_question_nor_answer(bed: ApprovalSetup, approved: bool) -> None:
    held(bed.run.decide(bed.bash(WRITES, "a")))
    bed.restart()
    held(bed.run.decide(bed.bash(WRITES, "b")))
    bed.answer(approved=approved)
    bed.restart()
    done = verdict(bed.run.decide(bed.bash(WRITES, "c")))
    assert (done.decision is not Decision.BLOCK) is approved
    assert len(bed.asked()) == 1


def test_whoever_sits_at_the_session_is_asked_by_the_host(tmp_path: Path) -> None:
    bed = ApprovalSetup(tmp_path)
    bed.begin(attended=True)
    refused = verdict(bed.run.decide(bed.bash(WRITES, "a"), may_ask=True))
    assert (refused.decision, refused.overrulable) == (Decision.BLOCK, True)
    assert bed.asked() == []


def test_nobody_can_approve_what_is_refused_anyway(bed: ApprovalSetup) -> None:
    assert verdict(bed.run.decide(bed.bash("rm -rf ~", "a"))).decision is Decision.BLOCK
    assert bed.asked() == []


def test_a_caller_that_does_not_wait_is_refused_and_may_call_again(bed: ApprovalSetup) -> None:
    action = Action("Bash", {"command": WRITES}, str(bed.path))
    assert bed.run.before(action).decision is Decision.BLOCK
    bed.answer(approved=True)
    assert bed.run.before(action).decision is Decision.ALLOW


def test_a_stopped_run_gets_no_approval(bed: ApprovalSetup) -> None:
    waiting = held(bed.run.decide(bed.bash(WRITES, "a")))
    now = bed.clock()
    bed.run.record(ControlAnswered(now, "r-1", ControlCommand.STOP, Standing.STOPPED))
    bed.answer(approved=True)
    assert verdict(waiting.resume()).decision is Decision.BLOCK


def test_settings_say_what_needs_an_approval(bed: ApprovalSetup) -> None:
    bed.settings("approvals: {require_approval_for: [file_delete]}\n")
    bed.runs.renew(bed.run.state.run, str(bed.path), 0)
    assert verdict(bed.run.decide(bed.bash(WRITES, "a"))).decision is Decision.ALLOW
    held(bed.run.decide(bed.bash("rm notes/plan.md", "b")))
