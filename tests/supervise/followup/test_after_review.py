"""What an action really did is compared with what was reviewed."""

from pathlib import Path

import pytest

from handrail.model import Action, Decision, Outcome, Severity
from handrail.model.event import ActionReviewed, AfterReviewed, IterationEnded
from handrail.model.finding import Finding
from handrail.supervise.followup.breach import EndedCall
from tests.supervise.supervision_setup import SupervisionSetup


def ends(
    bed: SupervisionSetup, action: Action, outcome: Outcome | None = None, *changed: Path
) -> AfterReviewed | None:
    """The review after an action that has changed these files."""
    bed.run.before(action)
    paths = tuple(map(str, changed))
    bed.run.after(EndedCall(action, outcome or Outcome(True), changed=paths))
    found = [event for event in bed.events() if isinstance(event, AfterReviewed)]
    return found[-1] if found else None


def test_an_action_that_did_what_was_reviewed_is_not_reviewed_again(
    supervision: SupervisionSetup,
) -> None:
    file = supervision.path / "a.txt"
    write = supervision.write(file, "a")
    assert ends(supervision, write, None, file) is None
    assert ends(supervision, supervision.bash("echo x > a.txt", "b"), None, file) is None
    assert ends(supervision, supervision.bash("ls", "c")) is None
    assert ends(supervision, supervision.bash("false", "d"), Outcome(False, 1)) is None


def test_an_unforeseen_file_makes_a_review_with_its_own_id_risk_and_decision(
    supervision: SupervisionSetup,
) -> None:
    other = supervision.path / "src" / "other.py"
    after = ends(supervision, supervision.bash("make", "a"), None, other)
    assert after is not None
    assert after.step == 1
    assert after.review.id == "a1"
    assert after.review.decision is Decision.ALLOW
    assert after.review.risk.score == pytest.approx(0.4)
    assert after.paths == (str(other),)
    assert after.differences == (f"it also changed {other}",)


def test_a_file_that_it_made_is_created_not_modified(supervision: SupervisionSetup) -> None:
    made, action = str(supervision.path / "out.txt"), supervision.bash("make", "a")
    supervision.run.before(action)
    supervision.run.after(EndedCall(action, Outcome(True), created=(made,)))
    (after,) = [event for event in supervision.events() if isinstance(event, AfterReviewed)]
    assert [effect.intent for effect in after.review.effects] == ["create"]


def test_an_unforeseen_protected_file_is_told_to_the_agent(
    supervision: SupervisionSetup,
) -> None:
    supervision.settings("protected: ['**/deploy.yaml']\n")
    deploy = supervision.path / "deploy.yaml"
    action = supervision.bash("make", "a")
    supervision.run.before(action)
    verdict = supervision.run.after(EndedCall(action, Outcome(True), changed=(str(deploy),)))
    (after,) = [event for event in supervision.events() if isinstance(event, AfterReviewed)]
    assert after.review.decision is not Decision.ALLOW
    assert after.review.risk.severity >= Severity.HIGH
    assert str(deploy) in verdict.reason + " ".join(verdict.guidance)


def test_detectors_see_the_real_files(supervision: SupervisionSetup) -> None:
    """Scope creep counts what a program changed outside, though its command named nothing."""
    found: list[Finding] = []
    for number in range(12):
        place = supervision.elsewhere / f"part{number}" / "file.py"
        ends(supervision, supervision.bash(f"make part{number}", f"c{number}"), None, place)
        found += supervision.run.state.course.watch.findings(
            supervision.run.project.config.detection
        )
    assert any(finding.kind == "scope_creep" for finding in found)


def test_an_exit_code_against_the_report_of_the_host_is_a_difference(
    supervision: SupervisionSetup,
) -> None:
    after = ends(supervision, supervision.bash("make test", "a"), Outcome(True, 2))
    assert after is not None
    assert after.failed
    assert after.differences == ("the host reports a success, and the exit code is 2",)
    assert supervision.run.state.usage.failed == 1
    assert supervision.run.state.history.steps[-1].ok is False


def test_a_search_without_a_hit_has_not_failed(supervision: SupervisionSetup) -> None:
    assert ends(supervision, supervision.bash("grep x a.txt", "a"), Outcome(True, 1)) is None
    assert ends(supervision, supervision.bash("grep x a.txt", "b"), Outcome(True, 2)) is not None


def test_a_failure_with_exit_code_zero_is_a_difference(supervision: SupervisionSetup) -> None:
    after = ends(supervision, supervision.bash("make", "a"), Outcome(False, 0))
    assert after is not None
    assert not after.failed


def test_files_of_a_failed_action_are_a_difference(supervision: SupervisionSetup) -> None:
    file = supervision.path / "a.txt"
    after = ends(supervision, supervision.write(file, "a"), Outcome(False, error="no"), file)
    assert after is not None
    assert after.differences == (f"it failed, and changed {file} all the same",)


def test_rollback_knows_the_unforeseen_files(supervision: SupervisionSetup) -> None:
    other = supervision.path / "src" / "other.py"
    ends(supervision, supervision.bash("make", "a"), None, other)
    assert str(other) in supervision.run.state.course.lately[-1].files


def test_every_review_of_a_run_has_an_id_of_its_own(supervision: SupervisionSetup) -> None:
    other = supervision.path / "src" / "other.py"
    ends(supervision, supervision.bash("make", "a"), None, other)
    ends(supervision, supervision.bash("ls", "b"))
    supervision.run.rest("All done.")
    ids = [
        event.review.id
        for event in supervision.events()
        if isinstance(event, ActionReviewed | AfterReviewed | IterationEnded) and event.review
    ]
    assert ids == ["r1", "a1", "r2", "m1"]
