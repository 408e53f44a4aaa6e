"""How well an action fits the goal and the steps before it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.config import Config
from handrail.model.action import Action
from handrail.model.fingerprint import fingerprint
from handrail.model.history import History
from handrail.review.judgment.rationality import NEUTRAL, rationality_of

THRESHOLDS = Config().step_reviewer.rationality
MAKE = Action("Bash", {"command": "make check"}, "/shop")


def edit(path: str) -> Action:
    return Action("Edit", {"file_path": path, "old_string": "a", "new_string": "b"}, "/shop")


def failing(times: int, action: Action = MAKE) -> History:
    history = History()
    for _ in range(times):
        history.remember(fingerprint(action), ok=False)
    return history


# --- failures ----------------------------------------------------------------------------------


@pytest.mark.parametrize("goal", ["", "Make the check pass."])
def test_what_failed_twenty_times_does_not_fit_any_more(goal: str) -> None:
    seen = rationality_of(MAKE, failing(20), goal)
    assert seen.score < THRESHOLDS.low_threshold
    assert "20 times" in seen.issues[0]
    assert seen.suggestions


@pytest.mark.parametrize(
    ("failures", "column"), [(0, "high"), (1, "medium"), (2, "medium"), (3, "low"), (20, "low")]
)
def test_every_column_of_the_matrix_can_be_reached(failures: int, column: str) -> None:
    history = failing(failures)
    history.remember("something else", ok=True)
    score = rationality_of(MAKE, history, "Make the check pass.").score
    reached = "high" if score >= THRESHOLDS.high_threshold else "medium"
    assert column == ("low" if score < THRESHOLDS.medium_threshold else reached)


@given(st.integers(0, 40), st.sampled_from(["", "Fix the login.", "Make the check pass."]))
def test_another_failure_never_makes_it_fit_better(failures: int, goal: str) -> None:
    first, second = (rationality_of(MAKE, failing(count), goal) for count in (1, failures + 1))
    assert second.score <= first.score
    assert 0 <= second.score <= 1


def test_a_change_of_files_is_a_new_start() -> None:
    history = failing(20)
    history.remember("an edit", ok=True, file_operations=1)
    assert rationality_of(MAKE, history, "Make the check pass.").score >= THRESHOLDS.high_threshold


# --- progression -------------------------------------------------------------------------------


def test_the_same_again_is_less_than_something_new_and_falls_with_each_time() -> None:
    history = History()
    scores = []
    for _ in range(5):
        scores.append(rationality_of(MAKE, history, "x").logical_progression)
        history.remember(fingerprint(MAKE), ok=True)
    assert scores == [NEUTRAL, 0.3, 0.2, 0.1, 0.0]
    assert rationality_of(edit("/shop/a.py"), history, "x").logical_progression == 0.7


def test_what_was_done_a_while_ago_may_be_done_again() -> None:
    history = History()
    history.remember(fingerprint(MAKE), ok=True)
    history.remember("an edit", ok=True)
    seen = rationality_of(MAKE, history, "")
    assert seen.logical_progression == 0.7
    assert seen.issues == ()


# --- the goal ----------------------------------------------------------------------------------


def aligned(goal: str, path: str) -> float:
    return rationality_of(edit(path), History(), goal).goal_alignment


@pytest.mark.parametrize(
    ("goal", "path"),
    [
        ("Fix the login bug.", "/shop/src/login.py"),
        ("Fix login", "/shop/src/login_form.py"),
        ("Fix the Login.", "/shop/src/LoginForm.tsx"),
        ("Speed up coupons", "/shop/src/coupon.py"),
        ("Repair HTTP", "/shop/HTTPServer.java"),
    ],
)
def test_one_word_of_a_short_goal_is_enough(goal: str, path: str) -> None:
    assert aligned(goal, path) == 1.0
    assert aligned(goal, "/shop/assets/theme.css") == NEUTRAL


def test_a_long_goal_needs_more_words() -> None:
    goal = "Port the checkout of carts, invoices, refunds, coupons and shipping to the new database"
    assert aligned(goal, "/a/invoice.py") == 0.7
    assert aligned(goal, "/checkout/invoice/refund/shipping.py") == 1.0


@pytest.mark.parametrize("goal", ["", "fix it", "修复登录"])
def test_a_goal_without_words_of_its_own_says_nothing(goal: str) -> None:
    assert aligned(goal, "/shop/login.py") == NEUTRAL


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_goal_and_any_input_have_a_score(goal: str, text: str) -> None:
    seen = rationality_of(Action("Bash", {"command": text}), History(), goal)
    assert 0 <= seen.score <= 1
    assert NEUTRAL <= seen.goal_alignment <= 1
