"""A loop of iterations that Handrail drives, as the events tell it."""

from typing import Literal

import msgspec

from handrail.model.event import IterationBegun, LoopBegun, LoopEnded, UsageMeasured, Verified


class LoopState(msgspec.Struct, omit_defaults=True):
    """A fold of events, as the state that it is part of."""

    goal: str
    max: int
    mode: str = "loop"
    verify: str = ""
    driver: int = 0
    """The process that drives it."""
    driver_began: float = 0.0
    """When that began, in seconds since the machine did; 0: that is not known."""
    iteration: int = 0
    verified: bool = False
    """The last thing that the verify command said."""
    ended: Literal["", "done", "abort"] = ""
    reason: str = ""
    tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0
    memory_mb: float = 0.0

    @classmethod
    def begun(cls, event: LoopBegun, before: "LoopState | None") -> "LoopState":
        """The loop from here on; what it has used and how far it was stays."""
        loop = cls(event.goal, event.max) if before is None else before
        loop.goal, loop.max, loop.mode = event.goal, event.max, event.mode
        loop.verify = event.verify
        loop.driver, loop.driver_began = event.driver, event.driver_began
        loop.ended, loop.reason = "", ""
        return loop

    def go_on(self, event: IterationBegun) -> None:
        """The agent was sent on."""
        self.iteration = event.iteration
        self.verified = False

    def verify_with(self, event: Verified) -> None:
        """The verify command has run."""
        self.verified = event.ok

    def use(self, event: UsageMeasured) -> None:
        """It was measured what it has used."""
        self.tokens = max(self.tokens, event.tokens)
        self.cost_usd = max(self.cost_usd, event.cost_usd)
        self.seconds = max(self.seconds, event.seconds)
        self.memory_mb = max(self.memory_mb, event.memory_mb)

    def end(self, event: LoopEnded) -> None:
        """It has come to its end."""
        self.ended, self.reason = event.how, event.reason
