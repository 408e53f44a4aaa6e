"""The engine behind a supervisor: in this process, or the daemon."""

from collections.abc import Callable
from typing import Protocol

from handrail.checkpoint import UndoLevel
from handrail.control.client import ControlConnection
from handrail.hosts.port import Reply
from handrail.library.verdict import RestoredFiles
from handrail.model.event import Event
from handrail.store.journal import Journal
from handrail.store.port import Store
from handrail.supervise.log.topics import topic_of


class PendingCall:
    """A call that waits for its answer, until it is abandoned."""

    def __init__(self) -> None:
        self.is_abandoned = False
        self.wake: Callable[[], object] = lambda: None
        """Wakes the thread that holds the call, so that it notices."""

    def abandon(self) -> None:
        """Note that nobody wants the answer any more."""
        self.is_abandoned = True
        self.wake()


class Engine(Protocol):
    """Supervise one run. Used from any thread."""

    control: ControlConnection

    def ask(self, body: bytes, call: PendingCall) -> Reply:
        """Answer one message; any failure is a refusal.

        Waits while the run is paused, and while files are saved.
        """

    def restore(self, level: UndoLevel, checkpoint: str) -> RestoredFiles:
        """Put files back; raises CheckpointError."""

    def events(self, after: int) -> list[tuple[int, Event]]:
        """Return the events after a number, each with its own."""

    def wait_for_events(self, seconds: float) -> None:
        """Return when there may be new events, at the latest after so many seconds."""

    def close(self) -> None:
        """Finish pending work."""


def events_in(store: Store, run: str, after: int) -> list[tuple[int, Event]]:
    """Return the events of a run in a log."""
    return [(stored.seq, event) for stored, event in Journal(store).read(topic_of(run), after)]
