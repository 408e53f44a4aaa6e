"""A snapshot of the log for the screen."""

from typing import Protocol

import msgspec

from handrail.model.checkpoint import Checkpoint
from handrail.model.event import Event
from handrail.views.run_overview import RunOverview
from handrail.views.task_overview import FleetView
from handrail.words.action_status import ActionEnd
from handrail.words.sentence import Sentence


class TimelineEntry(msgspec.Struct, frozen=True):
    """One entry of a timeline."""

    seq: int
    """The number of its event, which identifies the entry."""
    event: Event
    said: Sentence | None = None
    """The sentence, unless it is an action."""
    cwd: str = ""
    agent: str = ""
    """The letter of the sub-agent."""
    end: ActionEnd | None = None
    saved: tuple[Checkpoint, ...] = ()
    """Checkpoints that are folded into it."""
    over: bool = False
    """No more events about it will come."""


class LogView(msgspec.Struct, frozen=True):
    """An immutable snapshot: the feed makes it in one thread, the screen reads it in another."""

    runs: tuple[RunOverview, ...] = ()
    run: str = ""
    """The run of the timeline."""
    timeline: tuple[TimelineEntry, ...] = ()
    cut: bool = False
    """Earlier entries are left out."""
    loading: int = 0
    """The number of runs still to read."""
    left_out: int = 0
    """The number of runs left out."""
    problem: str = ""
    """Why the log cannot be read now; the rest is then older."""
    daemon_is_down: bool = False
    """Nothing supervises the runs now."""
    is_first: bool = False
    """Nothing has been read yet."""
    pipelines: int = 0
    """The position of the last event of a pipeline that was seen."""
    fleets: tuple[FleetView, ...] = ()
    """The fleets with something to do; the same object while nothing has changed."""


class LogViewSource(Protocol):
    """The source of views; both methods may read from disk."""

    def poll(self, chosen: str) -> LogView:
        """Return the current view."""
        ...

    def close(self) -> None:
        """Close the log."""
        ...
