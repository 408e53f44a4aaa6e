"""Wakes the event loop from other threads, and tasks that wait for a change."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVarTuple

Args = TypeVarTuple("Args")


def call_in_loop(
    loop: asyncio.AbstractEventLoop | None, function: Callable[[*Args], object], *args: *Args
) -> None:
    """Call a function in an event loop, if there is one; callable from any thread."""
    if loop is not None:
        with suppress(RuntimeError):  # it has ended, and nobody waits any more
            loop.call_soon_threadsafe(function, *args)


class WakeUp:
    """A signal without lost wake-ups: take `next`, check the condition, then wait for `next`."""

    def __init__(self) -> None:
        self.next = asyncio.Event()

    def ring(self) -> None:
        """Wake every task that took `next` before."""
        self.next.set()
        self.next = asyncio.Event()


async def wait_for_ring(event: asyncio.Event, seconds: float) -> bool:
    """Wait for a ring; return False if none came in time."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True
