"""The run that stands for a whole fleet, while a scheduler works for it."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from http.client import CONFLICT
from time import time
from uuid import uuid4

from handrail.drive.background_task import background_task
from handrail.drive.daemon_client import DriverReport, LoopStart
from handrail.fleet.engine.engine import FleetEngine
from handrail.fleet.engine.events import FleetBegun
from handrail.fleet.engine.fleet_state import FleetState
from handrail.fleet.questions import questions_for_person
from handrail.fleet.tasks.task import OPEN, TaskStatus
from handrail.server.driving.driver_client import SocketDaemonClient
from handrail.server.home import Home
from handrail.server.http.socket_client import RefusedError
from handrail.words.amounts import count

_MAX_NAMED = 5


class FleetRegistration:
    """Registers the run, counts finished tasks as its iterations, and reports its end."""

    def __init__(
        self,
        home: Home,
        engine: FleetEngine,
        top: str,
        environ: Mapping[str, str] = os.environ,
        *,
        slots: int = 0,
        budget_usd: float = 0.0,
    ) -> None:
        """`top`: the main work tree of the repository; `slots`, `budget_usd`: what its agents
        share."""
        self._home = home
        self._engine = engine
        self._top = top
        self._slots = slots
        self._budget = budget_usd
        self._environ = environ
        self._finished = 0
        self._changed = asyncio.Event()

    def on_change(self, state: FleetState) -> None:
        """Take note of the tasks that are over."""
        finished = sum(each.status not in OPEN for each in state.tasks.values())
        if finished != self._finished:
            self._finished = finished
            self._changed.set()

    @asynccontextmanager
    async def registered(self) -> AsyncIterator[None]:
        """Have the fleet known as one run during a block; another scheduler's run stays."""
        client = await self._begin()
        if client is None:
            yield
            return
        async with background_task(self._count(client)):
            yield
        state = await asyncio.to_thread(self._engine.state)
        if not state.given_up:
            await client.report(_end_of(state))

    async def _begin(self) -> SocketDaemonClient | None:
        state = await asyncio.to_thread(self._engine.state)
        run = state.run if state.run and not state.given_up else str(uuid4())
        begun = FleetBegun(time(), run, self._top, self._slots, self._budget)
        await asyncio.to_thread(self._engine.record, begun)
        client = SocketDaemonClient(self._home, run, environ=self._environ)
        start = LoopStart(
            goal=_goal(state),
            cwd=self._top,
            max=len(state.tasks),
            driver=os.getpid(),
            mode="grind",
        )
        try:
            await client.begin(start)
        except RefusedError as error:
            if error.status != CONFLICT:
                raise
            return None
        return client

    async def _count(self, client: SocketDaemonClient) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            await client.note_iteration(self._finished)


def _goal(state: FleetState) -> str:
    names = [each.task.id for each in state.tasks.values() if each.status in OPEN]
    more = len(names) - _MAX_NAMED
    listed = ", ".join(names[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
    return f"{count(len(names), 'task')}: {listed}" if names else "no open task"


def _end_of(state: FleetState) -> DriverReport:
    done = sum(each.status is TaskStatus.DONE for each in state.tasks.values())
    is_complete = done == len(state.tasks)
    open_tasks = (each for each in state.tasks.values() if each.status in OPEN)
    waiting = sum(len(questions_for_person(each)) for each in open_tasks)
    asks = f"; {count(waiting, 'question')} for you" if waiting else ""
    return DriverReport(
        kind="done",
        reason="COMPLETE" if is_complete else "STUCK",
        says=f"{done} of {len(state.tasks)} tasks are done{asks}",
        iteration=done,
    )
