"""A bell that wakes everybody who waits, and misses nobody."""

import asyncio


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
