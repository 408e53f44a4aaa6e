"""An agent that Handrail drives: a program that takes prompts one after the other."""

from typing import Protocol

import msgspec

MARK = "DRIVEN_BY_HANDRAIL"
"""In the environment of a driven agent and all that it starts: the run. A host may put the id of
its session only into that of its children. The name does not begin with `HANDRAIL_`: such variables
are passed on to a daemon that somebody starts, and it is no process of the run."""


class AgentTurn(msgspec.Struct, frozen=True):
    """What an agent did between a prompt and the moment it stopped."""

    says: str = ""
    """Its last words."""
    problem: str = ""
    """Why it ended badly; empty: it did not."""
    interrupted: bool = False
    tokens: int = 0
    """Used in this turn, read and written."""
    cost_usd: float = 0.0
    """Of this turn."""
    model: str = ""
    """The one that answered last."""


class AgentGoneError(Exception):
    """The agent's process has ended."""

    def __init__(self, code: int, says: str) -> None:
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        super().__init__(f"the agent {how}: {says}" if says else f"the agent {how}")
        self.code = code
        self.says = says


class AgentSilentError(Exception):
    """The agent's process does not answer: it hangs, or it is frozen."""

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(f"the agent has not answered for {seconds:g} s: {what}")
        self.what = what
        self.seconds = seconds


class DrivenAgent(Protocol):
    """One process of an agent. Turns come one after the other; the rest may come in between."""

    pid: int
    model: str

    @property
    def tokens(self) -> int:
        """What the turn under way has used by now, about."""

    async def take_turn(self, prompt: str) -> AgentTurn:
        """Send it on, and wait until it stops; raises AgentGoneError.

        It can be interrupted from the call on, before the prompt is sent too.
        """

    async def interrupt(self) -> bool:
        """Break off the turn, the model's answer too; False: none was under way.

        Returns when it is broken off. Raises AgentGoneError or AgentSilentError.
        """

    async def set_model(self, model: str) -> str:
        """Use another model from the next call on; gives the one before.

        Raises ModelError, AgentGoneError or AgentSilentError.
        """

    async def end(self) -> None:
        """Let it end by itself; for certain it is ended by whoever looks after its processes."""


class ModelError(ValueError):
    """The agent does not take a model."""
