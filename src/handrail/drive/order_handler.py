"""Carry out and answer the daemon's orders while the agent works."""

import asyncio
from collections.abc import Awaitable, Callable

from handrail.drive.agent_process import AgentProcess
from handrail.drive.daemon_client import DaemonClient, DriverOrder, DriverReport
from handrail.hosts.driven_agent import AgentGoneError, AgentSilentError, ModelError

_REMEMBERED = 100


class OrderHandler:
    """Carry out orders one after the other; each request once, however often it comes."""

    def __init__(self, client: DaemonClient, process: AgentProcess) -> None:
        self._client = client
        self._process = process
        self._starts: asyncio.Queue[DriverOrder | None] = asyncio.Queue()
        self._over = False
        self._answered: dict[str, DriverReport | None] = {}
        """Answers by request; None: the loop will answer."""
        self._does: dict[str, Callable[[DriverOrder], Awaitable[DriverReport | None]]] = {
            "interrupt": self._interrupt,
            "set_model": self._set_model,
            "start": self._start,
        }

    async def listen(self) -> None:
        """Handle orders until the run is over."""
        async for order in self._client.orders():
            if order.request in self._answered:
                report = self._answered[order.request]
            else:
                report = await self._does[order.order](order)
                self._remember(order.request, report)
            if report is not None:
                await self._client.report(report)
        self._over = True
        self._starts.put_nowait(None)

    async def started_again(self) -> bool:
        """Wait until an order starts the agent; False: the run is over."""
        while not self._over or not self._starts.empty():
            order = await self._starts.get()
            if order is not None and await self._carry_out(order):
                return True
        return False

    async def answer_late(self) -> None:
        """Answer orders to start an agent that is already running."""
        while not self._starts.empty():
            if order := self._starts.get_nowait():
                await self._carry_out(order)

    async def _carry_out(self, order: DriverOrder) -> bool:
        try:
            agent = await self._process.fill()
            report = _answer(order, f"The agent runs as process {agent.pid}")
        except (AgentGoneError, OSError) as error:
            report = _answer(order, f"The agent cannot be started: {error}", ok=False)
        self._remember(order.request, report)
        await self._client.report(report)
        return report.ok

    async def _interrupt(self, order: DriverOrder) -> DriverReport:
        try:
            if await self._process.interrupt():
                return _answer(order, "The turn was broken off")
        except AgentSilentError as error:
            return _answer(order, str(error), ok=False)
        return _answer(order, "No turn was under way, and none begins")

    async def _set_model(self, order: DriverOrder) -> DriverReport:
        try:
            before = await self._process.set_model(order.model)
        except (ModelError, AgentSilentError) as error:
            return _answer(order, str(error), ok=False)
        says = f"{order.model} from the next call on"
        return _answer(order, says, model=order.model, previous_model=before)

    async def _start(self, order: DriverOrder) -> None:
        """Leave the start to the loop: only it knows when an agent may start."""
        self._starts.put_nowait(order)

    def _remember(self, request: str, report: DriverReport | None) -> None:
        self._answered[request] = report
        if len(self._answered) > _REMEMBERED:
            del self._answered[next(iter(self._answered))]


def _answer(
    order: DriverOrder, says: str, *, ok: bool = True, model: str = "", previous_model: str = ""
) -> DriverReport:
    return DriverReport(
        kind="order",
        request=order.request,
        ok=ok,
        says=says,
        model=model,
        previous_model=previous_model,
    )
