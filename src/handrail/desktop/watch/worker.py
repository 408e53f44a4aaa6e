"""The port of the program that works in the session: it can be paused, and tells its progress."""

from typing import Protocol

import msgspec


class WorkerProgress(msgspec.Struct, frozen=True):
    """How far a worker is; equal values mean that nothing happened in between."""

    done: int = 0
    """Operations carried out."""
    total: int = 0
    file: str = ""
    """The file it works on."""
    size: int = 0
    """Bytes of that file on the disk."""


class DesktopWorker(Protocol):
    """A worker beside which a watch stands. Called from the watch's thread."""

    def pause(self, seconds: float) -> bool:
        """Stop at the next safe point; return whether it stands still within the time."""

    def resume(self) -> None:
        """Go on."""

    def abort(self) -> None:
        """End the work: a person stopped the run, or the watch gave up."""

    def progress(self) -> WorkerProgress | None:
        """Return how far it is; None: it cannot tell."""


class NoWorker:
    """Stands in where nobody told the watch about a worker."""

    def pause(self, seconds: float) -> bool:
        """Nothing works, so nothing has to stop."""
        return True

    def resume(self) -> None:
        """Nothing to do."""

    def abort(self) -> None:
        """Nothing to end."""

    def progress(self) -> WorkerProgress | None:
        """Nobody knows."""
        return None
