"""When the daemon looks for garbage: among what is new often, among everything when it is idle.

To look through all that is known of all runs takes as long as a hundred answers. What a hook leaves
behind is freed without being looked for, or is found among what is new (`tests/server/test_garbage`
holds that); so there is hardly anything to find, and that can wait until nobody waits for it.
"""

import asyncio
import gc
from collections.abc import Awaitable, Callable
from typing import Protocol

LOOK_SECONDS = 1.0
DUE = 5_000
"""Jobs after which a moment without any is used to look through everything."""
OVERDUE = 200_000
"""Jobs after which there is no more waiting for such a moment."""
_NEVER = 1_000_000


class WorkCounter(Protocol):
    """Counts the jobs that were done."""

    jobs_done: int


def spare_what_stays() -> None:
    """From now on nobody looks through everything, if not told to."""
    gc.collect()
    gc.freeze()  # what was loaded stays, and is not looked through at all
    young, older, _ = gc.get_threshold()
    gc.set_threshold(young, older, _NEVER)


async def collect_when_idle(
    supervision: WorkCounter,
    collect: Callable[[], object] = gc.collect,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> None:
    """Look through everything now and then, at a good moment, for ever."""
    seen = collected = supervision.jobs_done
    while True:
        await sleep(LOOK_SECONDS)
        idle = supervision.jobs_done == seen
        seen = supervision.jobs_done
        if seen - collected >= (DUE if idle else OVERDUE):
            collect()
            collected = seen
