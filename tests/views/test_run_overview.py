"""A run as a row: its state follows from its last event, and from the time that has passed."""

from typing import Any

from handrail.api.rows.run_rows import run_row
from handrail.model.control import Standing
from handrail.model.desktop import CheckOutcome, DesktopCheck, ScreenStatus
from handrail.tui.panes.run_words import subject
from handrail.views.run_groups import group_of
from handrail.views.run_overview import RunOverview
from handrail.words.run_signs import NEEDS_YOU

NOON = 1_795_000_000.0


def test_a_run_needs_a_person_until_its_last_question_has_expired() -> None:
    run = RunOverview(
        "r", "shop", wants="npm publish", approval="a", questions={"a": NOON, "b": NOON + 60}
    )
    assert [run.state(NOON + at) == NEEDS_YOU for at in (-1, 1, 61)] == [True, True, False]
    assert [run_row(run, NOON + at).questions for at in (-1, 1, 61)] == [2, 1, 0]


def _desktop_run(outcome: CheckOutcome, **facts: Any) -> RunOverview:
    check = DesktopCheck(ScreenStatus.DIALOG, outcome, description="Save changes?")
    given = {"phase": "working", "active": True, "changed": NOON, "desktop": check}
    return RunOverview("r", "shop", **{**given, **facts})


def test_a_desktop_run_watches() -> None:
    run = _desktop_run(CheckOutcome.RECOVERED)
    assert (run.state(NOON), group_of(run, NOON).title, run.need) == ("watching", "working", "")
    assert run.state(NOON + 3600) == "quiet"


def test_a_desktop_run_that_was_given_up_is_stuck_and_needs_a_person_however_long_ago() -> None:
    run = _desktop_run(CheckOutcome.GIVEN_UP)
    assert (run.state(NOON), run.state(NOON + 3600)) == ("stuck", "stuck")
    assert group_of(run, NOON).title == NEEDS_YOU
    assert run_row(run, NOON).needs_you == "its screen is stuck"


def test_a_desktop_run_that_is_paused_or_over_says_so() -> None:
    paused = _desktop_run(CheckOutcome.GIVEN_UP, standing=Standing.PAUSED)
    ended = _desktop_run(CheckOutcome.GIVEN_UP, phase="ended", active=False)
    assert (paused.state(NOON), ended.state(NOON)) == ("paused", "ended")


def test_the_screen_shows_what_a_watch_saw_last_in_place_of_a_goal() -> None:
    run = _desktop_run(CheckOutcome.RECOVERED, goal="replay", last_action="sees a dialog 0.97")
    assert subject(run, NOON) == "sees a dialog 0.97"
    assert subject(_desktop_run(CheckOutcome.GIVEN_UP), NOON) == "its screen is stuck"


def test_a_run_that_cannot_be_read_needs_a_person_and_says_why() -> None:
    run = RunOverview("r", "shop", problem="entry 7 is damaged")
    assert run_row(run, NOON).needs_you == "cannot be read: entry 7 is damaged"


def test_a_run_without_its_driver_says_how_it_goes_on() -> None:
    run = RunOverview("r", "shop-1", phase="working", active=True, driven=True, left=True)
    row = run_row(run, NOON)
    assert (row.state, row.explained) == (
        "interrupted",
        "its driver is gone: handrail run --resume shop-1",
    )
