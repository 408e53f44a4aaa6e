"""The scheduler's memory of work trees and of runs."""

from collections.abc import Callable

import msgspec

CHECKPOINT_SECONDS = 60.0
"""The least seconds between two optional checkpoints."""
TIDY_EVERY = 20
"""How many new checkpoints of a project lead to a tidying."""
_DOUBLINGS = 6


class SaveFailure(msgspec.Struct, frozen=True):
    """Why a save of a run's files failed, and when."""

    at: float
    says: str
    times: int = 1

    def is_over(self, now: float) -> bool:
        """Return whether it is time to try again; each wait is twice as long as the last."""
        return abs(now - self.at) >= CHECKPOINT_SECONDS * (1 << min(self.times - 1, _DOUBLINGS))


class WorkTreeState(msgspec.Struct):
    """A work tree and the runs in it."""

    path: str
    folder: str
    """The folder of its checkpoints."""
    working: set[str] = set()
    """Runs in the middle of an iteration."""
    touched: set[str] = set()
    """Runs that worked since the last checkpoint."""
    saved: float = 0.0
    """When the last checkpoint was taken."""
    dirty: bool = True
    """Whether an agent may have changed something since."""
    took: float = 0.0
    """How many seconds the last checkpoint took."""
    new: int = TIDY_EVERY - 1
    """Checkpoints since the last tidying; the first one copies the borrowed objects at once."""
    problem: str = ""
    """Why the last tidying failed."""
    noted: dict[str, str] = {}
    """The last commit that each run knows of."""
    before: dict[str, tuple[int, str]] = {}
    """The step before which each run had a checkpoint, so that one follows after it."""
    passed: int = 0
    """How many actions went ahead because saving took too long."""

    def enter(self, run: str) -> None:
        """Note that a run works here."""
        self.working.add(run)
        self.touched.add(run)

    def watch(self) -> Callable[[], bool]:
        """Return a function that tells whether an action went ahead unsaved since now."""
        passed = self.passed
        return lambda: self.passed != passed
