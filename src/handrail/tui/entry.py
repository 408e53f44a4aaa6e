"""One thing that a timeline shows."""

import msgspec

from handrail.model.event import Event
from handrail.tui.marks import End
from handrail.tui.sentence import Said


class Entry(msgspec.Struct, frozen=True):
    """One thing that a timeline shows."""

    seq: int
    """Of the event in its run: what it is called while the timeline goes on."""
    event: Event
    said: Said | None = None
    """The event in words, unless it is an action."""
    cwd: str = ""
    agent: str = ""
    """The letter of the sub-agent that did it."""
    end: End | None = None
    over: bool = False
    """Nothing more will be heard of it."""
