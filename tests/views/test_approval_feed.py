"""What a person sees of a question: the action, why, what it would do, and the last test run."""

from pathlib import Path

import pytest

from handrail.model.event import RunStarted
from handrail.views.approval_feed import ApprovalFeed, ApprovalView
from tests.supervise.supervision_setup import ran
from tests.supervise.test_approvals import ApprovalSetup
from tests.supervise.test_held_refusals import HOLDS, REFUSED


@pytest.fixture
def bed(tmp_path: Path) -> ApprovalSetup:
    bed = ApprovalSetup(tmp_path)
    bed.settings(HOLDS)
    bed.run.record(RunStarted(bed.clock(), "claude", str(bed.path)))
    return bed


def views(bed: ApprovalSetup, feed: ApprovalFeed | None = None) -> list[ApprovalView]:
    return (feed or ApprovalFeed()).all(bed.log, bed.clock())


@pytest.mark.parametrize(("ok", "how"), [(True, "passed"), (False, "failed")])
def test_a_question_tells_how_the_last_test_run_ended(
    bed: ApprovalSetup, ok: bool, how: str
) -> None:
    for command, went in (("pytest -q", not ok), ("pytest -q tests", ok), ("ls", True)):
        bed.run.before(bed.bash(command, command))
        bed.run.after(ran(bed.bash(command, command), ok=went))
    bed.run.before(bed.bash(REFUSED))
    [view] = views(bed)
    assert view.tests.startswith(f"{how} at ")


def test_paths_are_short_and_nothing_is_said_about_tests_that_never_ran(bed: ApprovalSetup) -> None:
    bed.run.before(bed.bash(REFUSED))
    [view] = views(bed)
    assert (view.tests, view.standing(bed.clock())) == ("", "waiting")
    assert str(bed.path) not in view.would
    assert view.why
    assert view.editable


def test_questions_come_first_the_oldest_first_and_used_ones_stay_for_a_while(
    bed: ApprovalSetup,
) -> None:
    feed = ApprovalFeed()
    for number in range(3):
        bed.run.before(bed.bash(f"{REFUSED} --tag t{number}"))
        bed.clock.advance(1)
        views(bed, feed)
    bed.answer(approved=True)
    assert bed.run.before(bed.bash(f"{REFUSED} --tag t2")).decision.value == "warn"
    found = views(bed, feed)
    assert [each.approval.says[-2:] for each in found] == ["t0", "t1", "t2"]
    assert [each.standing(bed.clock()) for each in found] == ["waiting", "waiting", "approved"]
    assert found == views(bed)  # as somebody sees it who looks for the first time
    first = found[0].approval.id
    assert feed.find(bed.log, first, bed.clock()) == found[0]
    assert feed.find(bed.log, "none", bed.clock()) is None
    bed.clock.advance(1440 * 60)
    assert [each.standing(bed.clock()) for each in views(bed, feed)][-1] == "expired"
