"""Read the log for the screen, without a daemon.

Only one thread may use it, and never the one that draws: it reads from disk.
"""

from collections.abc import Callable
from itertools import islice
from time import time

import msgspec
from psutil import pid_exists

from handrail.fleet.pipeline.events import PIPELINES
from handrail.store.decoding import decode
from handrail.store.errors import DamagedError, StoreError
from handrail.store.port import Store, StoredEntry
from handrail.supervise.log.state_reader import read_state
from handrail.supervise.log.topics import RUNS, run_of, topic_of
from handrail.supervise.runs.run_names import project_in, short_ids
from handrail.supervise.state.run_state import RunState
from handrail.views.fleet_feed import FleetFeed
from handrail.views.log_view import LogView
from handrail.views.run_overview import RunOverview, as_past
from handrail.views.run_summary import overview_of
from handrail.views.timeline import Timeline
from handrail.views.timeline_reader import last_seq, newest_timeline, read_on

_DAY = 24 * 60 * 60
"""A killed session never reports its end, so the screen hides it after a day."""
_MAX_RUNS = 200
_MAX_READ = 1000
"""The number of recent runs to read, to find those that need a person."""
_MAX_OLDER = 300
"""The number of older runs to read."""
_PAGE = 500
_MAX_PAGES = 30
"""The number of pages to read before the screen is drawn again."""
_MAX_APPLIED = 100
"""For more new events than this, reading the snapshot is faster."""
_LOADED_AT_ONCE = 20


class _FollowedRun(msgspec.Struct):
    overview: RunOverview
    state: RunState | None = None
    """None if the run has ended or cannot be read; it is read again if it continues."""


class LogFeed:
    """Follows all runs that matter now, and the timeline of one of them."""

    def __init__(
        self,
        store: Store,
        *,
        clock: Callable[[], float] = time,
        me: str = "",
        is_open: Callable[[str], bool] = lambda incident: True,
        lives: Callable[[int], bool] = pid_exists,
        daemon_is_down: Callable[[], bool] = lambda: False,
        rest: Callable[[], None] = lambda: None,
    ) -> None:
        """`me` is the user's name; `is_open` tells whether an incident waits for a decision;
        `lives` tells whether a process exists. `rest` is called after each run with new events:
        in the daemon, other threads go first."""
        self._store = store
        self._clock = clock
        self._me = me
        self._is_open = is_open
        self._lives = lives
        self._daemon_is_down = daemon_is_down
        self._rest = rest
        self._last: StoredEntry | None = None
        """The last entry that was read."""
        self._short: dict[str, str] = {}
        self._kept: dict[str, _FollowedRun] = {}
        self._waiting: dict[str, None] = {}
        """Runs to read, most urgent first."""
        self._left_out: set[str] = set()
        self._timeline: Timeline | None = None
        self._fleets = FleetFeed()
        self._problem = ""
        self._pipelines = 0

    def poll(self, chosen: str) -> LogView:
        """Return the current view, with the timeline of the `chosen` run."""
        try:
            if self._last is None or not self._go_on(self._last):
                self._begin()
            self._load(chosen)
            self._follow(chosen)
            self._problem = ""
        except StoreError as error:
            self._problem = str(error)
        self._look_around()
        self._let_go()
        timeline = self._timeline
        return LogView(
            tuple(kept.overview for kept in self._kept.values()),
            "" if timeline is None else timeline.run,
            () if timeline is None else timeline.entries,
            timeline is not None and timeline.cut,
            len(self._waiting),
            len(self._left_out),
            self._problem,
            self._daemon_is_down(),
            pipelines=self._pipelines,
            fleets=self._fleets.views(self._clock()),
        )

    @property
    def position(self) -> int:
        """Return the position of the last entry in the view."""
        return 0 if self._last is None else self._last.position

    def close(self) -> None:
        """Close the log."""
        self._store.close()

    # What is new in the log

    def _begin(self) -> None:
        """Start over with a new log."""
        self._kept.clear()
        self._timeline = None
        # Before the topics are listed: what comes in between is then seen twice, and not missed.
        last = newest_entry(self._store)
        self._fleets.begin(self._store)
        topics = self._store.topics(RUNS)
        self._short = short_ids([run_of(topic.name) for topic in topics])
        limit = self._clock() - _DAY
        lately = [run_of(topic.name) for topic in topics if topic.changed >= limit]
        older = [run_of(topic.name) for topic in topics if topic.changed < limit]
        self._left_out = set(lately[_MAX_READ:])
        self._waiting = dict.fromkeys((*lately[:_MAX_READ], *older[:_MAX_OLDER]))
        self._last = last

    def _go_on(self, last: StoredEntry) -> bool:
        """Read new entries; return False if this is another log."""
        new: dict[str, list[StoredEntry]] = {}
        for _ in range(_MAX_PAGES):
            page = self._store.read_all(last.position - 1, _PAGE + 1)
            if not page or page[0] != last:
                return False
            last = page[-1]
            self._fleets.take_in(self._store, page[1:])
            for stored in page[1:]:
                if stored.topic.startswith(RUNS):
                    new.setdefault(run_of(stored.topic), []).append(stored)
                elif stored.topic.startswith(PIPELINES):
                    self._pipelines = stored.position
            if len(page) <= _PAGE:
                break
        if any(run not in self._short for run in new):
            self._short = short_ids([run_of(topic.name) for topic in self._store.topics(RUNS)])
        stale = [run for run, page in new.items() if not self._apply(run, page)]
        self._waiting = dict.fromkeys((*reversed(stale), *self._waiting))
        self._last = last
        return True

    def _apply(self, run: str, page: list[StoredEntry]) -> bool:
        """Apply new events to a run; return False if it must be read again."""
        kept = self._kept.get(run)
        if kept is None or kept.state is None or len(page) > _MAX_APPLIED:
            return False
        try:
            for stored in page:
                if stored.seq > kept.state.seq + 1:
                    return False
                if stored.seq == kept.state.seq + 1:
                    kept.state.apply(decode(stored))
        except DamagedError:
            return False
        self._keep(run, kept.state, kept.overview.name)
        self._rest()
        return True

    # Runs

    def _load(self, chosen: str) -> None:
        """Read some of the waiting runs."""
        first = [chosen] if chosen in self._waiting else []
        for run in list(islice(dict.fromkeys((*first, *self._waiting)), _LOADED_AT_ONCE)):
            name = self._name(run)
            try:
                self._keep(run, read_state(self._store, run), name)
            except DamagedError as error:
                now = self._clock()
                self._kept[run] = _FollowedRun(
                    RunOverview(run, name, changed=now, problem=error.problem)
                )
            self._left_out.discard(run)
            del self._waiting[run]

    def _keep(self, run: str, state: RunState, name: str) -> None:
        overview = overview_of(state, name, incident=state.course.stopped, me=self._me)
        is_over = state.phase == "ended" and not overview.stays
        self._kept[run] = _FollowedRun(overview, None if is_over else state)

    def _name(self, run: str) -> str:
        return f"{project_in(self._store, topic_of(run))}-{self._short.get(run, run)}"

    def _look_around(self) -> None:
        """Check what no event of a run tells: decided incidents, killed drivers and its task."""
        for kept in self._kept.values():
            overview = kept.overview = self._beside_its_task(kept.overview)
            if overview.incident and not self._is_open(overview.incident):
                kept.overview = msgspec.structs.replace(overview, incident="", aborted=True)
            elif overview.driver and overview.left is self._lives(overview.driver):
                kept.overview = msgspec.structs.replace(overview, left=not overview.left)

    def _beside_its_task(self, overview: RunOverview) -> RunOverview:
        """Return a run as its task leaves it: one that the task does without is over."""
        if not overview.task or not (overview.active or overview.asks):
            return overview
        if self._fleets.runs.is_past(overview.id, overview.task):
            return as_past(overview)
        if overview.asks and self._fleets.runs.asks_nobody(overview.id, overview.task):
            return msgspec.structs.replace(overview, asks="")
        return overview

    def _let_go(self) -> None:
        """Drop old runs, and, if there are too many, those that matter least."""
        limit = self._clock() - _DAY
        for run in [run for run, kept in self._kept.items() if not _is_wanted(kept, limit)]:
            del self._kept[run]
        excess = len(self._kept) - _MAX_RUNS
        for run in sorted(self._kept, key=self._worth)[: max(excess, 0)]:
            del self._kept[run]
            self._left_out.add(run)

    def _worth(self, run: str) -> tuple[bool, bool, float]:
        overview = self._kept[run].overview
        return overview.stays, overview.active, overview.changed

    # The timeline

    def _follow(self, chosen: str) -> None:
        if not chosen:
            self._timeline = None
            return
        if self._timeline is None or self._timeline.run != chosen:
            kept = self._kept.get(chosen)
            seq = kept.state.seq if kept is not None and kept.state is not None else 0
            seq = seq or last_seq(self._store, chosen)
            self._timeline = newest_timeline(self._store, chosen, seq)
        read_on(self._store, self._timeline)


def loaded_view(feed: LogFeed) -> LogView:
    """Return the view of all runs; a screen shows the first ones sooner."""
    view = feed.poll("")
    while view.loading and not view.problem:
        view = feed.poll("")
    return view


def _is_wanted(kept: _FollowedRun, limit: float) -> bool:
    return kept.overview.changed >= limit or kept.overview.stays


def newest_entry(store: Store) -> StoredEntry | None:
    """Find the last entry of a log by bisection."""
    below, above = 0, 1
    while store.read_all(above, 1):
        below, above = above, 2 * above
    while above - below > 1:
        middle = (below + above) // 2
        if store.read_all(middle, 1):
            below = middle
        else:
            above = middle
    return next(iter(store.read_all(below, 1)), None)
