"""Read the state of a run from the log: its last snapshot, and the events since."""

from typing import Generic, TypeVar, get_args

import msgspec

from handrail.model.decodable import decodable
from handrail.model.event import Event
from handrail.store.decoding import decode
from handrail.store.errors import DamagedError
from handrail.store.port import Store, StoredEntry
from handrail.supervise.log.topics import topic_of
from handrail.supervise.state.run_state import RunState

State = TypeVar("State", bound=RunState)
_PAGE = 500


class StateReader(Generic[State]):
    """Read one kind of state."""

    def __init__(self, kind: type[State]) -> None:
        self._kind = kind
        self._decoder = msgspec.json.Decoder(kind)

    def read(self, store: Store, run: str, problems: list[str] | None = None) -> State:
        """Return the state of a run; an unreadable entry raises a DamagedError.

        With a list for `problems`, such an entry is noted there and skipped. An entry of a newer
        Handrail is skipped too, and is no problem.
        """
        topic = topic_of(run)
        state = self._last_saved(store, run)
        # Begin with the snapshot's last entry: if it is missing, this is another log.
        page = store.read(topic, state.seq - 1, _PAGE)
        if not page:
            state = self._kind(run)
            page = store.read(topic, 0, _PAGE)
        while page:
            for stored in page:
                if stored.seq > state.seq:
                    _take(state, stored, problems)
            page = store.read(topic, page[-1].seq, _PAGE) if len(page) == _PAGE else []
        return state

    def _last_saved(self, store: Store, run: str) -> State:
        """Return the state in the snapshot, if it is usable: the events are the truth."""
        snapshot = store.load_snapshot(topic_of(run))
        if snapshot is None:
            return self._kind(run)
        try:
            state = self._decoder.decode(snapshot.body)
        except (ValueError, RecursionError):  # damaged, or written by another version
            return self._kind(run)
        return state if state.run == run and state.seq > 0 else self._kind(run)


def _take(state: RunState, stored: StoredEntry, problems: list[str] | None) -> None:
    try:
        state.apply(decode(stored))
    except DamagedError as error:
        if problems is None:
            raise
        state.changed = stored.at
        if not _is_newer(stored.body):
            problems.append(error.problem)
    state.seq = stored.seq


@decodable
class _Tag(msgspec.Struct):
    event: str


def _is_newer(body: bytes) -> bool:
    """Return whether this version does not know the kind of an event."""
    try:
        tag = msgspec.json.decode(body, type=_Tag).event
    except (ValueError, RecursionError):
        return False
    return tag not in {kind.__struct_config__.tag for kind in get_args(Event)}


read_state = StateReader(RunState).read
"""Read the state of a run, for readers who only look at it."""
