"""Which run is chosen, and that nothing but a key chooses another one."""

import pytest

from handrail.model.control import Standing
from handrail.tui.overview import Overview
from handrail.tui.view import View
from handrail.tui.watching import Watching

NOW = 1000.0
A, B, C = (
    Overview(name, f"{name}-run", Standing.RUNNING, "working", True, started=at, changed=NOW)
    for name, at in (("a", 3.0), ("b", 2.0), ("c", 1.0))
)
URGENT = Overview("u", "u-run", Standing.RUNNING, "working", True, incident="i", changed=NOW)


@pytest.fixture
def watching() -> Watching:
    return Watching(lambda: NOW)


def test_the_first_run_is_chosen_as_long_as_runs_are_read(watching: Watching) -> None:
    watching.take(View((C,), loading=2))
    assert watching.chosen == "c"
    watching.take(View((C, B, A), loading=1))
    assert watching.chosen == "a"


def test_a_key_settles_the_choice_while_runs_are_read(watching: Watching) -> None:
    watching.take(View((C,), loading=2))
    watching.settle()
    watching.take(View((A, B, C), loading=1))
    assert watching.chosen == "c"


def test_a_run_that_comes_later_or_needs_somebody_does_not_take_the_choice(
    watching: Watching,
) -> None:
    watching.take(View((B, C)))
    watching.take(View((A, B, C, URGENT)))
    assert watching.runs[0] == URGENT
    assert watching.chosen == "b"


def test_where_the_chosen_run_is_gone_another_one_is_chosen(watching: Watching) -> None:
    watching.take(View((A, B)))
    watching.take(View((B, C)))
    assert watching.chosen == "b"
    watching.take(View())
    assert (watching.chosen, watching.run, watching.entry) == ("", None, None)


def test_runs_that_are_over_come_last(watching: Watching) -> None:
    over = Overview("o", "o-run", Standing.DONE, started=9.0)
    watching.take(View((over, C, A)))
    assert [run.id for run in watching.runs] == ["a", "c", "o"]
