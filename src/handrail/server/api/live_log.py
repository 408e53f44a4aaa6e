"""Reads the log for the API, in threads of its own: no hook waits for a page."""

import asyncio
import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import TypeVar

from handrail.intervene.incidents.folders import IncidentError, IncidentFolders
from handrail.server.api.thread_pacer import ThreadPacer
from handrail.server.home import Home
from handrail.store.port import Store
from handrail.views.log_feed import LogFeed, newest_entry

T = TypeVar("T")

_UNUSED = 300.0
"""Seconds after which the memory of all runs is dropped, if nobody has looked."""


class LiveLog:
    """A view of all runs that follows the log, and reads of anything else beside it."""

    def __init__(self, store: Store, home: Home) -> None:
        self._store = store
        self._incidents = IncidentFolders(home.incidents)
        # One thread follows, so that a long read of an old run holds up no stream.
        self._follower = ThreadPoolExecutor(1, thread_name_prefix="panel-follow")
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="panel-read")
        self._feed: LogFeed | None = None
        self._pacer = ThreadPacer()
        self._used = 0.0

    async def read(self, work: Callable[[Store], T]) -> T:
        """Run a function that reads the log, in a thread."""
        return await self._in(self._reader, lambda: work(self._store))

    async def follow(self, work: Callable[[Store, LogFeed], T]) -> T:
        """Run a function with the view of all runs, in the only thread that may use it."""
        self._used = monotonic()
        return await self._in(self._follower, lambda: work(self._store, self._current_feed()))

    def rest(self) -> None:
        """Let those who answer agents go first: for long work in the following thread."""
        self._pacer.rest()

    async def position(self) -> int:
        """Return the last position of the log."""
        last = await self.read(newest_entry)
        return 0 if last is None else last.position

    async def keep(self) -> None:
        """Drop the view when nobody has used it for a while, until cancelled."""
        while True:
            await asyncio.sleep(_UNUSED)
            if monotonic() - self._used >= _UNUSED:
                await self._in(self._follower, self._forget)

    def close(self) -> None:
        """End the threads after the reads under way."""
        self._follower.shutdown(wait=True, cancel_futures=True)
        self._reader.shutdown(wait=True, cancel_futures=True)

    def is_open(self, incident: str) -> bool:
        """Return whether nobody has decided about an incident yet."""
        try:
            return self._incidents.read(incident).resolution is None
        except IncidentError:
            return True

    def _current_feed(self) -> LogFeed:
        if self._feed is None:
            self._feed = LogFeed(self._store, is_open=self.is_open, rest=self._pacer.rest)
        return self._feed

    def _forget(self) -> None:
        if self._feed is not None:
            self._feed = None
            gc.collect(1)

    async def _in(self, pool: ThreadPoolExecutor, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(pool, work)
