"""Whether the work is whole when it is handed over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.model.action import Action
from handrail.model.history import History
from handrail.model.unfinished_work import goal_parts, placeholder_left, untouched
from handrail.review.judgment.completeness import completeness, unfinished

GOAL = "Fix the login redirect and add a changelog entry"


def bash(command: str) -> Action:
    return Action("Bash", {"command": command}, "/p")


@pytest.mark.parametrize("command", ["git commit -m x", "git push", "gh pr create --fill"])
def test_edits_without_a_test_are_incomplete_when_handed_over(command: str) -> None:
    found = completeness(bash(command), History(unverified=2))
    assert found.score == 0.7
    assert found.issue == "no test or check has run since 2 edits"
    assert completeness(bash(command), History()).score == 1


@pytest.mark.parametrize("command", ["git status", "ls", "grep -rn commit .", "git log --oneline"])
def test_other_steps_hand_nothing_over(command: str) -> None:
    assert completeness(bash(command), History(unverified=2)).score == 1


def test_a_commit_may_hold_a_part_of_the_goal_and_a_push_may_not() -> None:
    half = History(open_parts=goal_parts(GOAL))
    assert completeness(bash("git commit -m x"), half).score == 1
    assert "login redirect" in completeness(bash("git push"), half).issue


def test_each_gap_costs_and_all_are_named() -> None:
    history = History(unverified=1, open_parts=goal_parts(GOAL))
    history.note_placeholder("/p/app.py", "TODO")
    assert completeness(bash("git push"), history).score == 0.1
    assert unfinished(history) == (
        "no test or check has run since an edit",
        "app.py still says `TODO`",
        "no step was for a part of the goal: Fix the login redirect",
    )


@pytest.mark.parametrize(
    ("goal", "parts"),
    [
        (GOAL, ["Fix the login redirect", "add a changelog entry"]),
        ("Do this:\n1. parse dates\n2. print totals\n", ["parse dates", "print totals"]),
        ("- parse dates\n- print totals", ["parse dates", "print totals"]),
        ("Fix the login and the logout", []),
        ("Search and replace foo", []),
        ("go on", []),
        ("", []),
    ],
)
def test_a_goal_has_parts_only_if_it_clearly_asks_for_several(goal: str, parts: list[str]) -> None:
    assert [part.says for part in goal_parts(goal)] == parts


def test_a_part_is_touched_by_a_step_with_one_of_its_words() -> None:
    parts = goal_parts(GOAL)
    write = Action("Edit", {"file_path": "/p/CHANGELOG.md", "old_string": "", "new_string": "x"})
    assert [part.says for part in untouched(parts, write)] == ["Fix the login redirect"]


@pytest.mark.parametrize(
    ("path", "text", "replaced", "sign"),
    [
        ("/p/a.py", "def f():\n    raise NotImplementedError\n", "", "NotImplementedError"),
        ("/p/a.ts", "// ... existing code ...", "", "existing code"),
        ("/p/a.py", "# TODO later\nx = 2", "# TODO later\nx = 1", ""),
        ("/p/notes.md", "TODO: buy milk", "", ""),
        ("/p/a.py", "done = True", "", ""),
    ],
)
def test_a_placeholder_is_new_text_in_a_program(
    path: str, text: str, replaced: str, sign: str
) -> None:
    assert placeholder_left(path, text, replaced) == sign


@given(st.text(max_size=300))
def test_any_goal_can_be_read(goal: str) -> None:
    for part in goal_parts(goal):
        assert part.words
        assert part.says in goal
