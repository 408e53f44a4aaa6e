"""Chooses the moments for garbage collection: young objects often, all objects when idle.

A full collection takes as long as a hundred answers. Reference counting frees the objects of a
hook, or a young collection does (`tests/server/test_garbage` checks it). A full collection finds
hardly anything, so it can wait for an idle moment.
"""

import asyncio
import gc
from collections.abc import Awaitable, Callable
from typing import Protocol

LOOK_SECONDS = 1.0
DUE = 5_000
"""Jobs after which the next idle moment is used for a full collection."""
OVERDUE = 200_000
"""Jobs after which a full collection no longer waits for an idle moment."""
_YOUNG = 10_000
"""New objects until a young collection: some dozen hooks make as many, and keep hardly any."""
_OLDER = 20
_NEVER = 1_000_000


class WorkCounter(Protocol):
    """Counts the jobs that were done."""

    jobs_done: int


def freeze_long_lived_objects() -> None:
    """Freeze the long-lived objects, and switch automatic full collections off."""
    gc.collect()
    gc.freeze()  # what was loaded stays, and is not looked through at all
    gc.set_threshold(_YOUNG, _OLDER, _NEVER)


async def collect_when_idle(
    supervision: WorkCounter,
    collect: Callable[[], object] = gc.collect,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> None:
    """Collect everything now and then, in an idle moment, until cancelled."""
    seen = collected = supervision.jobs_done
    while True:
        await sleep(LOOK_SECONDS)
        idle = supervision.jobs_done == seen
        seen = supervision.jobs_done
        if seen - collected >= (DUE if idle else OVERDUE):
            collect()
            collected = seen
