"""The state of a loop that Handrail drives, folded from events."""

from typing import Literal

import msgspec

from handrail.model.event import IterationBegun, LoopBegun, LoopEnded, UsageMeasured, Verified


class LoopState(msgspec.Struct, omit_defaults=True):
    """A fold of events, like the state around it."""

    goal: str
    max: int
    mode: str = "loop"
    verify: str = ""
    driver: int = 0
    """The process that drives it."""
    driver_began: float = 0.0
    """Its start, in seconds since the machine booted; 0: unknown."""
    iteration: int = 0
    verified: bool = False
    """The last result of the verify command."""
    ended: Literal["", "done", "abort"] = ""
    reason: str = ""
    says: str = ""
    """How it ended, in words; of a blocked agent what it needs."""
    tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0
    memory_mb: float = 0.0
    max_minutes: float = 0.0
    """The limits of the last start; 0: no limit."""
    max_cost_usd: float = 0.0
    max_tokens: int = 0
    max_memory_mb: float = 0.0
    adopts: bool = False
    """The driver adopts the orphans of its agent."""
    safety: dict[str, object] = {}
    """The settings of the pipeline that this run is a step of; empty: it has none."""
    safety_file: str = ""
    group: str = ""
    """The control group of the agent's processes; empty: there is none."""
    parent: str = ""
    """The run of the fleet that this one is a part of."""
    issue: str = ""
    """The task of the fleet that it is for."""

    @property
    def is_fleet(self) -> bool:
        """Return whether this is no agent's loop, but stands for a whole fleet."""
        return self.mode == "grind"

    @classmethod
    def begun(cls, event: LoopBegun, before: "LoopState | None") -> "LoopState":
        """Return the loop from here on; it keeps its usage and progress."""
        loop = cls(event.goal, event.max) if before is None else before
        loop.goal, loop.max, loop.mode = event.goal, event.max, event.mode
        loop.verify = event.verify
        loop.max_minutes, loop.max_cost_usd = event.max_minutes, event.max_cost_usd
        loop.max_tokens, loop.max_memory_mb = event.max_tokens, event.max_memory_mb
        loop.driver, loop.driver_began = event.driver, event.driver_began
        loop.safety, loop.safety_file = event.safety, event.safety_file
        loop.adopts, loop.group = event.adopts, event.group
        loop.parent, loop.issue = event.parent, event.issue
        loop.ended, loop.reason, loop.says = "", "", ""
        return loop

    def go_on(self, event: IterationBegun) -> None:
        """Take in the next iteration."""
        self.iteration = event.iteration
        self.verified = False

    def verify_with(self, event: Verified) -> None:
        """Take in a result of the verify command."""
        self.verified = event.ok

    def use(self, event: UsageMeasured) -> None:
        """Take in a measured usage."""
        self.tokens = max(self.tokens, event.tokens)
        self.cost_usd = max(self.cost_usd, event.cost_usd)
        self.seconds = max(self.seconds, event.seconds)
        self.memory_mb = max(self.memory_mb, event.memory_mb)

    def end(self, event: LoopEnded) -> None:
        """Take in the end."""
        self.ended, self.reason, self.says = event.how, event.reason, event.says
