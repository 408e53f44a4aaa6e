"""How much of a machine's time something may take."""

from collections.abc import Callable
from time import monotonic


class TimeBudget:
    """Seconds that are spent come back with time; who has spent too much has to wait."""

    def __init__(self, share: float, most: float, clock: Callable[[], float] = monotonic) -> None:
        """`share`: seconds that come back in a second; `most`: how many may be spent at once."""
        self._share = share
        self._most = most
        self._clock = clock
        self._spent = 0.0
        self._at = clock()

    def spend(self, seconds: float) -> None:
        """So much was used."""
        self._spent = self._left_over() + seconds

    def is_over(self) -> bool:
        """Whether nothing more should be spent now."""
        return self._left_over() > self._most

    def _left_over(self) -> float:
        now = self._clock()
        self._spent = max(0.0, self._spent - max(0.0, now - self._at) * self._share)
        self._at = now
        return self._spent
