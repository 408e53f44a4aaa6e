"""The driver's view of the daemon: it permits each iteration, and hears about the rest."""

from collections.abc import AsyncIterator
from typing import Literal, Protocol

import msgspec

from handrail.config.sources import PipelineSafety
from handrail.model.control import Standing
from handrail.model.decodable import decodable


@decodable
class LoopStart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A loop that begins or resumes."""

    goal: str
    cwd: str
    max: int
    model: str = ""
    verify: str = ""
    driver: int = 0
    """The process that drives it."""
    max_minutes: float = 0.0
    max_cost_usd: float = 0.0
    max_tokens: int = 0
    max_memory_mb: float = 0.0
    adopts: bool = False
    """The driver adopts the orphans of its agent."""
    pipeline: PipelineSafety | None = None
    """The settings of the pipeline that this run is a step of."""
    group: str = ""
    """The control group of the agent's processes; empty: there is none."""
    mode: Literal["loop", "issue", "grind"] = "loop"
    """`issue`: one task of a fleet; `grind`: the fleet itself."""
    parent: str = ""
    """The run of the fleet that this one is a part of."""
    issue: str = ""
    """The task."""


class LoopProgress(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a resumed loop."""

    iteration: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0
    memory_mb: float = 0.0


class IterationPermission(msgspec.Struct, frozen=True, kw_only=True):
    """The daemon's answer to the next iteration: it may begin only if the standing is `running`."""

    standing: Standing
    goal: str = ""
    """The new goal, if a person has redirected the run."""
    messages: tuple[str, ...] = ()
    """Messages from people to the agent; the next prompt delivers and thereby answers them."""
    model: str = ""
    """The model to use, if a person has changed it."""
    by: str = ""
    reason: str = ""
    incident: str = ""
    """The emergency stop that a person has to decide about."""


class DriverOrder(msgspec.Struct, frozen=True, kw_only=True):
    """An order for the driver, from a request."""

    number: int
    order: Literal["interrupt", "set_model", "start"]
    """`start`: go on with a run that was stopped."""
    request: str
    model: str = ""


@decodable
class DriverReport(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A report of the driver about one thing."""

    kind: Literal["order", "verified", "usage", "stall", "done", "abort"]
    request: str = ""
    """The request behind an `order`."""
    ok: bool = True
    says: str = ""
    model: str = ""
    previous_model: str = ""
    wanted_model: str = ""
    """The model that a person asked for, if another one has answered."""
    iteration: int = 0
    command: str = ""
    ms: float = 0.0
    reason: str = ""
    tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0
    memory_mb: float = 0.0


class DaemonClient(Protocol):
    """The driver's connection to the daemon; every call waits while the daemon restarts."""

    @property
    def held(self) -> bool:
        """Return whether, as far as is known, a person holds the run in the middle of a turn."""

    async def begin(self, loop: LoopStart) -> LoopProgress:
        """Announce a run before its agent starts."""

    async def may_begin(self, iteration: int) -> IterationPermission:
        """Ask to begin an iteration; wait while the run is held."""

    async def may_end(self, iteration: int, *, stuck: bool) -> IterationPermission:
        """Ask to end the loop in this iteration, as the agent says; wait while the run is held.

        `stuck`: the agent cannot go on; wait for the answers to open questions, too.
        """

    def orders(self) -> AsyncIterator[DriverOrder]:
        """Yield each order once, as it comes, until the run is over."""

    async def report(self, report: DriverReport) -> None:
        """Report to the daemon."""
