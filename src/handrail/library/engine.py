"""What stands behind a supervisor: an engine in this process, or the daemon."""

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
    """A call that waits for its answer, until nobody wants that any more."""

    def __init__(self) -> None:
        self.is_abandoned = False
        self.wake: Callable[[], object] = lambda: None
        """Called when it is abandoned, so that whoever holds it looks."""

    def abandon(self) -> None:
        """Say that nobody wants the answer."""
        self.is_abandoned = True
        self.wake()


class Engine(Protocol):
    """Supervises one run. Used from any thread."""

    control: ControlConnection

    def ask(self, body: bytes, call: PendingCall) -> Reply:
        """The answer to one message; whatever goes wrong is a refusal.

        Waits while the run is paused, and while files are saved.
        """

    def restore(self, level: UndoLevel, checkpoint: str) -> RestoredFiles:
        """Put files back; raises CheckpointError."""

    def events(self, after: int) -> list[tuple[int, Event]]:
        """The events that come after a number, each with its own."""

    def wait_for_events(self, seconds: float) -> None:
        """Return when there may be new events, after so many seconds at the latest."""

    def close(self) -> None:
        """Finish what was begun."""


def events_in(store: Store, run: str, after: int) -> list[tuple[int, Event]]:
    """The events of a run in a log."""
    return [(stored.seq, event) for stored, event in Journal(store).read(topic_of(run), after)]
