"""Who holds the worker: it goes on only when nobody does."""

import threading
from enum import Enum

from handrail.desktop.watch.worker import DesktopWorker


class HoldReason(Enum):
    """Why a worker stands still."""

    RUN = "a person holds the run"
    TROUBLE = "something on the screen is in its way"


class WorkerHold:
    """Pauses and resumes a worker for several reasons at once; for any thread."""

    def __init__(self, worker: DesktopWorker) -> None:
        self._worker = worker
        self._reasons: set[HoldReason] = set()
        self._lock = threading.Lock()

    def hold(self, reason: HoldReason, seconds: float) -> bool:
        """Pause the worker; return whether it stands still within the time.

        If it does not, it stops at its next safe point, unless it is released before.
        """
        with self._lock:
            self._reasons.add(reason)
        return self._worker.pause(seconds)

    def release(self, reason: HoldReason) -> None:
        """Let the worker go on, unless there is another reason."""
        with self._lock:
            held = reason in self._reasons
            self._reasons.discard(reason)
            if held and not self._reasons:
                self._worker.resume()
