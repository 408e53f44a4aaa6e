"""A budget of machine time."""

from collections.abc import Callable
from time import monotonic


class TimeBudget:
    """A budget that refills with time: after overspending, nothing may be spent for a while."""

    def __init__(self, share: float, most: float, clock: Callable[[], float] = monotonic) -> None:
        """`share`: seconds that come back per second; `most`: seconds that can be spent at once."""
        self._share = share
        self._most = most
        self._clock = clock
        self._spent = 0.0
        self._at = clock()

    def spend(self, seconds: float) -> None:
        """Take seconds out of the budget."""
        self._spent = self._left_over() + seconds

    def is_over(self) -> bool:
        """Return whether the budget is used up for now."""
        return self._left_over() > self._most

    def _left_over(self) -> float:
        now = self._clock()
        self._spent = max(0.0, self._spent - max(0.0, now - self._at) * self._share)
        self._at = now
        return self._spent
