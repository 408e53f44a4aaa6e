"""The event log: durable events each second, how long one waits, and reading a large log.

`python -m benchmarks.store` prints the tables; the options say how much is written.
"""

import argparse
import asyncio
import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import perf_counter

import uvloop
from benchmarks.machine import machine_lines
from benchmarks.measure import Spread, Table, micro, milli

from handrail.store.connection import open_for_writing
from handrail.store.port import NewEntry, Receipt
from handrail.store.sqlite import SqliteStore

_BODY = b'{"tool": "Bash", "input": {"command": "' + b"x" * 960 + b'"}}'
_TOPICS = 100
_PATIENCE = 10.0
_INSERT = "INSERT INTO entries (topic, seq, at, body) VALUES (?, ?, 0.0, ?)"


Result = tuple[int, float, list[float]]
"""How many events, in how many seconds, and single times in microseconds."""


def append_table(events: int, rounds: int, folder: Path) -> Table:
    """Durable appends: through the writer thread, and beside it what one would do without."""
    table = Table(
        f"Durable events (SQLite, WAL, synchronous=FULL, {len(_BODY):,} bytes each)",
        ("how", "events", "events/s", "p50", "p99", "one by one = 1"),
        note=f"The quickest of {rounds} rounds. The time is for one event, from append to "
        "receipt; for `executemany`, without topics and numbers, for one commit. "
        "Writers are tasks of one event loop (uvloop), each waiting for its receipts.",
    )
    few = events // 10
    ways: dict[str, Callable[[], Result]] = {
        "write 4 KB and fdatasync, no database": partial(_fsync, folder, few),
        "one commit for each event": partial(_plain, folder, few, 1),
        "executemany, 20 for each commit": partial(_plain, folder, events, 20),
        "executemany, 200 for each commit": partial(_plain, folder, events, 200),
        "**store, 1 writer**": partial(_store, folder, few, 1),
        "**store, 20 writers**": partial(_store, folder, events, 20),
        "**store, 200 writers**": partial(_store, folder, events, 200),
    }
    results = [{how: measure() for how, measure in ways.items()} for _ in range(rounds)]
    best = {how: max((result[how] for result in results), key=_rate) for how in ways}
    base = _rate(best["one commit for each event"])
    for how, result in best.items():
        spread = Spread.of(result[2])
        cells = micro(spread.p50), micro(spread.p99), f"{_rate(result) / base:.1f}"
        table.add(how, f"{result[0]:,}", f"{_rate(result):,.0f}", *cells)
    return table


def _rate(result: Result) -> float:
    return result[0] / result[1]


def _store(folder: Path, events: int, writers: int) -> Result:
    with (
        _scratch(folder) as path,
        contextlib.closing(SqliteStore(path)) as store,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        return runner.run(_write(store, events, writers))


async def _write(store: SqliteStore, events: int, writers: int) -> Result:
    times: list[float] = []

    async def write(number: int) -> None:
        entry = NewEntry(f"run/{number % _TOPICS}", _BODY)
        for _ in range(events // writers):
            before = perf_counter()
            await _written(store.append([entry]))
            times.append((perf_counter() - before) * 1e6)

    before = perf_counter()
    await asyncio.gather(*(write(number) for number in range(writers)))
    return len(times), perf_counter() - before, times


def _written(receipt: Receipt) -> "asyncio.Future[int]":
    loop = asyncio.get_running_loop()
    written: asyncio.Future[int] = loop.create_future()
    receipt.add_done_callback(
        lambda done: loop.call_soon_threadsafe(written.set_result, done.result())
    )
    return written


def _plain(folder: Path, events: int, size: int) -> Result:
    times: list[float] = []
    with _scratch(folder) as path, contextlib.closing(_connect(path)) as connection:
        begun = perf_counter()
        for first in range(0, events, size):
            rows = [(n % _TOPICS, n, _BODY) for n in range(first, first + size)]
            before = perf_counter()
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(_INSERT, rows)
            connection.execute("COMMIT")
            times.append((perf_counter() - before) * 1e6)
        return len(times) * size, perf_counter() - begun, times


def _connect(path: Path) -> sqlite3.Connection:
    connection = open_for_writing(str(path), _PATIENCE)
    connection.execute("PRAGMA wal_autocheckpoint = 1000")  # SQLite's own
    return connection


def _fsync(folder: Path, events: int) -> Result:
    times: list[float] = []
    block = bytes(4096)
    with _scratch(folder) as path, path.open("wb", buffering=0) as file:
        begun = perf_counter()
        for _ in range(events):
            before = perf_counter()
            file.write(block)
            os.fdatasync(file.fileno())
            times.append((perf_counter() - before) * 1e6)
        return events, perf_counter() - begun, times


def read_table(events: int, topics: int, folder: Path) -> Table:
    """Reads from a log that has grown."""
    table = Table(
        f"Reading a log of {events:,} events in {topics:,} topics", ("what", "found", "time")
    )
    with _scratch(folder) as path, contextlib.closing(SqliteStore(path)) as store:
        for first in range(0, events, 1000):
            store.append(
                [NewEntry(f"run/{n % topics:06}", _BODY[:200]) for n in range(first, first + 1000)]
            ).result()
        reads: dict[str, Callable[[], list[object]]] = {
            "all topics": lambda: list(store.topics()),
            "topics of a prefix": lambda: list(store.topics("run/0001")),
            "one topic": lambda: list(store.read("run/000100")),
            "1,000 from the middle": lambda: list(store.read_all(after=events // 2)),
            "what is new, at the end": lambda: list(store.read_all(after=events - 10)),
        }
        for what, read in reads.items():
            times = []
            for _ in range(5):
                before = perf_counter()
                read()
                times.append(perf_counter() - before)
            table.add(what, f"{len(read()):,}", milli(min(times)))
        table.add("size of the file", "", f"{path.stat().st_size / 1e6:,.0f} MB")
    return table


@contextlib.contextmanager
def _scratch(folder: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        yield Path(scratch) / "log.db"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=40_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--large", type=int, default=1_000_000)
    parser.add_argument("--topics", type=int, default=10_000)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    given = parser.parse_args()
    print("\n".join(machine_lines()), end="\n\n")
    print(append_table(given.events, given.rounds, given.folder).plain())
    print(read_table(given.large, given.topics, given.folder).plain())


if __name__ == "__main__":
    main()
