"""The process of the agent: one at a time, started again when it is gone."""

import asyncio
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Protocol, Self

from handrail.hosts.driven_agent import AgentGoneError, DrivenAgent


class StartAgent(Protocol):
    """How an agent's process is begun."""

    def __call__(self, *, resume: bool, model: str) -> AbstractAsyncContextManager[DrivenAgent]:
        """Whoever leaves the context finds no process left.

        `resume`: go on with its conversation, where there is one. `model`: empty is the host's
        own choice. Entering raises AgentGoneError or OSError.
        """


class AgentProcess:
    """Used in one event loop: the loop fills and clears it, orders reach the agent in it."""

    def __init__(self, start: StartAgent, model: str, *, resume: bool) -> None:
        """`resume`: there was an agent in it before."""
        self.agent: DrivenAgent | None = None
        self.model = model
        """The one that was asked for last; the next process gets it, too."""
        self.resumed = False
        """Whether the agent was started to go on with a conversation."""
        self.interrupts = 0
        """How often somebody wanted the agent to break off."""
        self._start = start
        self._resume = resume
        self._held = AsyncExitStack()
        self._changing = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.clear()

    async def fill(self) -> DrivenAgent:
        """Start an agent, unless there is one; raises AgentGoneError or OSError."""
        async with self._changing:
            if self.agent is None:
                starting = self._start(resume=self._resume, model=self.model)
                self.agent = await self._held.enter_async_context(starting)
                self.resumed = self._resume
            return self.agent

    def sent_on(self) -> None:
        """The agent has got a prompt: from now on there is something to go on with."""
        self._resume = True

    async def clear(self) -> None:
        """End the agent for certain."""
        async with self._changing:
            self.agent = None
            await self._held.aclose()

    async def interrupt(self) -> bool:
        """Break off the turn; False: none was under way. Raises AgentSilentError.

        No turn begins any more that was allowed before.
        """
        self.interrupts += 1
        try:
            return self.agent is not None and await self.agent.interrupt()
        except AgentGoneError:
            return False

    async def set_model(self, model: str) -> str:
        """Use another model from now on, in later processes too; gives the one before.

        Raises ModelError or AgentSilentError; then everything stays as it was.
        """
        async with self._changing:  # one that is just being started would not hear of it
            before = self.model
            try:
                if self.agent is not None:
                    before = await self.agent.set_model(model) or before
            except AgentGoneError:
                pass  # the next one gets it
            self.model = model
            return before
