"""Past sessions as a host has recorded them."""

from typing import Protocol

import msgspec

from handrail.model.action import Action, Outcome


class RecordedCall(msgspec.Struct):
    """A tool that was called; the outcome comes with a later message, if it does."""

    action: Action
    outcome: Outcome | None = None
    at: float | None = None
    """When it had ended, or else when it was called."""
    agent: str = ""
    """The sub-agent that called it; empty: the agent itself."""
    prompted: bool = False
    """A person had just said something."""
    said: str = ""
    """What the agent said after it, when it stopped."""


class Recording(Protocol):
    """Takes the file of a session line by line; a call that another file had is left out."""

    messages: int
    """How many lines were messages; 0: this is no file of that host."""
    goal: str
    """The first thing that a person said."""
    started_in: str
    calls: dict[str, RecordedCall]

    def add(self, data: bytes) -> None:
        """One more line; raises ValueError if it is not what it should be."""


class NoRecording:
    """Of a host that records nothing which could be read."""

    messages = 0
    goal = ""
    started_in = ""

    def __init__(self) -> None:
        self.calls: dict[str, RecordedCall] = {}

    def add(self, data: bytes) -> None:
        """Not one of ours."""
        raise ValueError("no host has written this")
