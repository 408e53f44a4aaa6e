"""Holds calls until their run continues, or a person has approved them."""

import asyncio
from collections.abc import Awaitable, Callable
from enum import Enum
from time import perf_counter
from typing import TypeVar

from handrail.model.control import HOLDING
from handrail.model.event import (
    ApprovalDecided,
    ControlAnswered,
    ControlAsked,
    Event,
    Intervened,
    RunEnded,
)
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.server.threads.wake_up import call_in_loop
from handrail.supervise.decision.decision_progress import Held
from handrail.supervise.supervisor import Supervisor

T = TypeVar("T")

_MOST = 500
"""How many calls of one run may wait; no agent has more, so others get an answer at once."""
_CHANGES = (ControlAsked, ControlAnswered, RunEnded, ApprovalDecided, Intervened)

Gone = Callable[[], Awaitable[None]]
"""Returns when nobody waits for the answer any more."""


class Release(Enum):
    """Why the wait of a call ended."""

    GOES_ON = 1
    """The run continues, or was paused again; the decision will tell."""
    TOO_LONG = 2
    """The host waits no longer, so the call needs an answer now."""
    GONE = 3
    """Nobody wants an answer."""


class PauseWaiters:
    """The held calls, in the event loop. Events come from the supervision thread."""

    def __init__(self, supervision: SupervisionThread) -> None:
        self._supervision = supervision
        self._waiting: dict[str, set[asyncio.Future[Release]]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closing = False

    def on_event(self, supervisor: Supervisor, event: Event) -> None:
        """Wake the held calls of a run that continues; called in the supervision thread."""
        state = supervisor.state
        if not isinstance(event, _CHANGES) or state.hand.standing in HOLDING:
            return
        call_in_loop(self._loop, self._release, state.run, Release.GOES_ON)

    async def wait(self, held: Held[T], began: float, gone: Gone) -> Release:
        """Wait until the run continues, or the call needs an answer.

        `began`: when the call came, by `perf_counter`.
        """
        loop = self._loop = asyncio.get_running_loop()
        waiter: asyncio.Future[Release] = loop.create_future()
        waiting = self._waiting.setdefault(held.run, set())
        if len(waiting) >= _MOST:
            return Release.TOO_LONG
        waiting.add(waiter)
        leaving = asyncio.ensure_future(gone())
        leaving.add_done_callback(lambda _: _tell(waiter, Release.GONE))
        try:
            # Asked when nothing can be missed any more.
            seconds = await self._supervision.call(held.seconds)
            if seconds is None:
                return Release.GOES_ON
            left = began + seconds - perf_counter()
            timer = loop.call_later(left, _tell, waiter, Release.TOO_LONG)
            try:
                return Release.TOO_LONG if self._closing else await waiter
            finally:
                timer.cancel()
        finally:
            leaving.cancel()
            waiting.discard(waiter)
            if not waiting:
                self._waiting.pop(held.run, None)

    def close(self) -> None:
        """Release all calls, because the daemon ends; called in the event loop."""
        self._closing = True
        for run in list(self._waiting):
            self._release(run, Release.TOO_LONG)

    def _release(self, run: str, how: Release) -> None:
        for waiter in self._waiting.get(run, ()):
            _tell(waiter, how)


def _tell(waiter: asyncio.Future[Release], how: Release) -> None:
    if not waiter.done():
        waiter.set_result(how)
