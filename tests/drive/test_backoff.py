"""How long a busy service is left alone."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.drive.backoff import BACKOFFS, Backoff, service_wait
from handrail.drive.service_problem import ServiceProblem, ServiceProblemKind

NOW = 1_777_800_000.0
OVERLOAD = ServiceProblem(ServiceProblemKind.OVERLOAD)


def test_waits_double_until_the_longest() -> None:
    waits = [Backoff(first=5, most=60).seconds(tries, chance=0) for tries in range(1, 8)]
    assert waits == [5, 10, 20, 40, 60, 60, 60]


def test_chance_takes_away_up_to_half() -> None:
    assert Backoff(first=8, most=60).seconds(1, chance=1) == 4


@given(st.integers(-5, 10**9), st.floats(0, 1), st.sampled_from(list(BACKOFFS.values())))
def test_a_wait_has_bounds_after_any_number_of_tries(
    tries: int, chance: float, backoff: Backoff
) -> None:
    assert backoff.first / 2 <= backoff.seconds(tries, chance) <= backoff.most


@given(st.sampled_from(list(BACKOFFS.values())))
def test_waits_never_get_shorter(backoff: Backoff) -> None:
    waits = [backoff.seconds(tries, chance=0.3) for tries in range(1, 30)]
    assert all(later >= earlier for earlier, later in pairwise(waits))


def test_every_kind_that_goes_away_has_its_waits() -> None:
    assert {kind for kind in ServiceProblemKind if ServiceProblem(kind).is_waited_out} == set(
        BACKOFFS
    )


def test_a_service_that_names_a_moment_is_left_alone_until_then() -> None:
    problem = ServiceProblem(ServiceProblemKind.USAGE_LIMIT, NOW + 3 * 3600)
    assert service_wait(problem, 1, NOW, chance=0) == 3 * 3600
    assert service_wait(problem, 1, NOW, chance=1) == 3 * 3600 + 30  # not all at once


def test_a_short_wait_that_did_not_help_gets_longer() -> None:
    problem = ServiceProblem(ServiceProblemKind.RATE_LIMIT, NOW + 1)
    assert service_wait(problem, 1, NOW, chance=0) == 15
    assert service_wait(problem, 4, NOW, chance=0) == 120


@pytest.mark.parametrize("resume_at", [0.0, NOW - 60, NOW])
def test_a_moment_that_has_passed_does_not_count(resume_at: float) -> None:
    problem = ServiceProblem(ServiceProblemKind.OVERLOAD, resume_at)
    assert service_wait(problem, 1, NOW, chance=0) == service_wait(OVERLOAD, 1, NOW, chance=0) == 5
