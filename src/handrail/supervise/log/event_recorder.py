"""Write the events of one run to the log, and apply them to its state."""

from collections.abc import Callable, Sequence

import msgspec

from handrail.model.event import Event
from handrail.redact import Redactor
from handrail.store.errors import StoreError
from handrail.store.journal import Journal, WrittenEvent
from handrail.store.port import NewEntry, Receipt, Snapshot
from handrail.supervise.decision.decision_progress import NotWrittenError
from handrail.supervise.log.topics import topic_of
from handrail.supervise.state.run_state import RunState

SNAPSHOT_EVERY = 50
"""Events between snapshots, so that a reader of the run has few events to fold."""
_BYTES_PER_EVENT = 1000
"""A large state is saved less often: snapshots must not outgrow the events."""

ExtraRows = Callable[[RunState], Sequence[NewEntry]]
"""Rows of other topics that belong to a new state."""


class EventRecorder:
    """Used from one thread; the log answers in its own."""

    def __init__(self, state: RunState, journal: Journal, works: Callable[[], None]) -> None:
        """`works`: called in the log's thread whenever an event is on the disk."""
        self.lost: StoreError | None = None
        """The reason of a lost event: the state has run ahead of the log."""
        self._state = state
        self._journal = journal
        self._works = works
        self._last: Receipt | None = None
        self._saved = state.seq
        self._size = 0
        """The size of the last snapshot in bytes."""

    @property
    def settled(self) -> bool:
        """Return whether the log has answered all writes."""
        return self._last is None or self._last.done()

    @property
    def under_way(self) -> list[Receipt]:
        """Return the receipts of all pending writes."""
        return [] if self._last is None else [self._last]

    def write(
        self, event: Event, redactor: Redactor, beside: ExtraRows | None = None
    ) -> WrittenEvent:
        """Apply an event to the state, and write it with its rows: all or none."""
        clean = self._journal.prepare(event, redactor)
        self._state.apply(clean.event)
        rows = () if beside is None else beside(self._state)
        receipt = self._journal.write(topic_of(self._state.run), clean, rows)
        self._last = receipt
        receipt.add_done_callback(self._heard)
        return WrittenEvent(clean.event, receipt)

    def save_now_and_then(self) -> None:
        """Save the state when it is due."""
        due = max(SNAPSHOT_EVERY, self._size // _BYTES_PER_EVENT)
        if self._state.seq - self._saved >= due:
            self.save()

    def save(self) -> None:
        """Save the present state as soon as all of it is in the log."""
        if self._last is None or self._saved == self._state.seq:
            return
        self._saved = self._state.seq
        topic = topic_of(self._state.run)
        snapshot = Snapshot(self._state.seq, msgspec.json.encode(self._state))
        self._size = len(snapshot.body)

        def keep(receipt: Receipt) -> None:
            if self.lost is None:
                self._journal.store.save_snapshot(topic, snapshot)

        self._last.add_done_callback(keep)

    def settle(self, seconds: float) -> None:
        """Wait until the log has answered all writes; raises NotWrittenError after a time."""
        if self._last is not None and not self._last.wait(seconds):
            raise NotWrittenError(seconds)

    def _heard(self, receipt: Receipt) -> None:
        error = receipt.exception()
        if error is None:
            self._works()
        else:
            self.lost = error if isinstance(error, StoreError) else StoreError("", str(error))
