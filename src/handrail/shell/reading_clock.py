"""The clock for deadlines: this thread's processor time, without pauses of the collector.

In a process with a large heap, a full garbage collection takes longer than a review. It happens to
run in whichever thread allocates, and says nothing about the command that is being read.
"""

import gc
import threading
from time import thread_time


class _Pauses(threading.local):
    """Time that full collections took in this thread."""

    total = 0.0
    began = -1.0


_pauses = _Pauses()


def reading_time() -> float:
    """Seconds that this thread has worked, apart from collecting garbage."""
    return thread_time() - _pauses.total


def _measure(phase: str, info: dict[str, int]) -> None:
    if info["generation"] == 0:
        return  # frequent and short: to look at the clock would take longer
    if phase == "start":
        _pauses.began = thread_time()
    elif _pauses.began >= 0:
        _pauses.total += thread_time() - _pauses.began
        _pauses.began = -1.0


gc.callbacks.append(_measure)
