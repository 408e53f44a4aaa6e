"""Reaching the event loop: from other threads, and a bell that misses nobody who waits in it."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVarTuple

Args = TypeVarTuple("Args")


def call_in_loop(
    loop: asyncio.AbstractEventLoop | None, function: Callable[[*Args], object], *args: *Args
) -> None:
    """Call a function in an event loop, if there is one. May be called in any thread."""
    if loop is not None:
        with suppress(RuntimeError):  # it has ended, and nobody waits any more
            loop.call_soon_threadsafe(function, *args)


class WakeUp:
    """Take `next`, look whether there is anything to do, and if not, wait for what was taken."""

    def __init__(self) -> None:
        self.next = asyncio.Event()

    def ring(self) -> None:
        """Wake everybody who has taken `next` before."""
        self.next.set()
        self.next = asyncio.Event()


async def heard(event: asyncio.Event, seconds: float) -> bool:
    """Wait for a ring; False: none came in time."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True
