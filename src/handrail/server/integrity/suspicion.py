"""A loss that was seen, from the first look at it until it is settled."""

from collections import deque

from handrail.server.integrity.parts import Loss
from handrail.server.integrity.watcher import Stamp

QUIET_SECONDS = 1.0
"""For so long a file must not change before it is judged: editors and tools write in steps."""
_PATIENCE = 10.0
"""A file that is changed all the time is judged after so long, and not rewritten."""
_MAX_REPAIRS = 2
_REPAIR_SECONDS = 600.0


class Suspicion:
    """One loss, and since when its file has been quiet."""

    def __init__(self, loss: Loss, stamp: Stamp, moment: float, now: float) -> None:
        """`moment`: when the file was changed, by the clock; `now`: in monotonic time."""
        self.loss = loss
        self.moment = moment
        self.is_settled = False
        self._stamp = stamp
        self._first = self._quiet = now

    def see(self, loss: Loss, stamp: Stamp, now: float) -> None:
        """It is still there."""
        self.loss = loss
        if stamp != self._stamp:
            self._stamp, self._quiet = stamp, now

    def is_quiet(self, now: float) -> bool:
        """Whether the file may be rewritten."""
        return now - self._quiet >= QUIET_SECONDS

    def is_due(self, now: float) -> bool:
        """Whether it is time to judge."""
        return self.is_quiet(now) or now - self._first >= _PATIENCE

    def due_in(self, now: float) -> float:
        """Seconds until then."""
        return max(0.0, self._quiet + QUIET_SECONDS - now)


class RepairLimit:
    """At most two repairs of a file in ten minutes: after that, another tool owns it."""

    def __init__(self) -> None:
        self._done: dict[str, deque[float]] = {}

    def allows(self, path: str, now: float) -> bool:
        """Whether a file may be rewritten once more."""
        done = self._done.get(path, deque())
        while done and now - done[0] >= _REPAIR_SECONDS:
            done.popleft()
        return len(done) < _MAX_REPAIRS

    def count(self, path: str, now: float) -> None:
        """A file was rewritten."""
        self._done.setdefault(path, deque()).append(now)
