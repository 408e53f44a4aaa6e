"""No review goes on for ever."""

import threading
from typing import Any

from handrail.cli.bounded_review import bounded_review
from handrail.model.action import Action
from handrail.model.ordinal import Decision
from handrail.review import Reviewer

LS = Action("Bash", {"command": "ls"}, "/work")


class Endless(Reviewer):
    """A reviewer that does not come back, and swallows what it can."""

    def review(self, *args: object, **kwargs: object) -> Any:
        while True:
            try:
                sum(range(1000))
            except Exception:  # noqa: BLE001 - what a careless rule would do
                continue


def test_a_review_that_does_not_end_is_a_refusal() -> None:
    review = bounded_review(Endless(see_disk=False), LS)
    assert review.decision is Decision.BLOCK
    assert "takes too long" in review.reasons[0]
    assert review.alternative


def test_the_next_review_is_not_disturbed() -> None:
    bounded_review(Endless(see_disk=False), LS)
    reviewer = Reviewer(see_disk=False)
    for _ in range(3):
        assert bounded_review(reviewer, LS).decision is Decision.ALLOW
    assert sum(range(20_000_000)) > 0  # longer than the limit, and nothing is raised


def test_in_another_thread_it_is_a_plain_review() -> None:
    found: list[Decision] = []

    def work() -> None:
        found.append(bounded_review(Reviewer(see_disk=False), LS).decision)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [Decision.ALLOW]
