"""Steps of git in a thread, for callers on an event loop."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """Run a step of git in a thread; whoever is cancelled waits until it has ended."""
    step = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(step)
    except asyncio.CancelledError:
        await asyncio.wait((step,))
        raise
