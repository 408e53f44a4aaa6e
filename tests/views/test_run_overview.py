"""A run as a row: its state follows from its last event, and from the time that has passed."""

from handrail.api.rows.run_rows import run_row
from handrail.views.run_overview import RunOverview
from handrail.words.run_signs import NEEDS_YOU

NOON = 1_795_000_000.0


def test_a_run_needs_a_person_until_its_last_question_has_expired() -> None:
    run = RunOverview(
        "r", "shop", wants="npm publish", approval="a", questions={"a": NOON, "b": NOON + 60}
    )
    assert [run.state(NOON + at) == NEEDS_YOU for at in (-1, 1, 61)] == [True, True, False]
    assert [run_row(run, NOON + at).questions for at in (-1, 1, 61)] == [2, 1, 0]
