"""Where actions wait while their run is paused."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from enum import Enum
from time import perf_counter

from handrail.model.control import HOLDING
from handrail.model.event import ControlAnswered, ControlAsked, Event, RunEnded
from handrail.supervise.hold import Hold
from handrail.supervise.supervisor import Supervisor

_MOST = 500
"""Actions of one run that wait at the same time; more are no agent's, and are answered at once."""
_CHANGES = (ControlAsked, ControlAnswered, RunEnded)

Gone = Callable[[], Awaitable[None]]
"""Returns when nobody waits for the answer any more."""


class Held(Enum):
    """How it ended that an action had to wait."""

    GOES_ON = 1
    """The run is not held any more; or it is again, which is seen when the action is decided."""
    TOO_LONG = 2
    """The host waits no longer: the action has to be answered."""
    GONE = 3
    """Nobody wants an answer."""


class Boundary:
    """Waits in the event loop; hears of runs in the brain's thread."""

    def __init__(self, seconds: Callable[[Hold], Awaitable[float]]) -> None:
        """`seconds`: for how long an action may be held, 0 if its run is not held any more."""
        self._seconds = seconds
        self._waiting: dict[str, set[asyncio.Future[Held]]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closing = False

    def hear(self, supervisor: Supervisor, event: Event) -> None:
        """A run may go on; called in the brain's thread."""
        state = supervisor.state
        if not isinstance(event, _CHANGES) or state.hand.standing in HOLDING:
            return
        if self._loop is not None:
            with suppress(RuntimeError):  # it has ended
                self._loop.call_soon_threadsafe(self._release, state.run, Held.GOES_ON)

    async def wait(self, hold: Hold, began: float, gone: Gone) -> Held:
        """Until the run goes on, or an action has to be answered.

        `began`: when it came, by `perf_counter`.
        """
        loop = self._loop = asyncio.get_running_loop()
        waiter: asyncio.Future[Held] = loop.create_future()
        waiting = self._waiting.setdefault(hold.run, set())
        if len(waiting) >= _MOST:
            return Held.TOO_LONG
        waiting.add(waiter)
        leaving = asyncio.ensure_future(gone())
        leaving.add_done_callback(lambda _: _tell(waiter, Held.GONE))
        try:
            # Asked when nothing can be missed any more.
            seconds = await self._seconds(hold)
            if not seconds:
                return Held.GOES_ON
            left = began + seconds - perf_counter()
            timer = loop.call_later(left, _tell, waiter, Held.TOO_LONG)
            try:
                return Held.TOO_LONG if self._closing else await waiter
            finally:
                timer.cancel()
        finally:
            leaving.cancel()
            waiting.discard(waiter)
            if not waiting:
                self._waiting.pop(hold.run, None)

    def close(self) -> None:
        """The daemon ends: who waits is answered now. Called in the event loop."""
        self._closing = True
        for run in list(self._waiting):
            self._release(run, Held.TOO_LONG)

    def _release(self, run: str, how: Held) -> None:
        for waiter in self._waiting.get(run, ()):
            _tell(waiter, how)


def _tell(waiter: asyncio.Future[Held], how: Held) -> None:
    if not waiter.done():
        waiter.set_result(how)
