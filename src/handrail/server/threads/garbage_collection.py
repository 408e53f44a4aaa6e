"""Chooses the moments for garbage collection: young objects often, all objects when idle.

A full collection takes as long as a hundred answers. Reference counting frees the objects of a
hook (`tests/server/threads/test_garbage_collection.py` checks it). A collection finds hardly
anything, so a full one can wait for an idle moment.
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
_YOUNG = 1_000
"""New objects until a young collection, which takes half a millisecond for so many. Hooks leave
hardly any cycles, so looking more often costs no more."""
_OLDER = 200
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
