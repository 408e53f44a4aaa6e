"""One turn of the agent, watched: who uses too much is interrupted."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import msgspec

from handrail.drive.agent_process import AgentProcess
from handrail.drive.background_task import background_task
from handrail.drive.usage import LoopLimits, ProcessSample, UsageMeter
from handrail.hosts.driven_agent import AgentGoneError, AgentSilentError, AgentTurn, DrivenAgent

LOOK_EVERY = 2.0
PATIENCE = 15.0
"""Seconds in which an agent has to let itself be interrupted; then it is ended."""


class TurnMonitor:
    """Looks at the agent's processes while it is at work."""

    def __init__(
        self,
        meter: UsageMeter,
        limits: LoopLimits,
        sample: Callable[[int], ProcessSample],
        sleep: Callable[[float], Awaitable[None]],
        held: Callable[[], bool],
    ) -> None:
        """`held`: whether a person has paused the run."""
        self._meter = meter
        self._limits = limits
        self._sample = sample
        self._sleep = sleep
        self._held = held
        self.tokens = 0
        """What the turn has used when it was looked at last, about."""

    async def look(self, agent: DrivenAgent, turn: asyncio.Timeout) -> None:
        """Until a limit is met: then the turn is interrupted, and cut off if that does not help."""
        self.tokens = 0
        while not await self._too_much(agent):
            pass
        await self._break_off(agent, turn)

    async def _too_much(self, agent: DrivenAgent) -> bool:
        await self._sleep(LOOK_EVERY)
        seen = await asyncio.to_thread(self._sample, agent.pid)
        held = seen.frozen or self._held()
        self._meter.hold(held)
        self._meter.record_memory(seen.memory_mb)
        self.tokens = agent.tokens
        used = self._meter.usage
        used = msgspec.structs.replace(used, tokens=used.tokens + self.tokens)
        # Who is frozen could not be interrupted; who is paused is to find everything as it was.
        return not held and self._limits.met(used) is not None

    async def _break_off(self, agent: DrivenAgent, turn: asyncio.Timeout) -> None:
        async def ask() -> None:
            with suppress(AgentGoneError, AgentSilentError):
                await agent.interrupt()

        async with background_task(ask()):  # one that hangs may not answer that, either
            await self._sleep(PATIENCE)
        turn.reschedule(asyncio.get_running_loop().time())


async def take_turn(
    process: AgentProcess, agent: DrivenAgent, prompt: str, watch: TurnMonitor, *, interrupts: int
) -> AgentTurn | AgentGoneError | None:
    """Send the agent on and wait until it stops.

    `interrupts`: of the process, when it was asked whether a turn may begin. Were there more since
    then, that answer is void, and nothing is begun: None.
    """
    limit = asyncio.timeout(None)
    try:
        async with limit, background_task(watch.look(agent, limit)):
            if process.interrupts != interrupts:
                return None
            process.sent_on()
            return await agent.take_turn(prompt)
    except AgentGoneError as error:
        return error
    except TimeoutError:
        if not limit.expired():
            raise
        return AgentTurn(problem=f"it was interrupted, and has not stopped for {PATIENCE:g} s")
