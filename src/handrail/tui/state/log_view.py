"""What the screen knows of the log at one moment."""

import msgspec

from handrail.model.event import Event
from handrail.tui.state.run_overview import RunOverview
from handrail.words.action_status import ActionEnd
from handrail.words.sentence import Sentence


class TimelineEntry(msgspec.Struct, frozen=True):
    """One thing that a timeline shows."""

    seq: int
    """Of the event in its run: what it is called while the timeline goes on."""
    event: Event
    said: Sentence | None = None
    """The event in words, unless it is an action."""
    cwd: str = ""
    agent: str = ""
    """The letter of the sub-agent that did it."""
    end: ActionEnd | None = None
    over: bool = False
    """Nothing more will be heard of it."""


class LogView(msgspec.Struct, frozen=True):
    """Made by the feed in its thread, read by the screen in another: nothing in it changes."""

    runs: tuple[RunOverview, ...] = ()
    run: str = ""
    """The one whose timeline this is."""
    timeline: tuple[TimelineEntry, ...] = ()
    cut: bool = False
    """The timeline has a longer past."""
    loading: int = 0
    """Runs that were not read yet."""
    left_out: int = 0
    """Runs that would be too many to show."""
    problem: str = ""
    """Why the log cannot be read now; what is shown is then from before."""
    is_first: bool = False
    """Nothing was read yet."""
