"""Find the events about one action without decoding the whole run."""

from collections.abc import Iterator

from handrail.model.event import ActionReviewed, Event
from handrail.store.decoding import decode_or_fault
from handrail.store.port import Store, StoredEntry

_PAGE = 500
_LOOK = 64
"""Events that one probe of the search looks at."""
_MARGIN = 50
"""Events before the action: its checkpoint is one of them."""


def events_about(store: Store, topic: str, step: int, last: int) -> Iterator[Event]:
    """Yield the events from shortly before an action on that may be about it."""
    begin = max(_search(store, topic, step, last) - _MARGIN, 0)
    needle = b'"step":%d' % step
    earlier = b'"step":%d' % (step - 1)  # of a checkpoint: the last step in it
    after = begin
    while page := store.read(topic, after, _PAGE):
        after = page[-1].seq
        for stored in page:
            body = stored.body
            if needle in body or earlier in body or b'"run_ended"' in body:
                yield decode_or_fault(stored)


def _search(store: Store, topic: str, step: int, last: int) -> int:
    """Return the number of an event before the action, by bisection: steps only grow."""
    below, above = 0, last
    while above - below > _LOOK:
        middle = (below + above) // 2
        found = _first_step(store.read(topic, middle, _LOOK))
        if found is None or found >= step:
            above = middle
        else:
            below = middle
    return below


def _first_step(page: list[StoredEntry]) -> int | None:
    for stored in page:
        if b'"action_reviewed"' in stored.body:
            event = decode_or_fault(stored)
            if isinstance(event, ActionReviewed):
                return event.step
    return None
