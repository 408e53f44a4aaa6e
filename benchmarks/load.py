"""Load on a hook endpoint: many runs side by side, from one event loop on a core of its own."""

import asyncio
import contextlib
import gc
import os
import re
from collections.abc import Awaitable, Coroutine, Iterable, Iterator, Sequence
from itertools import islice
from time import perf_counter
from typing import Any, TypeVar, cast

import msgspec
import uvloop
from benchmarks.traffic import Call, Run

T = TypeVar("T")
_LENGTH = re.compile(rb"\r\ncontent-length: ([0-9]+)")


class Door(msgspec.Struct, frozen=True):
    """Where a server listens: on a unix socket, or on a port with a token."""

    socket: str = ""
    port: int = 0
    token: str = ""
    begins_at: str = ""
    """The unix socket that takes the starts of sessions, which a port does not take."""

    def request(self, body: bytes, *more: str) -> bytes:
        """A whole HTTP request; `more`: lines of its head."""
        token = f"authorization: Bearer {self.token}\r\n" if self.token else ""
        head = (
            "POST /hooks/claude HTTP/1.1\r\n"
            f"host: 127.0.0.1:{self.port}\r\n"
            f"{token}{''.join(more)}"
            "content-type: application/json\r\n"
            f"content-length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    async def connect(self) -> "Line":
        """A new connection."""
        loop = asyncio.get_running_loop()
        if self.socket:
            return (await loop.create_unix_connection(Line, self.socket))[1]
        return (await loop.create_connection(Line, "127.0.0.1", self.port))[1]


class Line(asyncio.Protocol):
    """A connection, with one request under way at a time."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)
        self._answer: asyncio.Future[tuple[bytes, float]] | None = None
        self._seen = b""

    async def ask(self, request: bytes) -> tuple[bytes, float]:
        """The body of the answer, and the seconds until it was there."""
        self._seen = b""
        self._answer = asyncio.get_running_loop().create_future()
        began = perf_counter()
        self._transport.write(request)
        body, ended = await self._answer
        return body, ended - began

    def data_received(self, data: bytes) -> None:
        """Called by the loop."""
        now = perf_counter()
        self._seen += data
        head, found, body = self._seen.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if not (found and length and len(body) >= int(length[1]) and self._answer):
            return
        if head.startswith(b"HTTP/1.1 200 "):
            self._answer.set_result((body, now))
        else:
            self._answer.set_exception(ConnectionError(head.decode()))

    def connection_lost(self, error: Exception | None) -> None:
        """Called by the loop."""
        if self._answer and not self._answer.done():
            self._answer.set_exception(ConnectionError("it hung up"))

    def close(self) -> None:
        """Hang up."""
        self._transport.close()


class Times(msgspec.Struct):
    """What a load has seen, in seconds."""

    before: list[float] = []
    """How long each PreToolUse took."""
    late: list[float] = []
    """How much later than planned it was sent: the fault of the load, not of the server."""
    actions: int = 0
    events: int = 0
    """How many there must be in the log now."""
    seconds: float = 0.0


async def at_pace(
    door: Door,
    runs: Sequence[Run],
    rate: float,
    seconds: float,
    *,
    keep: bool,
    done: int = 0,
    began: float | None = None,
) -> Times:
    """Every run takes `rate` actions a second, whether the server keeps up or not.

    `done`: how many actions each has taken before; `began`: when the first one begins.
    """
    times = Times()
    began = perf_counter() + 0.2 if began is None else began
    await asyncio.gather(
        *(
            _pace(
                door,
                run,
                times,
                _Plan(began + n / len(runs) / rate, 1 / rate, seconds, done),
                keep=keep,
            )
            for n, run in enumerate(runs)
        )
    )
    times.seconds = perf_counter() - began
    return times


class _Plan(msgspec.Struct, frozen=True):
    begin: float
    every: float
    seconds: float
    done: int

    async def wait(self, actions: float) -> float:
        """Sleep until so many actions should be done; how late it is by then."""
        due = self.begin + actions * self.every
        if (early := due - perf_counter()) > 0:
            await asyncio.sleep(early)
        return perf_counter() - due


async def _pace(door: Door, run: Run, times: Times, plan: _Plan, *, keep: bool) -> None:
    line = await door.connect() if keep else None
    calls = islice(run.calls(plan.done), round(plan.seconds / plan.every))
    for number, call in enumerate(calls):
        times.late.append(await plan.wait(number))
        await _act(door, line, call, times, plan.wait(number + 0.5))
    if line is not None:
        line.close()


async def _act(
    door: Door, line: Line | None, call: Call, times: Times, work: Awaitable[object] | None = None
) -> None:
    """One action: the hook before it, its work, and the hook after it, if it may run."""
    answer, took = await _ask(door, line, call.before())
    times.before.append(took)
    times.actions += 1
    times.events += 1
    after = call.after(answer)
    if work is not None:
        await work
    if after:
        await _ask(door, line, after)
        times.events += 1


async def _ask(door: Door, line: Line | None, body: bytes) -> tuple[bytes, float]:
    """Ask on an open connection, or on a new one, whose time then counts."""
    request = door.request(body)
    if line is not None:
        return await line.ask(request)
    began = perf_counter()
    line = await door.connect()
    connected = perf_counter() - began
    answer, took = await line.ask(request)
    line.close()
    return answer, connected + took


async def at_full_speed(
    door: Door, runs: Sequence[Run], done: int, actions: int, lines: int
) -> Times:
    """Every run goes on from `done` actions to `actions`, all of them over a few connections."""
    times = Times()
    began = perf_counter()
    await asyncio.gather(
        *(_hurry(door, runs[first::lines], done, actions, times) for first in range(lines))
    )
    times.seconds = perf_counter() - began
    return times


async def _hurry(door: Door, runs: Sequence[Run], done: int, actions: int, times: Times) -> None:
    line = await door.connect()
    calls = [run.calls(done) for run in runs]
    for _ in range(done, actions):
        for each in calls:
            await _act(door, line, next(each), times)
    line.close()


async def start_all(door: Door, runs: Iterable[Run]) -> None:
    """Begin the sessions."""
    if door.begins_at:
        door = Door(socket=door.begins_at)
    line = await door.connect()
    for run in runs:
        await line.ask(door.request(run.start(), f"x-handrail-pid: {os.getpid()}\r\n"))
    line.close()


def on_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run it on uvloop, without pauses of the garbage collector."""
    gc.collect()
    gc.disable()
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(work)
    finally:
        gc.enable()


@contextlib.contextmanager
def apart_from(server: int) -> Iterator[None]:
    """Keep this process on the last core, and a server on the others, where that can be done."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    if len(cores) < 2:
        yield
        return
    for thread in os.listdir(f"/proc/{server}/task"):
        os.sched_setaffinity(int(thread), cores[:-1])
    os.sched_setaffinity(0, cores[-1:])
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)
