"""Decisions of a person about runs that need one, and the port by which the screen makes them."""

from typing import Literal, Protocol

import msgspec

from handrail.tui.sending.port import SendingStage
from handrail.views.run_overview import RunOverview


class DecisionChoice(msgspec.Struct, frozen=True):
    """One way to decide."""

    value: str
    title: str
    says: str
    asks: str = "a note for the record, may be empty"
    """What the line for a text is for."""
    text: str = ""
    """What stands in that line already."""


class OpenDecision(msgspec.Struct, frozen=True):
    """A run that needs a person, the question, and the choices."""

    run: str
    name: str
    title: str
    question: str
    about: Literal["approval", "incident"]
    id: str
    """The approval or the incident."""
    choices: tuple[DecisionChoice, ...]
    edits: str = ""
    """The field of an action's input that a person may edit; empty: none."""


class DecisionMaker(Protocol):
    """Finds open decisions and carries them out; both may take long, and run in a thread."""

    def find(self, run: RunOverview) -> OpenDecision | None:
        """Return what a person can decide about a run here, or None."""
        ...

    def decide(self, decision: OpenDecision, choice: str, note: str) -> SendingStage:
        """Carry out a choice; a failure is a stage, never an exception."""
        ...
