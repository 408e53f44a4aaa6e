"""The cost of all tasks beside the budget of the fleet."""

import math

import pytest

from handrail.fleet.budget import fleet_budget


def test_without_a_budget_nothing_is_ever_spent() -> None:
    budget = fleet_budget([5.0, 1000.0], 0)
    assert not budget.is_spent
    assert budget.left_usd == math.inf
    assert budget.says == ""


@pytest.mark.parametrize(
    ("costs", "spent", "left"),
    [([], False, 10.0), ([4.0, 5.99], False, 0.01), ([5.0, 5.0], True, 0.0), ([99.0], True, 0.0)],
)
def test_a_budget_is_spent_when_all_tasks_together_reach_it(
    costs: list[float], spent: bool, left: float
) -> None:
    budget = fleet_budget(costs, 10)
    assert budget.is_spent is spent
    assert budget.left_usd == pytest.approx(left)


def test_a_budget_may_be_less_than_a_dollar() -> None:
    budget = fleet_budget([0.1], 0.25)
    assert not budget.is_spent
    assert budget.left_usd == pytest.approx(0.15)
    assert budget.says == "$0.10 of $0.25 spent"
    assert fleet_budget([0.2, 0.05], 0.25).is_spent


def test_ten_times_ten_cents_are_a_dollar() -> None:
    assert fleet_budget([0.1] * 10, 1.0).is_spent


def test_a_cost_that_nobody_knows_does_not_count() -> None:
    budget = fleet_budget([math.nan, math.inf, -3.0, 2.0], 10)
    assert budget.spent_usd == 2.0
    assert budget.says == "$2.00 of $10.00 spent"
