"""How often a session may ask a model, and for how much money."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from handrail.desktop.errors import AnalysisError


class VisionCharge:
    """The cost of one call, from its estimate to its bill."""

    def __init__(self, estimate: float) -> None:
        """`estimate` is the most that the call can cost."""
        self.cost_usd = estimate
        """What the call counts for; set it when the bill is known."""


class VisionBudget:
    """The calls and the money of one session. Used from several threads."""

    def __init__(self, max_calls: int, max_cost_usd: float) -> None:
        """Both limits hold for the session together."""
        self.max_calls = max_calls
        self.max_cost_usd = max_cost_usd
        self._lock = threading.Lock()
        self._calls = 0
        self._cost_usd = 0.0
        self._reserved = 0.0

    @property
    def calls(self) -> int:
        """The number of calls so far."""
        return self._calls

    @property
    def cost_usd(self) -> float:
        """The cost of the calls that are over."""
        return self._cost_usd

    @contextmanager
    def call(self, estimate: float) -> Iterator[VisionCharge]:
        """Count a call, and hold back its money until it is over.

        The estimate counts in full unless the caller sets `cost_usd` to the bill: nobody knows
        what an unanswered call costs. Raises AnalysisError if the budget does not allow the call.
        """
        with self._lock:
            self._check(estimate)
            self._calls += 1
            self._reserved += estimate
        charge = VisionCharge(estimate)
        try:
            yield charge
        finally:
            with self._lock:
                self._reserved -= estimate
                self._cost_usd += charge.cost_usd

    def why_spent(self, estimate: float) -> str:
        """Return why a call is not possible any more, or "" if it is."""
        if self._calls >= self.max_calls:
            return f"the budget is spent: {self._calls} of {self.max_calls} calls"
        if self._cost_usd + self._reserved + estimate > self.max_cost_usd:
            return (
                f"the budget is spent: ${self._cost_usd + self._reserved:.4f} of "
                f"${self.max_cost_usd:.2f}, and a call may cost ${estimate:.4f}"
            )
        return ""

    def _check(self, estimate: float) -> None:
        if problem := self.why_spent(estimate):
            raise AnalysisError(problem)
