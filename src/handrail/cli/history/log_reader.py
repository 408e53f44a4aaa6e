"""Reading the log from its beginning, and on as it grows."""

import select
import sys
import time
from collections.abc import Callable, Iterator

from handrail.store.errors import StoreError
from handrail.store.port import Store, StoredEntry

_PAGE = 500
_PAUSE = 0.25

Page = list[StoredEntry]


class LogReader:
    """One topic, or everything whose topic begins like that, page by page."""

    def __init__(self, store: Store, topic: str, *, whole_log: bool = False) -> None:
        self._store = store
        self._topic = topic
        self._whole_log = whole_log
        self._last: StoredEntry | None = None

    def pages(self) -> Iterator[Page]:
        """What has come since the last time."""
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
        """The number before the last entry: if that comes again, the log is still the same."""
        if self._last is None:
            return 0
        return (self._last.position if self._whole_log else self._last.seq) - 1

    def _read(self, after: int) -> Page:
        if self._whole_log:
            return self._store.read_all(after, _PAGE)
        return self._store.read(self._topic, after, _PAGE)

    def _beyond(self, last: StoredEntry, page: Page) -> Page:
        """What comes after the last entry, in this log or in one that has replaced it."""
        if page and page[0] == last:
            return page[1:]
        if page and page[0].position > last.position:  # the last one was forgotten since
            return page
        return [item for item in self._read(0) if item.at > last.at]


def follow(
    source: LogReader,
    wait: Callable[[], None],
    complain: Callable[[str], None],
) -> Iterator[Page]:
    """Pages for ever, an empty one at each look that finds nothing; ends when `wait` raises.

    A log that cannot be read for a while is complained about once.
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
    """Sleep until it is worth to look again; a pipe that nobody reads ends it at once."""
    try:
        output = sys.stdout.fileno()
        poll = select.poll()
    except (OSError, ValueError, AttributeError):
        time.sleep(_PAUSE)
        return
    poll.register(output, 0)  # no events: only errors are told
    if poll.poll(_PAUSE * 1000):
        raise BrokenPipeError
