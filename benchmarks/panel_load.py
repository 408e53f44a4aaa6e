"""What it costs the agents when people look: hooks with and without open panels, in one run."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import msgspec
from benchmarks.corpus import Corpus
from benchmarks.hook import FEW, check_log, crowds, processor_seconds
from benchmarks.load import Door, Times, at_full_speed, at_pace, on_loop, start_all
from benchmarks.measure import Spread, Table, micro
from benchmarks.traffic import Run
from tests.panel.browser import PanelSandbox, missing_part

WATCHED_RUNS = 200
WATCHERS = 20
EVENTS = 500.0
"""Events a second in the log, of all runs: half of them before an action, half after it."""
ALONE = "nobody looks"
STREAMS = f"{WATCHERS} event streams"
BROWSER = f"**{WATCHERS} event streams and a browser**"
_FOLDER = Path(__file__).parent
_PATIENCE = 60


class Watched(msgspec.Struct, frozen=True):
    """What watchers have received, or drawn."""

    frames: int = 0
    size: int = 0
    seconds: float = 0.0
    drawn: int = 0
    long: int = 0
    """Pictures of the browser that took more than 50 ms."""


class PanelRound(msgspec.Struct, frozen=True):
    """One part of a round; times in microseconds."""

    times: Spread
    cpu: float
    """Time of a core for each request, with what the streams take of the daemon."""
    watched: tuple[Watched, ...]


def panel_table(corpus: Corpus, rounds: int, seconds: float) -> Table:
    """The same load without and with people who look, in turns, on the same cores."""
    missing = missing_part()
    ways = (ALONE, STREAMS) if missing else (ALONE, STREAMS, BROWSER)
    seen: dict[str, list[PanelRound]] = {way: [] for way in ways}
    with PanelSandbox() as place:
        pid = place.start()
        door = Door(socket=place.home.socket)
        runs = _runs(place, corpus)
        on_loop(start_all(door, runs))
        written = on_loop(at_full_speed(door, runs, 0, 1, FEW)).events
        done = 1
        for number in range(rounds):
            # To and fro: what changes in the course of time is nobody's advantage.
            for way in ways if number % 2 == 0 else reversed(ways):
                with _looking(place, way) as watched:
                    before = processor_seconds(pid)
                    times = _load(door, runs, seconds, done)
                    used = processor_seconds(pid) - before
                done += round(seconds * EVENTS / 2 / WATCHED_RUNS) + 1
                written += times.events
                spread = Spread.of(took * 1e6 for took in times.before)
                seen[way].append(PanelRound(spread, used * 1e6 / times.events, tuple(watched)))
        check_log(place, written)
    return _table(seen, seconds, missing)


def _runs(place: PanelSandbox, corpus: Corpus) -> list[Run]:
    crowd = crowds(place, corpus, saves=False)
    return [*next(crowd), *next(crowd)][:WATCHED_RUNS]


def _load(door: Door, runs: list[Run], seconds: float, done: int) -> Times:
    rate = EVENTS / 2 / len(runs)
    return on_loop(at_pace(door, runs, rate, seconds, keep=True, done=done))


@contextmanager
def _looking(place: PanelSandbox, way: str) -> Iterator[list[Watched]]:
    """Let somebody look during the block; the list has what they saw after it."""
    watched: list[Watched] = []
    watchers: list[subprocess.Popen[bytes]] = []
    if way != ALONE:
        watchers.append(_start("watchers.py", place.home.socket, WATCHERS))
    if way == BROWSER:
        watchers.append(_start("panel_watcher.py", place.link(), WATCHED_RUNS))
    try:
        for watcher in watchers:
            _expect_ready(watcher)
        yield watched
        watched += map(_end, watchers)
    finally:
        for watcher in watchers:
            watcher.kill()


def _start(script: str, where: str, many: int) -> "subprocess.Popen[bytes]":
    command = [sys.executable, str(_FOLDER / script), where, str(many)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _expect_ready(watcher: "subprocess.Popen[bytes]") -> None:
    assert watcher.stdout is not None
    if watcher.stdout.readline() != b"ready\n":
        raise RuntimeError("somebody who was to look has ended")


def _end(watcher: "subprocess.Popen[bytes]") -> Watched:
    said, _ = watcher.communicate(timeout=_PATIENCE)
    return msgspec.json.decode(said, type=Watched)


def _table(seen: dict[str, list[PanelRound]], seconds: float, missing: str) -> Table:
    rounds = len(seen[ALONE])
    table = Table(
        f"Hooks while panels are open, {WATCHED_RUNS} runs, {EVENTS:g} events a second",
        ("who looks", "p50", "p99", "all p99", "p50, nobody = 1", "p99, nobody = 1", "processor"),
        note="PreToolUse, from the request to the answer, with the verdict on the disk. "
        f"{rounds} rounds of {seconds:g} s each, in turns; p50, p99 and the processor are the "
        "medians of the rounds, *all p99* has each of them. Agents, daemon, streams and browser "
        "share all cores. *Processor*: time of a core that the daemon takes for each request. "
        + " ".join(_sentences(seen, missing)),
    )
    base = _middle(seen[ALONE])
    for who, found in seen.items():
        p50, p99, cpu = _middle(found)
        table.add(
            who,
            micro(p50),
            micro(p99),
            ", ".join(f"{each.times.p99 / 1000:.1f}" for each in found) + " ms",
            f"{p50 / base[0]:.2f}",
            f"{p99 / base[1]:.2f}",
            micro(cpu),
        )
    return table


def _middle(rounds: Sequence[PanelRound]) -> tuple[float, float, float]:
    """The medians of p50, p99 and the processor."""
    return (
        median(each.times.p50 for each in rounds),
        median(each.times.p99 for each in rounds),
        median(each.cpu for each in rounds),
    )


def _sentences(seen: dict[str, list[PanelRound]], missing: str) -> Iterator[str]:
    """What the watchers saw."""
    streams = [round_.watched[0] for round_ in seen[STREAMS]]
    each = WATCHERS * sum(stream.seconds for stream in streams)
    frames, size = (sum(s.frames for s in streams), sum(s.size for s in streams))
    yield (
        f"A stream gets {frames / each:,.1f} frames and {size / each / 1000:,.0f} kB a second; "
        "each frame is encoded once for all of them."
    )
    if missing:
        yield f"Without a browser: {missing} is missing."
        return
    browsers = [round_.watched[1] for round_ in seen[BROWSER]]
    drawn, long = (sum(b.drawn for b in browsers), sum(b.long for b in browsers))
    yield f"The browser, which shows all runs, draws {drawn:,} pictures, {long} over 50 ms."
