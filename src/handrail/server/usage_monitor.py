"""Measure the tokens, the cost and the memory of all runs while their agents work.

Beside the path of hooks: a host's records are files, and processes are counted by the system.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

import msgspec

from handrail.checkpoint import ConversationPosition
from handrail.config.prices import ModelPrice, price_of
from handrail.hosts.port import HostAdapter
from handrail.hosts.token_meter import TokenMeter, TokenReading
from handrail.intervene.processes.process_tree import ProcessIdentity
from handrail.intervene.processes.tree_memory import TreeMemory, measure_trees
from handrail.model.event import UsageSampled
from handrail.server.control.run_processes import agent_of
from handrail.server.threads.supervision_thread import SupervisionThread, SupervisionTimeoutError
from handrail.store.errors import StoreError
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.state.run_state import RunState
from handrail.supervise.supervisor import Supervisor

_log = logging.getLogger(__name__)

_LOOK_EVERY = 1.0
_SHARE = 0.01
"""Of one processor that measuring may take; with many runs, the looks become rarer."""
_MAX_ANSWERS = 32
_LEAST_MB = 32.0
_LEAST_SHARE = 0.1
"""A smaller change of memory is not worth an event."""

Trees = Callable[[Iterable[ProcessIdentity]], dict[int, TreeMemory]]


class _MeasuredRun:
    """One run, as far as measuring needs it. The supervision thread notes, another one measures."""

    def __init__(self, state: RunState) -> None:
        self.state = state
        self.seq = -1
        """The state at the last look: nothing has changed since."""
        self.meter: TokenMeter | None = None
        self.transcript = ""
        """The record that the meter reads."""
        self.pid = 0
        self.process: ProcessIdentity | None = None

    @property
    def is_done(self) -> bool:
        """Return whether nothing more can come: all others are looked at once more at their end."""
        return self.state.phase != "ended" or self.state.seq == self.seq

    def find_process(self) -> ProcessIdentity | None:
        """Return the agent's process; looked for again only if the host names another one."""
        if self.pid != self.state.pid:
            self.pid, self.process = self.state.pid, agent_of(self.state)
        return self.process


class Measurement(NamedTuple):
    """What a look at one run gave."""

    run: _MeasuredRun
    reading: TokenReading | None
    """None: the host keeps no record that Handrail can read."""
    memory: TreeMemory | None
    """None: its process is not known, or gone."""


class UsageMonitor:
    """Look at the runs at work, and record what has changed."""

    def __init__(
        self,
        supervision: SupervisionThread,
        runs: RunRegistry,
        hosts: Mapping[str, HostAdapter],
        place: Callable[[str, str], ConversationPosition],
        clock: Callable[[], float],
        trees: Trees = measure_trees,
    ) -> None:
        """`place`: returns the place in the conversation of a host's run."""
        self._supervision = supervision
        self._runs = runs
        self._hosts = hosts
        self._place = place
        self._clock = clock
        self._trees = trees
        self._known: dict[str, _MeasuredRun] = {}
        self._spent = 0.0
        """Seconds of processor time that the last look took."""

    async def keep(self) -> None:
        """Look from time to time."""
        while True:
            await asyncio.sleep(max(_LOOK_EVERY, self._spent / _SHARE))
            try:
                await self.look()
            except (StoreError, SupervisionTimeoutError, OSError) as error:
                _log.info("cannot measure the runs: %s", error)

    async def look(self) -> None:
        """Measure every run that may have used something since the last look."""
        due = await self._supervision.call_written(self._due, urgent=False)
        if not due:
            return
        for found in await asyncio.to_thread(self._measure, due):
            # One at a time, so that hooks need not wait.
            record = partial(self._record, found)
            await self._supervision.call_written(record, urgent=False)

    # In the supervision thread

    def _due(self) -> list[_MeasuredRun]:
        """Return the runs at work, and those that changed since the last look."""
        known = self._known
        states = {state.run: state for state in self._runs}
        for run in [run for run, each in known.items() if run not in states and each.is_done]:
            del known[run]
        for run, state in states.items():
            if run in known:
                known[run].state = state
            elif state.phase != "ended":
                known[run] = _MeasuredRun(state)
        due = [
            each
            for each in known.values()
            if each.state.phase == "working" or each.state.seq != each.seq
        ]
        for each in due:
            each.seq = each.state.seq
        return due

    def _record(self, found: Measurement) -> None:
        """Record a measurement that tells something new."""
        run = found.run.state.run
        supervisor = self._runs.find(run)
        if supervisor is None:
            return
        event = self._sample(supervisor, found)
        if event is not None:
            supervisor.record(event)
            found.run.seq = supervisor.state.seq
        if supervisor.state.phase == "ended":
            self._known.pop(run, None)
            self._runs.end(run)

    def _sample(self, supervisor: Supervisor, found: Measurement) -> UsageSampled | None:
        usage, reading = supervisor.state.usage, found.reading
        whole, below = found.memory or (0.0, 0.0)
        least = max(_LEAST_MB, usage.memory_mb * _LEAST_SHARE)
        sample = UsageSampled(
            self._clock(),
            usage.tokens,
            usage.cost_usd,
            usage.unpriced,
            memory_mb=round(whole, 1),
            commands_mb=round(below, 1),
        )
        if reading is None or reading.tokens <= usage.tokens:
            return sample if abs(whole - usage.memory_mb) > least else None
        cost, unpriced = cost_of(reading, supervisor.project.config.prices)
        return msgspec.structs.replace(
            sample,
            tokens=reading.tokens,
            cost_usd=cost,
            unpriced=unpriced,
            answers=_unknown(reading, usage.tokens),
        )

    # In a thread of its own

    def _measure(self, due: list[_MeasuredRun]) -> list[Measurement]:
        began = time.thread_time()
        processes = {each: each.find_process() for each in due}
        trees = self._trees(process for process in processes.values() if process is not None)
        found = []
        for each, process in processes.items():
            reading = self._read(each)
            memory = trees.get(process.pid) if process is not None else None
            if reading is not None or memory is not None or each.state.usage.memory_mb:
                found.append(Measurement(each, reading, memory))
        self._spent = time.thread_time() - began
        return found

    def _read(self, run: _MeasuredRun) -> TokenReading | None:
        state = run.state
        host = self._hosts.get(state.host)
        if host is None:
            return None
        place = self._place(state.host, state.run)
        if run.meter is None or place.transcript != run.transcript:
            run.meter = host.token_meter(place, state.started)
            run.transcript = place.transcript
        return None if run.meter is None else run.meter.read()


def cost_of(
    reading: TokenReading, prices: Mapping[str, ModelPrice]
) -> tuple[float, tuple[str, ...]]:
    """Return the cost of all tokens, and the models without a price; 0: it is not known."""
    if reading.cost_usd:
        return reading.cost_usd, ()
    total, unpriced = 0.0, []
    for model, count in sorted(reading.models.items()):
        price = price_of(model, prices)
        if price is None:
            unpriced.append(model)
            continue
        total += price.cost_usd(
            read=count.input,
            written=count.output,
            cache_read=count.cache_read,
            cache_write=count.cache_write,
        )
    return (0.0 if unpriced else round(total, 6)), tuple(unpriced)


def _unknown(reading: TokenReading, known: int) -> tuple[int, ...]:
    """Return the answers that the log does not have: after a restart the meter reads all again."""
    left = reading.tokens - known
    found: list[int] = []
    for tokens in reversed(reading.answers[-_MAX_ANSWERS:]):
        left -= tokens
        if left < 0:
            break
        found.append(tokens)
    return tuple(reversed(found))
