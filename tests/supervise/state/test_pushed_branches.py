"""A branch that a run has made on a remote may be deleted by it again."""

import pytest

from handrail.config import Config
from handrail.model.action import Action, Outcome
from handrail.model.effect import Kind
from handrail.model.history import History
from handrail.model.intent import Intent
from handrail.review import Reviewer
from handrail.supervise.state.pushed_branches import new_branches

PUSHED = """remote: Create a pull request for 'fix/cart' on the forge.
To git.example.org:shop.git
 * [new branch]      fix/cart -> fix/cart
branch 'fix/cart' set up to track 'origin/fix/cart'."""
PUSH = Intent("Bash", "git push -u origin fix/cart", "git push", kinds=(Kind.PUBLISH,))


def stops(command: str, *branches: str) -> bool:
    reviewer = Reviewer(Config(scope=("/w/shop",)), environ={"HOME": "/home/me"}, see_disk=False)
    history = History(branches=set(branches))
    return reviewer.review(Action("Bash", {"command": command}, "/w/shop"), history).decision.stops


def test_git_says_which_branches_are_new() -> None:
    assert list(new_branches(PUSH, Outcome(True, 0, PUSHED))) == ["fix/cart"]


@pytest.mark.parametrize(
    "said",
    [
        " * [new tag]         v1 -> v1",
        "   1f2e3d..4c5b6a  fix/cart -> fix/cart",
        " * [new branch]      main -> main",
        " * [new branch]      x -> release/2.3",
    ],
)
def test_other_branches_stay_those_of_others(said: str) -> None:
    assert list(new_branches(PUSH, Outcome(True, 0, said))) == []


def test_only_a_push_makes_a_branch_on_a_remote() -> None:
    talk = Intent("Bash", "cat notes", "cat notes", kinds=(Kind.READ,))
    assert list(new_branches(talk, Outcome(True, 0, PUSHED))) == []


@pytest.mark.parametrize(
    "command",
    [
        "git push origin --delete fix/cart",
        "git push -d origin fix/cart",
        "git push origin :fix/cart",
        "git push origin :refs/heads/fix/cart",
    ],
)
def test_the_run_may_delete_what_it_made_and_nothing_else(command: str) -> None:
    assert not stops(command, "fix/cart")
    assert stops(command)
    assert stops(command, "fix/other")
    assert stops(f"{command} main", "fix/cart")


def test_its_own_branch_is_not_deleted_without_care_here() -> None:
    assert stops("git branch -D fix/cart", "fix/cart")
