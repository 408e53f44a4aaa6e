"""The money of a fleet: the cost of all tasks beside its budget."""

import math
from collections.abc import Iterable
from typing import NamedTuple


class FleetBudget(NamedTuple):
    """What all tasks have cost, and what they may cost."""

    spent_usd: float
    budget_usd: float = 0.0
    """0: no limit."""

    @property
    def is_spent(self) -> bool:
        """Return whether nothing is left."""
        return 0 < self.budget_usd <= self.spent_usd

    @property
    def left_usd(self) -> float:
        """Return what is left; infinite without a budget."""
        return max(self.budget_usd - self.spent_usd, 0.0) if self.budget_usd > 0 else math.inf

    @property
    def says(self) -> str:
        """Say it in words; "" without a budget."""
        if self.budget_usd <= 0:
            return ""
        return f"${self.spent_usd:,.2f} of ${self.budget_usd:,.2f} spent"


def fleet_budget(costs_usd: Iterable[float], budget_usd: float) -> FleetBudget:
    """Sum up the costs of all tasks, of those at work too. An unknown cost does not count."""
    known = (cost for cost in costs_usd if math.isfinite(cost) and cost > 0)
    return FleetBudget(math.fsum(known), budget_usd)
