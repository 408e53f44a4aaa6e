"""The daemon, as whoever drives an agent sees it: asked before each iteration, told of the rest."""

from collections.abc import AsyncIterator
from typing import Literal, Protocol

import msgspec

from handrail.model.control import Standing
from handrail.model.decodable import decodable


@decodable
class LoopStart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A loop that begins, or is taken up again."""

    goal: str
    cwd: str
    max: int
    model: str = ""
    verify: str = ""
    driver: int = 0
    """The process that drives it."""


class LoopProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a loop is that was taken up."""

    iteration: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0
    memory_mb: float = 0.0


class IterationPermission(msgspec.Struct, frozen=True, kw_only=True):
    """Whether an iteration may begin: only where the standing is `running`."""

    standing: Standing
    goal: str = ""
    """Another one than at first, where somebody has redirected the run."""
    messages: tuple[str, ...] = ()
    """What a person wants the agent to know; part of the prompt, and answered by that."""
    model: str = ""
    """The one that it has to use, where somebody has changed that."""
    by: str = ""
    reason: str = ""


class DriverOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What a request wants the driver to do."""

    number: int
    order: Literal["interrupt", "set_model", "start"]
    """`start`: the run was stopped, and goes on."""
    request: str
    model: str = ""


@decodable
class DriverReport(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a driver tells; one thing at a time."""

    kind: Literal["order", "verified", "usage", "done", "abort"]
    request: str = ""
    """`order`: the request that it came from."""
    ok: bool = True
    says: str = ""
    model: str = ""
    previous_model: str = ""
    iteration: int = 0
    command: str = ""
    ms: float = 0.0
    reason: str = ""
    tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0
    memory_mb: float = 0.0


class DaemonClient(Protocol):
    """Every call waits out a daemon that is just being started again."""

    @property
    def held(self) -> bool:
        """Whether a person holds the run in the middle of a turn, as far as is known."""

    async def begin(self, loop: LoopStart) -> LoopProgress:
        """Make a run known before its agent starts."""

    async def may_begin(self, iteration: int) -> IterationPermission:
        """Ask for the next iteration; waits while the run is held."""

    async def may_end(self, iteration: int) -> IterationPermission:
        """Ask whether the loop may end in this iteration, as the agent says; waits while it is
        held."""

    def orders(self) -> AsyncIterator[DriverOrder]:
        """What is to be done, as it comes, each once; there is no more when the run is over."""

    async def report(self, report: DriverReport) -> None:
        """Tell what has happened."""
