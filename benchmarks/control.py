"""From a request of the control protocol to its result, while a hundred runs are at work."""

import asyncio
import multiprocessing
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from statistics import quantiles
from time import perf_counter

import msgspec
from benchmarks.corpus import Corpus
from benchmarks.hook import FEW, RATE, RUNS, check_log, crowds
from benchmarks.load import (
    Door,
    Line,
    Times,
    apart_from,
    at_full_speed,
    at_pace,
    on_loop,
    start_all,
)
from benchmarks.measure import Spread, Table, milli
from benchmarks.sentinel import sentinel_times
from benchmarks.traffic import Run
from tests.server.daemon_sandbox import DaemonSandbox

from handrail.control import message as wire
from handrail.control.client import make_request
from handrail.control.message import AnyMessage, Result
from handrail.model.control import ControlCommand

EVERY = 1 / RATE
_IDLE = 0.7
"""Of the time between two calls of a run: its last one has ended, the next is still to come."""
_STRIDE = 37
"""From one run that is asked to the next one: all have their turn, none of them has to wait."""
_HEAD_START = 1.0
_SLACK = 2.0
_PATIENCE = 30

_FLOOR = "nothing: a look at `/healthz`"
_PAUSE = "**pause, between two actions**"
_RESUME = "**resume, between two actions**"
_STEER = "**steer**, from the call that carries it"
_PAUSE_ANY = "pause, at any moment: waits for the action under way"
_RESUME_ANY = "resume, at any moment: lets a held action go"
_STEER_ANY = "steer, at any moment: waits for the next call or its end"
_FILE = "a file checked by each call's hook, at any moment"


class _Answer(msgspec.Struct, frozen=True):
    messages: list[AnyMessage]


_decoder = msgspec.json.Decoder(_Answer)


def control_table(corpus: Corpus, rounds: int, seconds: float) -> Table:
    """Requests to runs that work; a part of each round takes `seconds`."""
    best, least = {}, float("inf")
    with DaemonSandbox() as place:
        pid = place.start()
        crowd = crowds(place, corpus, saves=False)
        door = Door(socket=place.home.socket)
        written = 0
        for number in range(rounds):
            with apart_from(pid):
                round_ = _Round(door, next(crowd), Random(number), seconds)
                found, load = round_.measure()
                found[_FILE] = on_loop(sentinel_times(FEW, RATE, seconds))
            written += load.events
            late = Spread.of(load.late).p99
            if late < least:
                best, least = found, late
        check_log(place, written)
    return _table(best, rounds, least)


class _Round:
    """One crowd of runs at work, and a controller that turns to one after the other."""

    def __init__(self, door: Door, runs: list[Run], random: Random, seconds: float) -> None:
        self._door = door
        self._runs = runs
        self._names = [msgspec.json.decode(run.start())["session_id"] for run in runs]
        self._random = random
        self._seconds = seconds
        self._began = 0.0
        self._times: dict[str, list[float]] = {}

    def measure(self) -> tuple[dict[str, list[float]], Times]:
        """The times of each kind of request, and what the load has seen."""
        on_loop(start_all(self._door, self._runs))
        first = on_loop(at_full_speed(self._door, self._runs, 0, 1, FEW))
        parts = (self._hold, self._steer, self._hold_any, self._steer_any)
        self._began = perf_counter() + _HEAD_START
        whole = len(parts) * self._seconds + _SLACK
        with _working(self._door, self._runs, whole, self._began) as load:
            on_loop(self._control(parts))
            times = load()
        times.events += first.events
        return self._times, times

    async def _control(self, parts: Sequence[Callable[[Line, int], Awaitable[None]]]) -> None:
        line = await self._door.connect()
        await asyncio.sleep(self._began + EVERY - perf_counter())
        for part in parts:
            until = perf_counter() + self._seconds
            turn = 0
            while perf_counter() < until:
                await part(line, turn * _STRIDE % len(self._runs))
                turn += 1
        line.close()

    # What is asked of a run in its turn

    async def _hold(self, line: Line, number: int) -> None:
        await self._until_idle(number)
        self._note(_PAUSE, await self._ask(line, ControlCommand.PAUSE, number))
        self._note(_RESUME, await self._ask(line, ControlCommand.RESUME, number))
        _, took = await line.ask(_request("GET", "/healthz"))
        self._note(_FLOOR, took)

    async def _steer(self, line: Line, number: int) -> None:
        next_call = await self._until_idle(number) + (1 - _IDLE) * EVERY
        await self._ask(line, ControlCommand.STEER, number)
        self._note(_STEER, perf_counter() - next_call)

    async def _hold_any(self, line: Line, number: int) -> None:
        await self._any_moment()
        self._note(_PAUSE_ANY, await self._ask(line, ControlCommand.PAUSE, number))
        await self._any_moment()
        self._note(_RESUME_ANY, await self._ask(line, ControlCommand.RESUME, number))

    async def _steer_any(self, line: Line, number: int) -> None:
        await self._any_moment()
        self._note(_STEER_ANY, await self._ask(line, ControlCommand.STEER, number))

    async def _until_idle(self, number: int) -> float:
        """Sleep until a run is between two actions; when it is."""
        first = self._began + (number / len(self._runs) + _IDLE) * EVERY
        moment = perf_counter() + (first - perf_counter()) % EVERY
        await asyncio.sleep(moment - perf_counter())
        return moment

    async def _any_moment(self) -> None:
        await asyncio.sleep(self._random.uniform(0, EVERY))

    async def _ask(self, line: Line, command: ControlCommand, number: int) -> float:
        """Seconds until the result of a request was there, which has to be a success."""
        text = "Look at the tests first" if command is ControlCommand.STEER else ""
        asked = make_request(command, self._names[number], text=text)
        path = f"/control?wait={_PATIENCE}"
        answer, took = await line.ask(_request("POST", path, wire.encode(asked)))
        result = _decoder.decode(answer).messages[-1]
        if not isinstance(result, Result) or not result.ok:
            raise RuntimeError(f"{command} was not confirmed: {answer.decode()}")
        return took

    def _note(self, how: str, took: float) -> None:
        self._times.setdefault(how, []).append(took)


@contextmanager
def _working(
    door: Door, runs: list[Run], seconds: float, began: float
) -> Iterator[Callable[[], Times]]:
    """Runs that work in a process of their own; the function waits until they have ended."""
    fork = multiprocessing.get_context("fork")
    receiver, sender = fork.Pipe(duplex=False)

    def work() -> None:
        sender.send(on_loop(at_pace(door, runs, RATE, seconds, keep=True, done=1, began=began)))

    process = fork.Process(target=work, daemon=True)
    process.start()
    sender.close()  # so that a process that dies is noticed
    try:
        yield receiver.recv
    finally:
        process.terminate()
        process.join()


def _request(method: str, path: str, body: bytes = b"") -> bytes:
    head = (
        f"{method} {path} HTTP/1.1\r\nhost: handrail\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _table(best: dict[str, list[float]], rounds: int, late: float) -> Table:
    table = Table(
        f"From a request to its result, {RUNS} runs at {RATE:g} actions a second each",
        ("request", "asked", "p50", "p95", "p99", "p50, pause = 1"),
        note="From sending a REQUEST over the unix socket to its RESULT, on the disk (fsync) and "
        "with success: for a pause, no action of the run is under way. "
        "One controller turns to one run after the other, over one connection; a second process "
        "on the same core makes the runs work (half of the time an action of each is under way, "
        f"for {EVERY / 2 * 1000:.0f} ms), 99 in 100 of its calls at most {late * 1000:,.1f} ms "
        "late. *Steer* is confirmed when the agent got the message with the answer to one of its "
        "hooks, so it waits for the next hook: counted from the time it was due, and from the "
        "request. *A file*: the way without a daemon. One agent's hook, a `sh` for each call, "
        "sees the file and leaves a note; the controller looks for the note every millisecond; "
        f"{FEW} agents, nothing else at work. The round of {rounds} with the least late calls.",
    )
    base = _middle(best[_PAUSE])
    for how in (_FLOOR, _PAUSE, _RESUME, _STEER, _PAUSE_ANY, _RESUME_ANY, _STEER_ANY, _FILE):
        times = best[how]
        cuts = (milli(_cut(times, percent)) for percent in (50, 95, 99))
        table.add(how, str(len(times)), *cuts, f"{_middle(times) / base:.2f}")
    return table


def _middle(times: list[float]) -> float:
    return _cut(times, 50)


def _cut(times: list[float], percent: int) -> float:
    return quantiles(times, n=100, method="inclusive")[percent - 1]
