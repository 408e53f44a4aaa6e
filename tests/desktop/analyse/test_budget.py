"""The calls and the money of a session."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.desktop.analyse.budget import VisionBudget
from handrail.desktop.errors import AnalysisError


def test_the_bill_replaces_the_estimate() -> None:
    budget = VisionBudget(10, 1.0)
    with budget.call(0.5) as charge:
        charge.cost_usd = 0.1
    assert (budget.calls, budget.cost_usd) == (1, 0.1)


def test_without_a_bill_the_estimate_counts() -> None:
    budget = VisionBudget(10, 1.0)
    with pytest.raises(OSError, match="lost"), budget.call(0.5):
        raise OSError("lost")
    assert budget.cost_usd == 0.5


def test_money_of_a_call_under_way_is_held_back() -> None:
    budget = VisionBudget(10, 1.0)
    with budget.call(0.6), pytest.raises(AnalysisError, match="the budget is spent"):
        budget.call(0.6).__enter__()
    assert budget.calls == 1


def test_a_budget_of_nothing_allows_nothing() -> None:
    assert VisionBudget(0, 1.0).why_spent(0.1) == "the budget is spent: 0 of 0 calls"
    assert "$0.0000 of $0.00" in VisionBudget(1, 0.0).why_spent(0.1)


@given(
    st.integers(0, 8),
    st.floats(0, 2),
    st.lists(st.tuples(st.floats(0.001, 1), st.floats(0, 1)), max_size=20),
)
def test_no_sequence_of_calls_exceeds_the_budget(
    calls: int, money: float, costs: list[tuple[float, float]]
) -> None:
    budget = VisionBudget(calls, money)
    for estimate, share in costs:
        try:
            with budget.call(estimate) as charge:
                charge.cost_usd = estimate * share
        except AnalysisError:
            continue
    assert budget.calls <= calls
    assert budget.cost_usd <= money + 1e-9


def test_many_threads_share_one_budget() -> None:
    budget = VisionBudget(50, 100.0)
    start = threading.Barrier(8)
    refused: list[str] = []

    def spend() -> None:
        start.wait()
        for _ in range(20):
            try:
                with budget.call(0.01) as charge:
                    charge.cost_usd = 0.005
            except AnalysisError as error:
                refused.append(str(error))

    threads = [threading.Thread(target=spend) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (budget.calls, len(refused)) == (50, 110)
    assert budget.cost_usd == pytest.approx(0.25)
