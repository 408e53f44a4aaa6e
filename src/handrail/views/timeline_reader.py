"""Read timelines of runs from the log: the newest end, which grows, or any part of the past."""

from collections.abc import Sequence

import msgspec

from handrail.store.port import Store, StoredEntry
from handrail.supervise.log.topics import topic_of
from handrail.views.log_view import TimelineEntry
from handrail.views.timeline import MAX_ENTRIES, Timeline

_PAGE = 500
_BEGINNING = 5
"""The first events of a run tell its folder and its driver."""
_AROUND = 200
"""Events before and after a part: an action that is in it may begin or end there."""


class TimelinePart(msgspec.Struct, frozen=True):
    """A part of a timeline, and the events that it was made of."""

    entries: tuple[TimelineEntry, ...]
    first: int
    """Its first event; 0: nothing is before it."""
    last: int


def newest_timeline(store: Store, run: str, seq: int) -> Timeline:
    """Return the newest end of a run's timeline; `seq` is about its last event."""
    timeline = Timeline(run)
    if seq > MAX_ENTRIES:
        timeline.skip(seq - MAX_ENTRIES, store.read(topic_of(run), 0, _BEGINNING))
    return timeline


def read_on(store: Store, timeline: Timeline) -> None:
    """Add all events since the last one."""
    topic = topic_of(timeline.run)
    while page := store.read(topic, timeline.seq, _PAGE):
        timeline.add(page)


def last_seq(store: Store, run: str) -> int:
    """Return the number of a run's last event; 0: there is no such run."""
    topic = topic_of(run)
    return next((each.seq for each in store.topics(topic) if each.name == topic), 0)


def read_part(store: Store, run: str, after: int, before: int) -> TimelinePart:
    """Return the entries that begin between two events, both excluded."""
    begin = max(after - _AROUND, 0)
    timeline = Timeline(run, most=before - begin + _AROUND)
    topic = topic_of(run)
    if begin:
        timeline.skip(begin, store.read(topic, 0, _BEGINNING))
    for page in _pages(store, topic, begin, before + _AROUND):
        timeline.add(page)
    entries = tuple(each for each in timeline.entries if after < each.seq < before)
    return TimelinePart(entries, after + 1 if after else 0, min(before - 1, timeline.seq))


def _pages(store: Store, topic: str, after: int, until: int) -> Sequence[list[StoredEntry]]:
    pages: list[list[StoredEntry]] = []
    while after < until and (page := store.read(topic, after, min(_PAGE, until - after))):
        pages.append(page)
        after = page[-1].seq
    return pages
