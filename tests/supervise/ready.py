"""What is decided at once."""

from typing import TypeVar

from handrail.supervise.decision.decision_progress import DecisionProgress, Ready

T = TypeVar("T")


def ready(progress: DecisionProgress[T]) -> Ready[T]:
    """A decision for which nothing has to be waited but the log."""
    assert isinstance(progress, Ready)
    return progress
