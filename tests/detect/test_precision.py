"""How often findings were right."""

from handrail.detect.precision import FeedbackTally, Precision, precision_of
from handrail.model.event import FeedbackGiven, PromptGiven


def said(finding: str, step: int = 3, *, right: bool) -> FeedbackGiven:
    return FeedbackGiven(1.0, step, right, finding=finding)


def test_precision_is_the_share_that_was_confirmed() -> None:
    precision = precision_of(
        [
            said("goal_drift", 3, right=True),
            said("goal_drift", 5, right=False),
            PromptGiven(1.0, "go on"),
            said("goal_drift", 7, right=True),
            said("goal_drift", 9, right=True),
            said("scope_creep", right=False),
        ]
    )
    assert precision.kinds["goal_drift"].precision == 0.75
    assert precision.kinds["goal_drift"].confirmed == 3
    assert precision.kinds["scope_creep"].precision == 0
    assert precision.kinds["scope_creep"].false_alarms == 1


def test_of_one_finding_the_last_word_counts() -> None:
    precision = Precision()
    for run, right in (("r1", False), ("r1", True), ("r1", True), ("r2", True)):
        precision.take(said("loop", right=right), run)
    assert precision.kinds == {"loop": FeedbackTally(confirmed=2)}


def test_feedback_on_a_verdict_is_none_on_a_finding() -> None:
    assert precision_of([said("", right=True)]) == Precision()


def test_nothing_said_is_no_precision() -> None:
    assert FeedbackTally().precision is None
