"""What ran is compared with what was let through."""

from pathlib import Path

import msgspec
import pytest

from handrail.model import Action, Decision, Outcome
from handrail.model.history import History
from handrail.review import Reviewer
from handrail.review.reviewer import ReviewDraft
from handrail.supervise.breach import EndedCall, command_name, find_breach
from tests.supervise.bed import Bed, ran

_NO_PAST = History()


class CountingReviewer(Reviewer):
    """Counts the reviews."""

    count = 0

    def begin(self, action: Action, history: History = _NO_PAST) -> ReviewDraft:
        self.count += 1
        return super().begin(action, history)


def breach_of(bed: Bed, judged: Action, happened: EndedCall, *, may_ask: bool = False) -> str:
    """What is wrong with an outcome, after the action was judged."""
    run = bed.run
    run.decide(judged, may_ask=may_ask)
    known = run.state.find_open(judged.id)
    return find_breach(known, happened, run.project.reviewer, run.state.history)


def unreviewed(bed: Bed, happened: EndedCall) -> str:
    run = bed.run
    return find_breach(None, happened, run.project.reviewer, run.state.history)


def test_what_ran_as_it_was_judged_is_no_breach(bed: Bed) -> None:
    action = bed.bash("ls", "a")
    assert breach_of(bed, action, ran(action)) == ""


def test_what_was_refused_and_ran_is_a_breach(bed: Bed) -> None:
    action = bed.bash("rm -rf /srv/data", "a")
    assert breach_of(bed, action, ran(action)) == "Step 1 was refused, and ran all the same."


def test_what_a_person_let_run_is_no_breach(bed: Bed) -> None:
    action = bed.bash("rm -rf /srv/data", "a")
    assert breach_of(bed, action, ran(action), may_ask=True) == ""


def test_what_a_person_let_run_may_be_changed_but_not_into_anything(bed: Bed) -> None:
    action = bed.bash("rm -rf /srv/data", "a")
    fine, worse = bed.bash("ls /srv/data", "a"), bed.bash("rm -rf /srv/other", "a")
    assert breach_of(bed, action, ran(fine), may_ask=True) == ""
    assert "another input" in breach_of(bed, action, ran(worse), may_ask=True)


def test_what_a_person_let_be_written_may_be_changed_by_them(bed: Bed) -> None:
    asked, edited = (bed.write(Path("/etc/hosts"), "a", text) for text in ("one", "two"))
    assert breach_of(bed, asked, ran(edited), may_ask=True) == ""


def test_a_file_that_a_person_let_be_changed_is_no_breach(bed: Bed) -> None:
    hook = bed.path / ".git" / "hooks" / "pre-commit"
    action = bed.bash(f"echo make > {hook}", "a")
    happened = EndedCall(action, Outcome(True), changed=(str(hook),))
    assert breach_of(bed, action, happened, may_ask=True) == ""


def test_a_rewritten_command_that_ran_rewritten_is_no_breach(bed: Bed) -> None:
    action = bed.bash("rm -rf notes", "a")
    verdict = bed.run.before(action)
    assert verdict.updated_input is not None
    assert (
        breach_of(bed, action, ran(msgspec.structs.replace(action, input=verdict.updated_input)))
        == ""
    )


def test_the_original_of_a_rewritten_command_that_ran_is_a_breach(bed: Bed) -> None:
    """Also when its files are gone, so that a new review would find nothing wrong with it."""
    action = bed.bash("rm -rf notes", "a")
    assert bed.run.before(action).decision is Decision.MODIFY
    (bed.path / "notes" / "plan.md").unlink()
    (bed.path / "notes").rmdir()
    assert bed.run.project.reviewer.review(action).decision is Decision.ALLOW
    said = breach_of(bed, action, ran(action))
    assert said.startswith("Step 1 was to run changed, and ran otherwise. It deletes ")


def test_the_original_is_recognised_in_whatever_folder_it_ended(bed: Bed) -> None:
    action = bed.bash("cd src && rm -rf ../notes", "a")
    moved = msgspec.structs.replace(action, cwd=str(bed.path / "src"))
    assert breach_of(bed, action, ran(moved)).startswith("Step 1 was to run changed")


def test_another_harmless_command_is_no_breach(bed: Bed) -> None:
    assert breach_of(bed, bed.bash("ls", "a"), ran(bed.bash("ls -la", "a"))) == ""


def test_another_command_that_would_have_been_stopped_is_a_breach(bed: Bed) -> None:
    said = breach_of(bed, bed.bash("ls", "a"), ran(bed.bash("rm -rf /srv/data", "a")))
    assert said.startswith("Step 1 ran with another input than was reviewed. It deletes /srv/data")


def test_another_file_that_would_have_been_stopped_is_a_breach(bed: Bed) -> None:
    judged = bed.write(bed.path / "a.txt", "a")
    fine, worse = bed.write(bed.path / "b.txt", "a"), bed.write(bed.path / "handrail.yaml", "a")
    assert breach_of(bed, judged, ran(fine)) == ""
    assert "another input" in breach_of(bed, judged, ran(worse))


def test_a_limit_that_was_reached_since_is_no_breach(bed: Bed) -> None:
    bed.settings("step_reviewer: {max_file_operations: 1}\n")
    judged = bed.write(bed.path / "a.txt", "a")
    assert breach_of(bed, judged, ran(bed.write(bed.path / "b.txt", "a"))) == ""


def test_what_ran_without_review_is_a_breach_only_if_it_would_have_been_stopped(bed: Bed) -> None:
    said = unreviewed(bed, ran(bed.bash("rm -rf /srv/data")))
    assert said.startswith("Bash ran without having been reviewed. It deletes /srv/data")
    assert unreviewed(bed, ran(bed.bash("ls"))) == ""
    assert unreviewed(bed, ran(bed.write(bed.path / "a.txt"))) == ""


def test_what_ran_without_the_checkpoint_that_it_needs_is_a_breach(bed: Bed) -> None:
    unseen = Path("/srv/on/another/machine")
    reviewer = bed.projects.at(str(unseen)).reviewer
    action = bed.bash("rm -rf notes", cwd=unseen)
    assert reviewer.review(action).checkpoint_first
    assert "without having been reviewed" in find_breach(None, ran(action), reviewer, _NO_PAST)


@pytest.mark.parametrize("path", ["handrail.yaml", ".git/hooks/pre-commit"])
def test_a_command_that_turns_out_to_have_changed_a_protected_file_is_a_breach(
    bed: Bed, path: str
) -> None:
    action = bed.bash("make", "a")
    changed = (str(bed.path / "a.txt"), str(bed.path / path))
    said = breach_of(bed, action, EndedCall(action, Outcome(True), changed=changed))
    assert said.startswith(f"It has changed {bed.path / path}. It changes")


def test_a_changed_file_that_nobody_protects_is_no_breach(bed: Bed) -> None:
    action = bed.bash("make", "a")
    happened = EndedCall(action, Outcome(True), changed=(str(bed.path / "a.txt"), "b.txt"))
    assert breach_of(bed, action, happened) == ""


def test_a_rule_against_a_tool_says_nothing_about_files_that_a_command_changed(bed: Bed) -> None:
    bed.settings(
        "step_reviewer: {rules: {custom: [{name: shell-only, decision: block, says: no, "
        "tools: [Write]}]}}\n"
    )
    action = bed.bash("make", "a")
    happened = EndedCall(action, Outcome(True), changed=(str(bed.path / "a.txt"),))
    assert breach_of(bed, action, happened) == ""


def test_only_so_many_changed_files_are_looked_at(bed: Bed) -> None:
    action = bed.bash("make", "a")
    many = tuple(str(bed.path / f"{number}.txt") for number in range(100_000))
    reviewer = CountingReviewer(environ=bed.environ)
    assert (
        find_breach(None, EndedCall(action, Outcome(True), changed=many), reviewer, _NO_PAST) == ""
    )
    assert reviewer.count <= 21


def test_a_command_has_a_fingerprint_and_other_tools_have_none(bed: Bed) -> None:
    ls = bed.bash("ls")
    assert command_name(ls) == command_name(bed.bash("ls", "other", bed.elsewhere))
    assert command_name(ls) != command_name(bed.bash("ls -l"))
    assert command_name(ls, {"command": "ls -l"}) == command_name(bed.bash("ls -l"))
    assert command_name(bed.write(bed.path / "a")) == ""


def test_an_input_without_a_command_has_no_fingerprint() -> None:
    assert command_name(Action("Bash", {})) == ""
    assert command_name(Action("Bash", {"command": 5})) == ""


def test_half_a_character_has_a_fingerprint() -> None:
    assert command_name(Action("Bash", {"command": "echo \ud800"})) != ""
