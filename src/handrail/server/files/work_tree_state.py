"""What the scheduler of checkpoints remembers of work trees and of runs."""

from collections.abc import Callable

import msgspec

CHECKPOINT_SECONDS = 60.0
"""How far apart two checkpoints are at least that are taken only now and then."""
TIDY_EVERY = 20
"""New checkpoints of a project after which it is tidied up."""
_DOUBLINGS = 6


class SaveFailure(msgspec.Struct, frozen=True):
    """Why the files of a run could not be saved, and when."""

    at: float
    says: str
    times: int = 1

    def is_over(self, now: float) -> bool:
        """Whether it is time to try again: each time after twice as long."""
        return abs(now - self.at) >= CHECKPOINT_SECONDS * (1 << min(self.times - 1, _DOUBLINGS))


class WorkTreeState(msgspec.Struct):
    """A work tree, as the runs in it leave it."""

    path: str
    folder: str
    """Where its checkpoints are."""
    working: set[str] = set()
    """Runs in the middle of an iteration."""
    touched: set[str] = set()
    """Runs that have worked since the last checkpoint."""
    saved: float = 0.0
    """When the last one was taken."""
    dirty: bool = True
    """An agent may have changed something since."""
    took: float = 0.0
    """How many seconds that took."""
    new: int = TIDY_EVERY - 1
    """How many since it was tidied up: after the first, what it has borrowed is copied."""
    problem: str = ""
    """Why it could not be tidied up the last time."""
    noted: dict[str, str] = {}
    """By run, the commit of which it was told last."""
    before: dict[str, tuple[int, str]] = {}
    """By run, the step before which one was taken, and after which one is."""
    passed: int = 0
    """How many actions went on because saving took too long for them."""

    def enter(self, run: str) -> None:
        """A run works here."""
        self.working.add(run)
        self.touched.add(run)

    def watch(self) -> Callable[[], bool]:
        """Whether one has gone on since now: what is saved then is not all from before it."""
        passed = self.passed
        return lambda: self.passed != passed
