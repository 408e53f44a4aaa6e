"""Is a daemon that says nothing stopped, stuck or only slow? Told from what Linux knows of it."""

import os
from collections import deque
from typing import NamedTuple

WINDOW = 10.0
"""Seconds of silence after which a daemon may be stuck."""
_FEW_SAMPLES = 8
"""A guardian that was itself held up has seen too little to judge."""
_IDLE, _SPINNING = 0.01, 0.95
"""Shares of one processor: less is no progress, more is a thread that does not come back."""
_TICKS = os.sysconf("SC_CLK_TCK")


class ThreadSample(NamedTuple):
    """What a thread was doing at one moment."""

    at: float
    state: str
    """`S` sleeps, `R` runs or wants to, `D` waits for a disk, `T` is stopped."""
    seconds: float
    """Processor time so far."""


def sample(pid: int, thread: int, at: float) -> ThreadSample | None:
    """Look at a thread; None where the system does not tell."""
    try:
        with open(f"/proc/{pid}/task/{thread}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return ThreadSample(at, fields[0].decode(), (int(fields[11]) + int(fields[12])) / _TICKS)


class SilentThread:
    """The last looks at a thread that should have answered."""

    def __init__(self) -> None:
        self._samples: deque[ThreadSample] = deque()

    def add(self, seen: ThreadSample) -> None:
        """Remember a look."""
        self._samples.append(seen)
        while seen.at - self._samples[0].at > 2 * WINDOW:
            self._samples.popleft()

    def clear(self) -> None:
        """It has answered."""
        self._samples.clear()

    def problem(self) -> str:
        """Why it will not come back; empty as long as it may: the machine can be busy."""
        seen = self._samples
        if len(seen) < _FEW_SAMPLES or seen[-1].at - seen[0].at < WINDOW:
            return ""
        share = (seen[-1].seconds - seen[0].seconds) / (seen[-1].at - seen[0].at)
        if share < _IDLE and all(each.state == "S" for each in seen):
            return "it waits for something that does not come"
        return "it computes without end" if share > _SPINNING else ""
