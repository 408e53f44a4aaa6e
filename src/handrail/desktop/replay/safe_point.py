"""Where a worker can be stopped and held: between two operations."""

from threading import Condition
from time import monotonic


class WorkAbortedError(Exception):
    """Somebody ended the work."""


class SafePoint:
    """One thread works and passes here; others hold it, let it go, or end it."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._held = False
        self._standing = True
        """Nobody works before the beginning and after the end."""
        self._aborted = False

    def hold(self, seconds: float) -> bool:
        """Ask the worker to stand; return whether it does within the time."""
        with self._changed:
            self._held = True
            self._changed.notify_all()
            return self._changed.wait_for(lambda: self._standing, max(seconds, 0.0))

    def let_go(self) -> None:
        """Let the worker go on."""
        with self._changed:
            self._held = False
            self._changed.notify_all()

    def abort(self) -> None:
        """End the work at the next safe point."""
        with self._changed:
            self._aborted = True
            self._changed.notify_all()

    def arrive(self) -> None:
        """The worker stands still, for as long as it likes, until it leaves."""
        with self._changed:
            self._standing = True
            self._changed.notify_all()

    def leave(self) -> None:
        """The worker wants to go on: it waits while it is held; raises WorkAbortedError."""
        with self._changed:
            self._changed.wait_for(lambda: self._aborted or not self._held)
            if self._aborted:
                raise WorkAbortedError
            self._standing = False

    def pass_by(self) -> None:
        """Stand if somebody asks for it; raises WorkAbortedError."""
        with self._changed:
            if not self._held and not self._aborted:
                return
        self.arrive()
        self.leave()

    def rest(self, seconds: float) -> None:
        """Stand for a time, or shorter if the work is ended; raises WorkAbortedError."""
        self.arrive()
        end = monotonic() + seconds
        with self._changed:
            self._changed.wait_for(lambda: self._aborted, max(end - monotonic(), 0.0))
        self.leave()
