"""A refused action that a person may overrule waits for them, if the settings say so."""

from pathlib import Path

import pytest

from handrail.model.event import ActionEnded, ActionReviewed, ApprovalDecided, RunStarted
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict
from handrail.supervise.decision.decision_progress import DecisionProgress
from tests.supervise.supervision_setup import ran
from tests.supervise.test_approvals import VALID_SECONDS, ApprovalSetup, held, verdict

HOLDS = "approvals: {hold_refused: true}\n"
REFUSED = "npm publish --access public"
CRITICAL = "rm -rf ~"


def begun(folder: Path, settings: str = HOLDS, *, attended: bool = False) -> ApprovalSetup:
    bed = ApprovalSetup(folder)
    bed.settings(settings)
    bed.run.record(RunStarted(bed.clock(), "claude", str(bed.path), attended=attended))
    return bed


@pytest.fixture
def bed(tmp_path: Path) -> ApprovalSetup:
    return begun(tmp_path)


def decide(
    bed: ApprovalSetup, command: str = REFUSED, call: str = "a"
) -> DecisionProgress[Verdict]:
    return bed.run.decide(bed.bash(command, call))


def answer(
    bed: ApprovalSetup, *, edited: str = "", always: bool = False, approved: bool = True
) -> str:
    """Answer the newest question in one of the other ways."""
    asked, now = bed.asked()[-1], bed.clock()
    event = ApprovalDecided(
        now, asked.approval, approved, "ann", "it is the demo", now + VALID_SECONDS,
        edited={"command": edited} if edited else None,
        edited_says=f"Bash: {edited}" if edited else "",
        always=always,
    )  # fmt: skip
    bed.run.record(event)
    return asked.approval


def test_without_the_setting_it_is_refused_as_ever(tmp_path: Path) -> None:
    bed = begun(tmp_path, "goal: publish\n")
    assert verdict(decide(bed)).decision is Decision.BLOCK
    assert bed.asked() == []


def test_a_refused_action_waits_and_the_question_says_why(bed: ApprovalSetup) -> None:
    waiting = held(decide(bed))
    [question] = bed.asked()
    assert question.refused
    assert question.why
    assert question.until == bed.clock() + 1440 * 60
    assert waiting.seconds() == 540


def test_an_approval_lets_it_through_once_and_the_agent_reads_who_allowed_it(
    bed: ApprovalSetup,
) -> None:
    waiting = held(decide(bed))
    bed.answer(approved=True, reason="the demo")
    given = verdict(waiting.resume())
    assert given.decision is Decision.WARN
    assert "ann approved this, once (the demo)." in given.reason
    bed.run.after(ran(bed.bash(REFUSED, "a")))
    ended = [event for event in bed.events() if isinstance(event, ActionEnded)]
    assert ended[-1].overruled
    held(decide(bed, call="b"))
    assert len(bed.asked()) == 2


def test_a_denial_is_told_and_not_asked_again(bed: ApprovalSetup) -> None:
    waiting = held(decide(bed))
    bed.answer(approved=False, reason="not today")
    assert verdict(waiting.resume()).reason == "ann denied this call: not today"
    assert verdict(decide(bed, call="b")).decision is Decision.BLOCK
    assert len(bed.asked()) == 1


def test_past_the_wait_the_agent_goes_on_and_hears_of_the_answer(bed: ApprovalSetup) -> None:
    refused = verdict(held(decide(bed)).answer())
    assert refused.passing
    assert "Go on with something else" in refused.alternative
    bed.answer(approved=True)
    told = verdict(decide(bed, "ls", "b"))
    assert "make exactly this call again, it may run once" in told.guidance[0]
    assert verdict(decide(bed, call="c")).decision is Decision.WARN
    held(decide(bed, call="d"))


@pytest.mark.parametrize(
    "command", [CRITICAL, "echo x >> ~/.claude/settings.json", "handrail approve last"]
)
def test_what_is_critical_or_reaches_for_the_controls_is_never_asked_about(
    bed: ApprovalSetup, command: str
) -> None:
    assert verdict(decide(bed, command)).decision is Decision.BLOCK
    assert bed.asked() == []


def test_whoever_sits_at_the_session_is_asked_by_the_host(tmp_path: Path) -> None:
    bed = begun(tmp_path, attended=True)
    given = verdict(bed.run.decide(bed.bash(REFUSED, "a"), may_ask=True))
    assert (given.decision, given.overrulable) == (Decision.BLOCK, True)
    assert bed.asked() == []


def test_the_settings_say_how_long_a_call_waits_and_a_person_has_time(tmp_path: Path) -> None:
    bed = begun(tmp_path, "approvals: {hold_refused: true, wait_seconds: 30, answer_minutes: 20}\n")
    waiting = held(decide(bed))
    assert waiting.seconds() == 30
    bed.clock.advance(20 * 60 - 10)
    assert waiting.seconds() == 10


@pytest.mark.parametrize(("unanswered", "questions"), [("deny", 1), ("ask_again", 2)])
def test_nobody_answers(tmp_path: Path, unanswered: str, questions: int) -> None:
    bed = begun(tmp_path, f"approvals: {{hold_refused: true, unanswered: {unanswered}}}\n")
    waiting = held(decide(bed))
    bed.clock.advance(1440 * 60)
    assert waiting.seconds() is None
    assert "nobody answered in time" in verdict(waiting.answer()).reason
    again = decide(bed, call="b")
    if unanswered == "deny":
        assert "nobody answered in time" in verdict(again).reason
    else:
        held(again)
    assert len(bed.asked()) == questions


def test_an_edited_action_runs_instead_and_the_agent_is_told(bed: ApprovalSetup) -> None:
    waiting = held(decide(bed))
    approval = answer(bed, edited="npm publish --dry-run")
    given = verdict(waiting.resume())
    assert given.decision is Decision.MODIFY
    assert given.updated_input == {"command": "npm publish --dry-run"}
    assert given.changes[0] == (
        "ann changed it to `Bash: npm publish --dry-run`. Why: it is the demo"
    )
    [reviewed] = [event for event in bed.events() if isinstance(event, ActionReviewed)]
    assert reviewed.approval == approval
    assert reviewed.action.input == {"command": REFUSED}
    end = bed.run.after(ran(bed.bash("npm publish --dry-run", "a")))
    assert end.decision is Decision.ALLOW
    held(decide(bed, call="b"))


def test_an_edit_is_reviewed_again_when_it_runs(bed: ApprovalSetup) -> None:
    waiting = held(decide(bed))
    answer(bed, edited=CRITICAL)
    assert verdict(waiting.resume()).decision is Decision.BLOCK


def test_an_edit_that_is_refused_too_counts_as_approved(bed: ApprovalSetup) -> None:
    waiting = held(decide(bed))
    answer(bed, edited="npm publish --tag next")
    given = verdict(waiting.resume())
    assert given.updated_input == {"command": "npm publish --tag next"}


def test_of_a_later_edit_the_agent_hears_what_runs_instead(bed: ApprovalSetup) -> None:
    verdict(held(decide(bed)).answer())
    answer(bed, edited="npm publish --dry-run")
    bed.restart()
    [told] = verdict(decide(bed, "ls", "b")).guidance
    assert f"`Bash: {REFUSED}` in another form: make exactly this call again" in told
    given = verdict(decide(bed, call="c"))
    assert given.updated_input == {"command": "npm publish --dry-run"}
    bed.restart()
    assert verdict(decide(bed, call="c")).updated_input == given.updated_input


def test_always_counts_in_this_run_at_once(bed: ApprovalSetup) -> None:
    waiting = held(decide(bed))
    answer(bed, always=True)
    assert verdict(waiting.resume()).decision is Decision.WARN
    bed.run.after(ran(bed.bash(REFUSED, "a")))
    bed.restart()
    given = verdict(decide(bed, call="b"))
    assert given.decision is Decision.WARN
    assert "always allows this in this project" in given.reason
    held(decide(bed, f"{REFUSED} --tag next", "c"))


def rule_file(bed: ApprovalSetup, project: Path, command: str = REFUSED) -> None:
    """Let the user always allow a command in a project; then the run begins."""
    folder = bed.home / ".config" / "handrail"
    folder.mkdir(parents=True)
    rule = f"{{project: {project}, tool: Bash, command: {command}}}"
    (folder / "handrail.yaml").write_text(f"approvals:\n  always:\n    - {rule}\n")
    bed.settings(HOLDS)
    bed.restart()
    bed.run.record(RunStarted(bed.clock(), "claude", str(bed.path)))


def test_a_rule_of_the_user_allows_exactly_this_in_exactly_this_project(tmp_path: Path) -> None:
    bed = ApprovalSetup(tmp_path)
    rule_file(bed, bed.path)
    for call in ("a", "b"):
        assert verdict(decide(bed, call=call)).decision is Decision.WARN
        bed.run.after(ran(bed.bash(REFUSED, call)))
    assert bed.asked() == []
    held(decide(bed, f"{REFUSED} -f", "c"))
    held(bed.run.decide(bed.bash(REFUSED, "d", bed.path / "notes")))


def test_a_rule_for_another_project_allows_nothing_here(tmp_path: Path) -> None:
    bed = ApprovalSetup(tmp_path)
    rule_file(bed, bed.elsewhere)
    held(decide(bed))


def test_no_rule_allows_what_is_critical(tmp_path: Path) -> None:
    bed = ApprovalSetup(tmp_path)
    rule_file(bed, bed.path, CRITICAL)
    assert verdict(decide(bed, CRITICAL)).decision is Decision.BLOCK


def test_a_rule_that_the_user_takes_back_allows_nothing_more(tmp_path: Path) -> None:
    bed = ApprovalSetup(tmp_path)
    rule_file(bed, bed.path)
    (bed.home / ".config" / "handrail" / "handrail.yaml").write_text("goal: publish\n")
    bed.settings(HOLDS)
    held(decide(bed))


def test_a_project_that_was_not_confirmed_cannot_let_refusals_wait(tmp_path: Path) -> None:
    bed = ApprovalSetup(tmp_path)
    bed.settings(HOLDS, confirmed=False)
    bed.run.record(RunStarted(bed.clock(), "claude", str(bed.path)))
    assert verdict(decide(bed)).decision is Decision.BLOCK
