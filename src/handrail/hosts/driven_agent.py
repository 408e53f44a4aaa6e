"""The interface of a driven agent: a program that takes prompts one after the other."""

from typing import Protocol

import msgspec

MARK = "DRIVEN_BY_HANDRAIL"
"""The variable with the run, for a driven agent and all its processes. A host may set the id of
its session only for its children. The name does not begin with `HANDRAIL_`: such variables
reach a daemon that a command starts, and the daemon is no process of the run."""


class AgentTurn(msgspec.Struct, frozen=True):
    """The work of an agent between a prompt and its stop."""

    says: str = ""
    """Its last message."""
    problem: str = ""
    """Why it ended badly, or ""."""
    interrupted: bool = False
    tokens: int = 0
    """Tokens read and written in this turn."""
    cost_usd: float = 0.0
    """The cost of this turn."""
    model: str = ""
    """The last model that answered."""


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
    """One process of an agent. Turns follow each other; other calls may come in between."""

    pid: int
    model: str

    @property
    def tokens(self) -> int:
        """Return the approximate tokens of the present turn."""

    async def take_turn(self, prompt: str) -> AgentTurn:
        """Send a prompt, and wait until the agent stops; raises AgentGoneError.

        It can be interrupted from this call on, even before the prompt is sent.
        """

    async def interrupt(self) -> bool:
        """Interrupt the turn, including the model's answer; False: there was none.

        Returns after the interruption. Raises AgentGoneError or AgentSilentError.
        """

    async def set_model(self, model: str) -> str:
        """Use another model from the next call on; return the previous one.

        Raises ModelError, AgentGoneError or AgentSilentError.
        """

    async def end(self) -> None:
        """Let it end by itself; the owner of its processes ends it for certain."""


class ModelError(ValueError):
    """The agent rejects a model."""
