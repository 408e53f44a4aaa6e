"""What a run remembers of its steps, for the review of the next one."""

from handrail.model.action import Action, Outcome
from handrail.model.event import ActionEnded, ActionReviewed, Event, PromptGiven
from handrail.model.history import History
from handrail.model.review import Review
from handrail.review import Reviewer
from handrail.review.judgment.completeness import unfinished
from handrail.supervise.decision.verdict import verdict_of
from handrail.supervise.state.run_state import RunState


def ran(*calls: Action, ok: bool = True, goal: str = "") -> History:
    state, reviewer = RunState("r"), Reviewer(see_disk=False)
    events: list[Event] = [PromptGiven(0.0, goal)] if goal else []
    for step, action in enumerate(calls, 1):
        review: Review = reviewer.review(action)
        events.append(ActionReviewed(1.0, step, action.id, action, review, verdict_of(review, 0)))
        events.append(ActionEnded(2.0, step, Outcome(ok)))
    for event in events:
        state.apply(event)
    return state.history


def write(text: str, path: str = "/p/app.py") -> Action:
    return Action("Write", {"file_path": path, "content": text}, "/p")


def bash(command: str) -> Action:
    return Action("Bash", {"command": command}, "/p")


def test_edits_of_programs_wait_for_a_check() -> None:
    assert ran(write("x = 1"), write("x = 2")).unverified == 2
    assert ran(write("x = 1"), bash("pytest -q")).unverified == 0
    assert ran(write("x = 1"), bash("make lint")).unverified == 0
    assert ran(write("x = 1"), bash("git status")).unverified == 1
    assert ran(write("words", "/p/README.md")).unverified == 0
    assert ran(write("x = 1"), ok=False).unverified == 0


def test_a_placeholder_is_open_until_it_is_replaced() -> None:
    gap = write("def f():\n    pass  # TODO\n")
    done = Action(
        "Edit",
        {"file_path": "/p/app.py", "old_string": "pass  # TODO", "new_string": "return 1"},
        "/p",
    )
    other = Action(
        "Edit", {"file_path": "/p/app.py", "old_string": "def f", "new_string": "def g"}, "/p"
    )
    assert ran(gap).placeholders == {"/p/app.py": "TODO"}
    assert ran(gap, other).placeholders == {"/p/app.py": "TODO"}
    assert ran(gap, done).placeholders == {}
    assert ran(gap, write("def f(): return 1")).placeholders == {}


def test_the_parts_of_a_goal_are_open_until_a_step_is_for_them() -> None:
    goal = "Fix the login redirect and add a changelog entry"
    half = ran(write("login = redirect"), bash("pytest"), goal=goal)
    assert unfinished(half) == ("no step was for a part of the goal: add a changelog entry",)
    whole = ran(write("login"), write("x", "/p/CHANGELOG.md"), bash("pytest"), goal=goal)
    assert unfinished(whole) == ()


def test_the_last_steps_are_kept_with_their_files() -> None:
    history = ran(*[write("x", f"/p/{index}.py") for index in range(20)])
    assert len(history.steps) == 12
    assert history.steps[-1].paths == ("/p/19.py",)
