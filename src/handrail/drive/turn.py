"""Take one turn with the agent, and interrupt it when it uses too much."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import msgspec

from handrail.drive.agent_process import AgentProcess
from handrail.drive.background_task import background_task
from handrail.drive.usage import LoopLimits, LoopUsage, ProcessSample, UsageMeter
from handrail.hosts.driven_agent import AgentGoneError, AgentSilentError, AgentTurn, DrivenAgent

LOOK_EVERY = 2.0
REPORT_EVERY = 15
"""Looks between two reports: a driver that is killed leaves the usage until then."""
PATIENCE = 15.0
"""Seconds that an agent has to obey an interrupt; then the driver ends it."""


class TurnMonitor:
    """Watch the usage of the agent's processes during a turn."""

    def __init__(
        self,
        meter: UsageMeter,
        limits: LoopLimits,
        sample: Callable[[int], ProcessSample],
        sleep: Callable[[float], Awaitable[None]],
        held: Callable[[], bool],
        report: Callable[[], Awaitable[None]],
    ) -> None:
        """`held`: returns whether a person has paused the run; `report`: reports the usage."""
        self._meter = meter
        self._limits = limits
        self._sample = sample
        self._sleep = sleep
        self._held = held
        self._report = report
        self.tokens = 0
        """Approximate tokens of the turn at the last look; the meter does not have them yet."""

    async def look(self, agent: DrivenAgent, turn: asyncio.Timeout) -> None:
        """Watch until a limit is reached; then interrupt the turn, or end an agent that goes on."""
        self.tokens = 0
        looks = 0
        while not await self._too_much(agent):
            looks += 1
            if looks % REPORT_EVERY == 0:
                await self._report()
        await self._break_off(agent, turn)

    async def _too_much(self, agent: DrivenAgent) -> bool:
        await self._sleep(LOOK_EVERY)
        seen = await asyncio.to_thread(self._sample, agent.pid)
        held = seen.frozen or self._held()
        self._meter.hold(held)
        self._meter.record_memory(seen.memory_mb)
        self.tokens = agent.tokens
        # A frozen agent cannot be interrupted, and a paused one must find everything unchanged.
        return not held and self._limits.met(self.usage) is not None

    @property
    def usage(self) -> LoopUsage:
        """Return the usage until now, with the present turn."""
        used = self._meter.usage
        return msgspec.structs.replace(used, tokens=used.tokens + self.tokens)

    def end_turn(self, *, tokens: int, cost_usd: float = 0.0) -> None:
        """Add a turn that has ended; an interrupted one may report less than was seen."""
        self._meter.add(tokens=max(tokens, self.tokens), cost_usd=cost_usd)
        self.tokens = 0

    async def _break_off(self, agent: DrivenAgent, turn: asyncio.Timeout) -> None:
        async def ask() -> None:
            with suppress(AgentGoneError, AgentSilentError):
                await agent.interrupt()

        async with background_task(ask()):  # an agent that hangs may not answer this either
            await self._sleep(PATIENCE)
        turn.reschedule(asyncio.get_running_loop().time())


async def take_turn(
    process: AgentProcess, agent: DrivenAgent, prompt: str, watch: TurnMonitor, *, interrupts: int
) -> AgentTurn | AgentGoneError | None:
    """Send the agent a prompt, and wait until it stops.

    `interrupts`: their number when the driver asked to begin this turn. If there have been more
    since, the permission is void, and no turn begins: None.
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
