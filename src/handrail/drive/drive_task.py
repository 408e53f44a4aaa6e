"""The task of a driven agent, and what it may ask a person."""

from collections.abc import Awaitable, Callable

import msgspec

from handrail.config.sources import PipelineSafety
from handrail.drive.usage import LoopLimits


class FleetPart(msgspec.Struct, frozen=True):
    """A run that works on one task of a fleet."""

    run: str
    """The run of the fleet."""
    task: str


class DriveTask(msgspec.Struct, frozen=True, kw_only=True):
    """The task of a driven agent."""

    goal: str
    cwd: str
    model: str = ""
    verify: str = ""
    """The command that must pass; empty: the agent's word is enough."""
    limits: LoopLimits = LoopLimits()
    environ: dict[str, str] = {}
    """Variables of the verify command, beside those of this process: its workspace, and the mark
    by which its processes count as the run's."""
    adopts: bool = False
    """This process adopts the orphans of the agent."""
    pipeline: PipelineSafety | None = None
    """The settings of the pipeline that this run is a step of."""
    group: str = ""
    """The control group of the agent's processes; empty: there is none."""
    fleet: FleetPart | None = None
    """The part of a fleet that this run is."""


class QuestionEnd(msgspec.Struct, frozen=True):
    """What came of an agent's question to a person."""

    told: str = ""
    """The answer, ready for the agent."""
    blocked: str = ""
    """Why the agent cannot go on without a person; empty: it can."""


AskPerson = Callable[[str], Awaitable[QuestionEnd]]
"""Asks a person, and waits for an answer as long as it makes sense."""
