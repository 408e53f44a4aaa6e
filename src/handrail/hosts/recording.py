"""Read past sessions as a host has recorded them."""

from typing import Protocol

import msgspec

from handrail.model.action import Action, Outcome


class RecordedCall(msgspec.Struct):
    """A recorded tool call; a later message may bring its outcome."""

    action: Action
    outcome: Outcome | None = None
    at: float | None = None
    """The time of its end, or else of the call."""
    agent: str = ""
    """The sub-agent of the call; empty: the agent itself."""
    prompted: bool = False
    """A person had just said something."""
    said: str = ""
    """The agent's text after it, when the agent stopped."""


class Recording(Protocol):
    """Read the file of a session line by line; skip calls that another file has."""

    messages: int
    """The number of messages; 0: this is no file of that host."""
    goal: str
    """The first prompt of a person."""
    started_in: str
    calls: dict[str, RecordedCall]

    def add(self, data: bytes) -> None:
        """Read one more line; raises ValueError for a malformed one."""


class NoRecording:
    """The reader for a host without readable records."""

    messages = 0
    goal = ""
    started_in = ""

    def __init__(self) -> None:
        self.calls: dict[str, RecordedCall] = {}

    def add(self, data: bytes) -> None:
        """Refuse the line."""
        raise ValueError("no host has written this")
