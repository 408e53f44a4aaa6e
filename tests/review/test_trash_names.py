"""The trash takes any id that a host gives to a call."""

import pytest

from handrail.model import Action, Decision

from .conftest import ReviewProject


@pytest.mark.parametrize("key", ["", "toolu_01Vq8mTaQ", "CALL-7", "../../x", "é", "a" * 500])
def test_a_deletion_goes_to_the_trash_whatever_the_call_is_called(
    project: ReviewProject, key: str
) -> None:
    action = Action("Bash", {"command": "rm -rf notes"}, str(project.path), id=key)
    review = project.reviewer.review(action)
    assert review.decision is Decision.MODIFY
    assert review.rewrite is not None
