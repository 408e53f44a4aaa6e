"""The stream of events."""

import msgspec

from handrail.api.messages.fleets import FleetRow
from handrail.api.messages.runs import RunRow
from handrail.api.messages.timeline import TimelineRow


class RunNews(msgspec.Struct, frozen=True):
    """New and changed entries in the timeline of a run."""

    run: str
    items: tuple[TimelineRow, ...]


class StreamFrame(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that happened since the frame before it; its SSE id is the log's position.

    A frame replaces what it names: a run's row by id, a timeline's row by seq, a fleet by id.
    """

    position: int
    runs: tuple[RunRow, ...] = ()
    gone: tuple[str, ...] = ()
    """Runs that left the list."""
    news: tuple[RunNews, ...] = ()
    fleets: tuple[FleetRow, ...] = ()
    tasks: tuple[str, ...] = ()
    """Fleets whose tasks changed: load their page again."""
    approvals: bool = False
    """The list of approvals changed."""
    pipelines: bool = False
    """A pipeline went on."""
    reset: bool = False
    """The log was replaced, or too much happened: load everything again."""
    problem: str = ""
