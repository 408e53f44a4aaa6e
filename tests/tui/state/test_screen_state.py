"""Which run is chosen, and that nothing but a key chooses another one."""

import pytest

from handrail.model.control import Standing
from handrail.tui.state.screen_state import ScreenState
from handrail.views.log_view import LogView
from handrail.views.run_overview import RunOverview

NOW = 1000.0
A, B, C = (
    RunOverview(name, f"{name}-run", Standing.RUNNING, "working", True, started=at, changed=NOW)
    for name, at in (("a", 3.0), ("b", 2.0), ("c", 1.0))
)
URGENT = RunOverview("u", "u-run", Standing.RUNNING, "working", True, incident="i", changed=NOW)


@pytest.fixture
def watching() -> ScreenState:
    return ScreenState(lambda: NOW)


def test_the_first_run_is_chosen_as_long_as_runs_are_read(watching: ScreenState) -> None:
    watching.show_view(LogView((C,), loading=2))
    assert watching.chosen == "c"
    watching.show_view(LogView((C, B, A), loading=1))
    assert watching.chosen == "a"


def test_a_key_settles_the_choice_while_runs_are_read(watching: ScreenState) -> None:
    watching.show_view(LogView((C,), loading=2))
    watching.settle()
    watching.show_view(LogView((A, B, C), loading=1))
    assert watching.chosen == "c"


def test_a_run_that_comes_later_or_needs_somebody_does_not_take_the_choice(
    watching: ScreenState,
) -> None:
    watching.show_view(LogView((B, C)))
    watching.show_view(LogView((A, B, C, URGENT)))
    assert watching.runs[0] == URGENT
    assert watching.chosen == "b"


def test_where_the_chosen_run_is_gone_another_one_is_chosen(watching: ScreenState) -> None:
    watching.show_view(LogView((A, B)))
    watching.show_view(LogView((B, C)))
    assert watching.chosen == "b"
    watching.show_view(LogView())
    assert (watching.chosen, watching.run) == ("", None)


def test_runs_that_are_over_come_last(watching: ScreenState) -> None:
    over = RunOverview("o", "o-run", Standing.DONE, started=9.0)
    watching.show_view(LogView((over, C, A)))
    assert [run.id for run in watching.runs] == ["a", "c", "o"]
