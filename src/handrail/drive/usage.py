"""Measure a loop's tokens, money, time and memory, and compare them with its limits."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import NamedTuple

import msgspec
import psutil

from handrail.supervise.state.loop_state import LoopState

MAX_ITERATIONS = "max_iterations"
_MB = 1024 * 1024


class LoopUsage(msgspec.Struct, frozen=True, kw_only=True):
    """The total usage so far."""

    iterations: int = 0
    """Completed iterations."""
    tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0
    """Time at work, without the time on hold."""
    memory_mb: float = 0.0
    """The present memory of its processes."""
    peak_mb: float = 0.0
    """The peak of `memory_mb`."""


class ReachedLimit(NamedTuple):
    """A limit that the loop has reached."""

    limit: str
    says: str
    used: float
    most: float


class LoopLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of a loop; 0: no limit."""

    max_iterations: int = 10
    max_minutes: float = 0.0
    max_cost_usd: float = 0.0
    max_tokens: int = 0
    max_memory_mb: float = 0.0

    def met(self, usage: LoopUsage) -> ReachedLimit | None:
        """Return the first reached limit, in the order of the table; None: no limit is reached."""
        for limit, most, used, says in (
            ("max_cost_usd", self.max_cost_usd, usage.cost_usd, "${:,.2f} of ${:,.2f}"),
            ("max_tokens", self.max_tokens, usage.tokens, "{:,.0f} of {:,.0f} tokens"),
            ("max_minutes", self.max_minutes, usage.seconds / 60, "{:,.1f} of {:,.1f} minutes"),
            ("max_memory_mb", self.max_memory_mb, usage.memory_mb, "{:,.0f} of {:,.0f} MB memory"),
            (
                MAX_ITERATIONS,
                self.max_iterations,
                usage.iterations,
                "{:,.0f} of {:,.0f} iterations",
            ),
        ):
            if 0 < most <= used:
                return ReachedLimit(limit, says.format(used, most) + " used", used, most)
        return None


def limits_of(loop: LoopState) -> LoopLimits:
    """Return the limits of the last start of a loop."""
    return LoopLimits(
        max_iterations=loop.max,
        max_minutes=loop.max_minutes,
        max_cost_usd=loop.max_cost_usd,
        max_tokens=loop.max_tokens,
        max_memory_mb=loop.max_memory_mb,
    )


class UsageMeter:
    """Add up the usage of a loop."""

    def __init__(self, so_far: LoopUsage, clock: Callable[[], float] = monotonic) -> None:
        """`so_far`: the usage under earlier drivers."""
        self._used = so_far
        self._clock = clock
        self._since: float | None = None

    @property
    def usage(self) -> LoopUsage:
        """Return the usage until now."""
        running = 0.0 if self._since is None else self._clock() - self._since
        return msgspec.structs.replace(self._used, seconds=self._used.seconds + running)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Count the time inside this block, except while the agent is held."""
        self.hold(False)
        try:
            yield
        finally:
            self.hold(True)

    def hold(self, held: bool) -> None:
        """Stop the clock while a person holds the agent, for example frozen; then go on."""
        self._used = self.usage
        self._since = None if held else self._clock()

    def add(self, *, tokens: int = 0, cost_usd: float = 0.0) -> None:
        """Add the usage of a turn."""
        self._used = msgspec.structs.replace(
            self._used,
            tokens=self._used.tokens + max(tokens, 0),
            cost_usd=self._used.cost_usd + max(cost_usd, 0.0),
        )

    def record_memory(self, memory_mb: float) -> None:
        """Record the present memory of its processes."""
        peak = max(self._used.peak_mb, memory_mb)
        self._used = msgspec.structs.replace(self._used, memory_mb=memory_mb, peak_mb=peak)

    def end_iteration(self, number: int) -> None:
        """Count a completed iteration."""
        self._used = msgspec.structs.replace(self._used, iterations=number)


class ProcessSample(NamedTuple):
    """The usage of a process tree at one moment."""

    memory_mb: float = 0.0
    frozen: bool = False


def sample_processes(pid: int) -> ProcessSample:
    """Measure a process and all below it; takes milliseconds, so keep it off the event loop."""
    try:
        root = psutil.Process(pid)
        frozen = root.status() == psutil.STATUS_STOPPED
        family = [root, *root.children(recursive=True)]
    except psutil.Error:
        return ProcessSample()
    memory = 0
    for process in family:
        with suppress(psutil.Error):  # it has ended meanwhile
            memory += process.memory_info().rss
    return ProcessSample(memory / _MB, frozen)
