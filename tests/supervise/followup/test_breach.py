"""What ran is compared with what was let through."""

from pathlib import Path

import msgspec
import pytest

from handrail.model import Action, Decision, Outcome
from handrail.model.history import History
from handrail.review import Reviewer
from handrail.review.reviewer import ReviewDraft
from handrail.supervise.followup.breach import EndedCall, command_name, find_breach
from tests.supervise.supervision_setup import SupervisionSetup, ran

_NO_PAST = History()


class CountingReviewer(Reviewer):
    """Counts the reviews."""

    count = 0

    def begin(self, action: Action, history: History = _NO_PAST, name: str = "") -> ReviewDraft:
        self.count += 1
        return super().begin(action, history, name)


def breach_of(
    bed: SupervisionSetup, judged: Action, happened: EndedCall, *, may_ask: bool = False
) -> str:
    """What is wrong with an outcome, after the action was judged."""
    run = bed.run
    run.decide(judged, may_ask=may_ask)
    known = run.state.find_open(judged.id)
    return find_breach(known, happened, run.project.reviewer, run.state.history)


def unreviewed(bed: SupervisionSetup, happened: EndedCall) -> str:
    run = bed.run
    return find_breach(None, happened, run.project.reviewer, run.state.history)


def test_what_ran_as_it_was_judged_is_no_breach(supervision: SupervisionSetup) -> None:
    action = supervision.bash("ls", "a")
    assert breach_of(supervision, action, ran(action)) == ""


def test_what_was_refused_and_ran_is_a_breach(supervision: SupervisionSetup) -> None:
    action = supervision.bash("rm -rf /srv/data", "a")
    assert (
        breach_of(supervision, action, ran(action)) == "Step 1 was refused, and ran all the same."
    )


def test_what_a_person_let_run_is_no_breach(supervision: SupervisionSetup) -> None:
    action = supervision.bash("rm -rf /srv/data", "a")
    assert breach_of(supervision, action, ran(action), may_ask=True) == ""


def test_what_a_person_let_run_may_be_changed_but_not_into_anything(
    supervision: SupervisionSetup,
) -> None:
    action = supervision.bash("rm -rf /srv/data", "a")
    fine, worse = supervision.bash("ls /srv/data", "a"), supervision.bash("rm -rf /srv/other", "a")
    assert breach_of(supervision, action, ran(fine), may_ask=True) == ""
    assert "another input" in breach_of(supervision, action, ran(worse), may_ask=True)


def test_what_a_person_let_be_written_may_be_changed_by_them(supervision: SupervisionSetup) -> None:
    asked, edited = (supervision.write(Path("/etc/hosts"), "a", text) for text in ("one", "two"))
    assert breach_of(supervision, asked, ran(edited), may_ask=True) == ""


def test_a_file_that_a_person_let_be_changed_is_no_breach(supervision: SupervisionSetup) -> None:
    hook = supervision.path / ".git" / "hooks" / "pre-commit"
    action = supervision.bash(f"echo make > {hook}", "a")
    happened = EndedCall(action, Outcome(True), changed=(str(hook),))
    assert breach_of(supervision, action, happened, may_ask=True) == ""


def test_a_rewritten_command_that_ran_rewritten_is_no_breach(supervision: SupervisionSetup) -> None:
    action = supervision.bash("rm -rf notes", "a")
    verdict = supervision.run.before(action)
    assert verdict.updated_input is not None
    assert (
        breach_of(
            supervision, action, ran(msgspec.structs.replace(action, input=verdict.updated_input))
        )
        == ""
    )


def test_the_original_of_a_rewritten_command_that_ran_is_a_breach(
    supervision: SupervisionSetup,
) -> None:
    """Also when its files are gone, so that a new review would find nothing wrong with it."""
    action = supervision.bash("rm -rf notes", "a")
    assert supervision.run.before(action).decision is Decision.MODIFY
    (supervision.path / "notes" / "plan.md").unlink()
    (supervision.path / "notes").rmdir()
    assert supervision.run.project.reviewer.review(action).decision is Decision.ALLOW
    said = breach_of(supervision, action, ran(action))
    assert said.startswith("Handrail changed step 1, but it ran in another form. It deletes ")


def test_the_original_is_recognised_in_whatever_folder_it_ended(
    supervision: SupervisionSetup,
) -> None:
    action = supervision.bash("cd src && rm -rf ../notes", "a")
    moved = msgspec.structs.replace(action, cwd=str(supervision.path / "src"))
    assert breach_of(supervision, action, ran(moved)).startswith("Handrail changed step 1")


def test_another_harmless_command_is_no_breach(supervision: SupervisionSetup) -> None:
    assert (
        breach_of(supervision, supervision.bash("ls", "a"), ran(supervision.bash("ls -la", "a")))
        == ""
    )


def test_another_command_that_would_have_been_stopped_is_a_breach(
    supervision: SupervisionSetup,
) -> None:
    said = breach_of(
        supervision, supervision.bash("ls", "a"), ran(supervision.bash("rm -rf /srv/data", "a"))
    )
    assert said.startswith("Step 1 ran with another input than was reviewed. It deletes /srv/data")


def test_another_file_that_would_have_been_stopped_is_a_breach(
    supervision: SupervisionSetup,
) -> None:
    judged = supervision.write(supervision.path / "a.txt", "a")
    fine, worse = (
        supervision.write(supervision.path / "b.txt", "a"),
        supervision.write(supervision.path / "handrail.yaml", "a"),
    )
    assert breach_of(supervision, judged, ran(fine)) == ""
    assert "another input" in breach_of(supervision, judged, ran(worse))


def test_a_limit_that_was_reached_since_is_no_breach(supervision: SupervisionSetup) -> None:
    supervision.settings("step_reviewer: {max_file_operations: 1}\n")
    judged = supervision.write(supervision.path / "a.txt", "a")
    assert (
        breach_of(supervision, judged, ran(supervision.write(supervision.path / "b.txt", "a")))
        == ""
    )


def test_what_ran_without_review_is_a_breach_only_if_it_would_have_been_stopped(
    supervision: SupervisionSetup,
) -> None:
    said = unreviewed(supervision, ran(supervision.bash("rm -rf /srv/data")))
    assert said.startswith("Bash ran without having been reviewed. It deletes /srv/data")
    assert unreviewed(supervision, ran(supervision.bash("ls"))) == ""
    assert unreviewed(supervision, ran(supervision.write(supervision.path / "a.txt"))) == ""


def test_what_ran_without_the_checkpoint_that_it_needs_is_a_breach(
    supervision: SupervisionSetup,
) -> None:
    unseen = Path("/srv/on/another/machine")
    reviewer = supervision.projects.at(str(unseen)).reviewer
    action = supervision.bash("rm -rf notes", cwd=unseen)
    assert reviewer.review(action).checkpoint_first
    assert "without having been reviewed" in find_breach(None, ran(action), reviewer, _NO_PAST)


@pytest.mark.parametrize("path", ["handrail.yaml", ".git/hooks/pre-commit"])
def test_a_command_that_turns_out_to_have_changed_a_protected_file_is_a_breach(
    supervision: SupervisionSetup, path: str
) -> None:
    action = supervision.bash("make", "a")
    changed = (str(supervision.path / "a.txt"), str(supervision.path / path))
    said = breach_of(supervision, action, EndedCall(action, Outcome(True), changed=changed))
    assert said.startswith(f"It has changed {supervision.path / path}. It changes")


def test_a_changed_file_that_nobody_protects_is_no_breach(supervision: SupervisionSetup) -> None:
    action = supervision.bash("make", "a")
    happened = EndedCall(action, Outcome(True), changed=(str(supervision.path / "a.txt"), "b.txt"))
    assert breach_of(supervision, action, happened) == ""


def test_a_rule_against_a_tool_says_nothing_about_files_that_a_command_changed(
    supervision: SupervisionSetup,
) -> None:
    supervision.settings(
        "step_reviewer: {rules: {custom: [{name: shell-only, decision: block, says: no, "
        "tools: [Write]}]}}\n"
    )
    action = supervision.bash("make", "a")
    happened = EndedCall(action, Outcome(True), changed=(str(supervision.path / "a.txt"),))
    assert breach_of(supervision, action, happened) == ""


def test_only_so_many_changed_files_are_looked_at(supervision: SupervisionSetup) -> None:
    action = supervision.bash("make", "a")
    many = tuple(str(supervision.path / f"{number}.txt") for number in range(100_000))
    reviewer = CountingReviewer(environ=supervision.environ)
    assert (
        find_breach(None, EndedCall(action, Outcome(True), changed=many), reviewer, _NO_PAST) == ""
    )
    assert reviewer.count <= 21


def test_a_command_has_a_fingerprint_and_other_tools_have_none(
    supervision: SupervisionSetup,
) -> None:
    ls = supervision.bash("ls")
    assert command_name(ls) == command_name(supervision.bash("ls", "other", supervision.elsewhere))
    assert command_name(ls) != command_name(supervision.bash("ls -l"))
    assert command_name(ls, {"command": "ls -l"}) == command_name(supervision.bash("ls -l"))
    assert command_name(supervision.write(supervision.path / "a")) == ""


def test_an_input_without_a_command_has_no_fingerprint() -> None:
    assert command_name(Action("Bash", {})) == ""
    assert command_name(Action("Bash", {"command": 5})) == ""


def test_half_a_character_has_a_fingerprint() -> None:
    assert command_name(Action("Bash", {"command": "echo \ud800"})) != ""
