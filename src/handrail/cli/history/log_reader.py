"""Read the log page by page, and follow it as it grows."""

import select
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from handrail.store.errors import StoreError
from handrail.store.port import Store, StoredEntry

_PAGE = 500
_PAUSE = 0.25

Page = list[StoredEntry]


class PagedLog(Protocol):
    """A part of the log that grows."""

    def pages(self) -> Iterable[Page]:
        """Return the pages since the last call."""
        ...


class LogReader:
    """Reads one topic, or all topics with this prefix, page by page."""

    def __init__(self, store: Store, topic: str, *, whole_log: bool = False) -> None:
        self._store = store
        self._topic = topic
        self._whole_log = whole_log
        self._last: StoredEntry | None = None

    def pages(self) -> Iterator[Page]:
        """Yield the pages since the last call."""
        while page := self._next():
            yield page

    def _next(self) -> Page:
        while True:
            page = self._read(self._after())
            if self._last is not None:
                page = self._beyond(self._last, page)
            if not page:
                return []
            self._last = page[-1]
            if wanted := [item for item in page if item.topic.startswith(self._topic)]:
                return wanted

    def _after(self) -> int:
        """Return the place before the last entry. If that comes again, the log is the same."""
        if self._last is None:
            return 0
        return (self._last.position if self._whole_log else self._last.seq) - 1

    def _read(self, after: int) -> Page:
        if self._whole_log:
            return self._store.read_all(after, _PAGE)
        return self._store.read(self._topic, after, _PAGE)

    def _beyond(self, last: StoredEntry, page: Page) -> Page:
        """Return what follows the last entry, in this log or in one that replaced it."""
        if page and page[0] == last:
            return page[1:]
        if page and page[0].position > last.position:  # the last entry was deleted
            return page
        return [item for item in self._read(0) if item.at > last.at]


def follow_log(
    source: PagedLog,
    wait: Callable[[], object],
    complain: Callable[[str], None],
) -> Iterator[Page]:
    """Yield pages for ever, an empty one when there is nothing new; end when `wait` raises.

    Complain once about a log that cannot be read for a while.
    """
    silent = False
    while True:
        try:
            yield from source.pages()
            silent = False
        except StoreError as error:
            if not silent:
                complain(str(error))
            silent = True
        yield []
        wait()


def wait_a_moment() -> None:
    """Sleep before the next look at the log; raise at once if nobody reads our output."""
    try:
        output = sys.stdout.fileno()
        poll = select.poll()
    except (OSError, ValueError, AttributeError):
        time.sleep(_PAUSE)
        return
    poll.register(output, 0)  # no events: poll reports only errors
    if poll.poll(_PAUSE * 1000):
        raise BrokenPipeError
