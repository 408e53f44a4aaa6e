"""What has changed since the last look, as encoded frames: made once for all clients."""

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

import msgspec

from handrail.api.messages.fleets import FleetRow
from handrail.api.messages.runs import RunRow
from handrail.api.messages.stream import RunNews, StreamFrame
from handrail.api.rows.fleet_rows import fleet_row
from handrail.api.rows.run_rows import run_row
from handrail.api.rows.timeline_rows import timeline_row
from handrail.store.port import Store
from handrail.views.log_feed import LogFeed, loaded_view
from handrail.views.log_view import LogView, TimelineEntry
from handrail.views.run_overview import RunOverview
from handrail.views.task_overview import FleetView
from handrail.views.timeline import Timeline
from handrail.views.timeline_reader import last_seq, newest_timeline, read_on

_EVERYTHING = 5.0
"""Seconds after which all rows are compared: some change by time alone."""
_PROGRESS_PAUSE = 1.0
"""Seconds between two rows of a run that only goes on: nobody reads faster."""
_PROGRESS = ("seq", "changed", "actions", "last_action", "risks", "tokens", "cost_usd")
"""What changes with every action, as names of fields. All other changes are told at once."""


class EncodedFrame(NamedTuple):
    """One server-sent event."""

    run: str
    """The run whose timeline it is about; empty: everybody wants it."""
    position: int
    data: bytes


class _FollowedRow(msgspec.Struct):
    """What was sent of a run, and what was seen of it since."""

    row: RunRow
    sent: float
    seen: RunOverview
    waits: bool = False
    """It went on, and the row with this is due later."""

    def is_due(self, now: float) -> bool:
        """Return whether its progress may be told again; a clock may be set back."""
        return not 0 <= now - self.sent < _PROGRESS_PAUSE


class FrameMaker:
    """Compares what the log shows now with what was sent. Used in the following thread only."""

    def __init__(
        self,
        recovered: Callable[[str], tuple[str, ...]] = lambda fleet: (),
        rest: Callable[[], None] = lambda: None,
    ) -> None:
        """`recovered`: how a fleet was recovered at the start of the daemon, in lines. `rest` is
        called after each piece of work."""
        self._recovered = recovered
        self._rest = rest
        self._position = 0
        self._forget()

    def _forget(self) -> None:
        self._rows: dict[str, _FollowedRow] = {}
        self._timelines: dict[str, _FollowedTimeline] = {}
        self._fleet_views: tuple[FleetView, ...] = ()
        self._waiting: frozenset[str] = frozenset()
        self._compared = 0.0
        self._pipelines = 0
        self._problem = ""

    def look(
        self, store: Store, feed: LogFeed, runs: Collection[str], now: float
    ) -> list[EncodedFrame]:
        """Return the new frames: one for everybody, and one for each followed run."""
        view = loaded_view(feed)
        self._rest()
        position = feed.position
        reset = position < self._position  # another log
        if reset:
            self._forget()
        self._position = position
        frame = self._common(view, position, now, reset=reset)
        frames = [] if frame is None else [EncodedFrame("", position, encode_frame(frame))]
        frames.extend(self._news(store, runs, position))
        return frames

    def _common(
        self, view: LogView, position: int, now: float, *, reset: bool
    ) -> StreamFrame | None:
        changed = tuple(self._changed_rows(view, now))
        self._rest()
        present = {run.id for run in view.runs}
        gone = tuple(run for run in self._rows if run not in present)
        for run in gone:
            del self._rows[run]
        fleets = self._changed_fleets(view)
        waiting = frozenset(each for run in view.runs for each in run.questions)
        approvals, self._waiting = waiting != self._waiting, waiting
        pipelines, self._pipelines = view.pipelines != self._pipelines, view.pipelines
        problem, self._problem = self._problem, view.problem
        told = (changed, gone, fleets, approvals, pipelines, reset, problem != view.problem)
        if not any(told):
            return None
        return StreamFrame(
            position=position,
            runs=changed,
            gone=gone,
            fleets=fleets,
            tasks=tuple(fleet.id for fleet in fleets),
            approvals=approvals,
            pipelines=pipelines,
            reset=reset,
            problem=view.problem,
        )

    def _changed_rows(self, view: LogView, now: float) -> Iterator[RunRow]:
        everything = not 0 <= now - self._compared < _EVERYTHING
        if everything:
            self._compared = now
        for run in view.runs:
            known = self._rows.get(run.id)
            if known is None:
                row = run_row(run, now)
                self._rows[run.id] = _FollowedRow(row, now, run)
                yield row
            elif everything or known.seen is not run or (known.waits and known.is_due(now)):
                yield from _news_of(known, run, now)
                self._rest()

    def _changed_fleets(self, view: LogView) -> tuple[FleetRow, ...]:
        if view.fleets is self._fleet_views:
            return ()
        before = {fleet.name: fleet for fleet in self._fleet_views}
        self._fleet_views = view.fleets
        changed = (fleet for fleet in view.fleets if before.get(fleet.name) is not fleet)
        return tuple(fleet_row(fleet, self._recovered(fleet.name)) for fleet in changed)

    def _news(self, store: Store, runs: Collection[str], position: int) -> Iterator[EncodedFrame]:
        for run in [run for run in self._timelines if run not in runs]:
            del self._timelines[run]
        for run in runs:
            followed = self._timelines.get(run)
            if followed is None:
                self._timelines[run] = _FollowedTimeline(store, run)
            elif entries := followed.changed(store):
                news = RunNews(run, tuple(map(timeline_row, entries)))
                frame = StreamFrame(position=position, news=(news,))
                yield EncodedFrame(run, position, encode_frame(frame))


def _news_of(known: _FollowedRow, run: RunOverview, now: float) -> Iterator[RunRow]:
    """Return the row of a run if it changed, or nothing while it only goes on."""
    row = run_row(run, now)
    known.seen = run
    known.waits = row != known.row
    if known.waits and (known.is_due(now) or _more_than_progress(known.row, row)):
        known.row, known.sent, known.waits = row, now, False
        yield row


def _more_than_progress(before: RunRow, after: RunRow) -> bool:
    same = {name: getattr(before, name) for name in _PROGRESS}
    return msgspec.structs.replace(after, **same) != before


class _FollowedTimeline:
    """The newest end of a timeline, and what of it was sent."""

    def __init__(self, store: Store, run: str) -> None:
        self._timeline: Timeline = newest_timeline(store, run, last_seq(store, run))
        read_on(store, self._timeline)
        self._sent: dict[int, TimelineEntry] = {
            entry.seq: entry for entry in self._timeline.entries
        }

    def changed(self, store: Store) -> list[TimelineEntry]:
        """Return the entries that are new, or other than before."""
        before = self._timeline.seq
        read_on(store, self._timeline)
        if self._timeline.seq == before:
            return []
        entries = self._timeline.entries
        changed = [each for each in entries if self._sent.get(each.seq) is not each]
        self._sent = {entry.seq: entry for entry in entries}
        return changed


def encode_frame(frame: StreamFrame) -> bytes:
    """Return a frame as the text of a server-sent event."""
    return b"id: %d\ndata: %b\n\n" % (frame.position, msgspec.json.encode(frame))
