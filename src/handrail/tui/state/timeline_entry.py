"""One thing that a timeline shows."""

import msgspec

from handrail.model.event import Event
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
