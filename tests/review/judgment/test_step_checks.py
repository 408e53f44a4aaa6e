"""How a step follows from the steps before it."""

import pytest

from handrail.model.action import Action
from handrail.model.fingerprint import fingerprint, text_key
from handrail.model.history import History, RecentStep
from handrail.review.judgment.step_checks import efficiency, progression


def bash(command: str) -> Action:
    return Action("Bash", {"command": command}, "/p")


def edit(old: str, new: str, path: str = "/p/app.py") -> Action:
    return Action("Edit", {"file_path": path, "old_string": old, "new_string": new}, "/p")


def past(*steps: RecentStep, names: tuple[str, ...] = ()) -> History:
    recent = list(names) or [f"step {index}" for index in range(len(steps))]
    return History(recent=recent, steps=list(steps))


def edited(old: str, new: str, path: str = "/p/app.py") -> RecentStep:
    return RecentStep(path, (path,), changed=True, before=text_key(old), after=text_key(new))


def score(action: Action, history: History) -> float:
    return progression(action, fingerprint(action), history).score


def test_a_step_with_a_file_of_an_earlier_one_builds_on_it() -> None:
    assert (
        score(bash("pytest tests/test_app.py"), past(RecentStep("", ("/p/tests/test_app.py",))))
        == 1
    )


def test_a_step_that_names_nothing_known_goes_a_new_way() -> None:
    assert score(bash("ls docs"), past(RecentStep("", ("/p/app.py",)))) == 0.7


def test_the_last_step_once_more_repeats_it() -> None:
    again = bash("git status")
    found = progression(
        again, fingerprint(again), past(RecentStep(""), names=(fingerprint(again),))
    )
    assert found == (0.3, "the same action was just done", "Use the result that is already there.")


def test_an_older_step_repeats_only_while_nothing_changed() -> None:
    again = bash("cat app.py")
    names = (fingerprint(again), "other")
    looked = past(RecentStep("cat app.py", ("/p/app.py",)), RecentStep("ls"), names=names)
    assert score(again, looked) == 0.3
    wrote = past(RecentStep("cat app.py", ("/p/app.py",)), edited("a", "b"), names=names)
    assert score(again, wrote) == 1


def test_an_edit_that_reverses_the_last_edit_of_the_file_contradicts_it() -> None:
    found = progression(edit("b", "a"), "x", past(edited("a", "b"), RecentStep("ls")))
    assert found.score == 0
    assert "takes back" in found.issue
    assert "/p/app.py" in found.issue


@pytest.mark.parametrize(
    "later",
    [edit("b", "c"), edit("b", "a", "/p/other.py"), edit("a", "b")],
    ids=["another text", "another file", "the same way"],
)
def test_other_edits_do_not(later: Action) -> None:
    assert score(later, past(edited("a", "b"))) > 0


def test_a_failed_edit_is_not_taken_back() -> None:
    failed = RecentStep("", ("/p/app.py",), ok=False, before=text_key("a"), after=text_key("b"))
    assert score(edit("b", "a"), past(failed)) > 0


@pytest.mark.parametrize(
    ("done", "command", "contradicts"),
    [
        ("pip install requests", "pip uninstall -y requests", True),
        ("npm install --save left-pad", "npm remove left-pad", True),
        ("pip install requests-mock", "pip uninstall -y requests", False),
        ("npm install left-pad", "pip uninstall left-pad", False),
        ("docker compose up -d", "docker compose down", False),
    ],
)
def test_removing_what_was_just_installed_contradicts(
    done: str, command: str, contradicts: bool
) -> None:
    assert (score(bash(command), past(RecentStep(done))) == 0) is contradicts


@pytest.mark.parametrize(
    ("before", "command", "is_wasteful"),
    [
        ("make test | tail -5", "make test | tail -50", True),
        ("make test 2>&1 | tail -5", "make test 2>&1 | grep Error", True),
        ("make test", "make lint | tail -5", False),
        ("git log | head -5", "git log | head -50", False),
        ("ls", "find / -name x", True),
        ("ls", "grep -rn token /", True),
        ("ls", "find . -name x", False),
    ],
)
def test_a_shorter_way_is_named(before: str, command: str, is_wasteful: bool) -> None:
    found = efficiency(bash(command), past(RecentStep(before)))
    assert (found.score < 1) is is_wasteful
    assert bool(found.suggestion) is is_wasteful


def test_the_same_program_again_after_an_edit_is_no_waste() -> None:
    steps = past(RecentStep("make test | tail -5"), edited("a", "b"))
    assert efficiency(bash("make test | tail -50"), steps).score == 1
