"""Start, restart and end the agent's process; there is one at a time."""

import asyncio
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Protocol, Self

from handrail.drive.model_check import ModelCheck
from handrail.hosts.driven_agent import AgentGoneError, DrivenAgent


class StartAgent(Protocol):
    """Start an agent's process."""

    def __call__(self, *, resume: bool, model: str) -> AbstractAsyncContextManager[DrivenAgent]:
        """Start the process; leaving the context ends it.

        `resume`: go on with its conversation, if it has one. `model`: empty is the host's own
        choice. Entering raises AgentGoneError or OSError.
        """


class AgentProcess:
    """The agent's process, for one event loop: the loop starts and ends it, orders reach it."""

    def __init__(self, start: StartAgent, model: str, *, resume: bool) -> None:
        """`resume`: an earlier process has a conversation to go on with."""
        self.agent: DrivenAgent | None = None
        self.model = model
        """The last model that a person asked for; later processes get it too."""
        self.resumed = False
        """The agent was started to go on with a conversation."""
        self.model_check = ModelCheck()
        self.interrupts = 0
        """The number of requests to interrupt the agent."""
        self._start = start
        self._resume = resume
        self._held = AsyncExitStack()
        self._changing = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.clear()

    async def fill(self) -> DrivenAgent:
        """Start an agent unless one is running; raises AgentGoneError or OSError."""
        async with self._changing:
            if self.agent is None:
                starting = self._start(resume=self._resume, model=self.model)
                self.agent = await self._held.enter_async_context(starting)
                self.resumed = self._resume
            return self.agent

    def sent_on(self) -> None:
        """Note that the agent got a prompt: the next process can resume its conversation."""
        self._resume = True

    async def clear(self) -> None:
        """End the agent's process for certain."""
        async with self._changing:
            self.agent = None
            await self._held.aclose()

    async def interrupt(self) -> bool:
        """Interrupt the turn; False: the agent had none. Raises AgentSilentError.

        Permissions for a turn from before are void.
        """
        self.interrupts += 1
        try:
            return self.agent is not None and await self.agent.interrupt()
        except AgentGoneError:
            return False

    async def set_model(self, model: str) -> str:
        """Use another model from now on, in later processes too; return the previous one.

        Raises ModelError or AgentSilentError; then everything stays as it was.
        """
        async with self._changing:  # an agent that is just starting would not hear of it
            before = self.model
            try:
                if self.agent is not None:
                    before = await self.agent.set_model(model) or before
            except AgentGoneError:
                pass  # the next process gets it
            self.model = model
            self.model_check.ask(model)
            return before
