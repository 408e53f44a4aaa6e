"""What it costs the agents when people look: hooks with and without open panels, in one run."""

import subprocess
import sys
from pathlib import Path

import msgspec
from benchmarks.corpus import Corpus
from benchmarks.hook import FEW, check_log, crowds, processor_seconds
from benchmarks.load import Door, Times, at_full_speed, at_pace, on_loop, start_all
from benchmarks.measure import Spread, Table, micro
from benchmarks.traffic import Run
from tests.server.daemon_sandbox import DaemonSandbox

WATCHED_RUNS = 200
WATCHERS = 20
EVENTS = 500.0
"""Events a second in the log, of all runs: half of them before an action, half after it."""
ALONE, WATCHED = "nobody looks", f"**{WATCHERS} event streams**"
_SCRIPT = Path(__file__).with_name("watchers.py")
_PATIENCE = 30


class Streamed(msgspec.Struct, frozen=True):
    """What all streams have received."""

    frames: int = 0
    size: int = 0
    seconds: float = 1.0


class PanelRound(msgspec.Struct, frozen=True):
    """One part of a round; times in microseconds."""

    times: Spread
    cpu: float
    """Time of a core for each request, with what the streams take."""
    streamed: Streamed


def panel_table(corpus: Corpus, rounds: int, seconds: float) -> Table:
    """The same load without and with streams, in turns, on the same cores."""
    best: dict[str, PanelRound] = {}
    with DaemonSandbox() as place:
        pid = place.start()
        door = Door(socket=place.home.socket)
        crowd = crowds(place, corpus, saves=False)
        runs = [*next(crowd), *next(crowd)][:WATCHED_RUNS]
        on_loop(start_all(door, runs))
        written = on_loop(at_full_speed(door, runs, 0, 1, FEW)).events
        done = 1
        for _ in range(rounds):
            for way in (ALONE, WATCHED):
                watchers = _start(place.home.socket) if way == WATCHED else None
                before = processor_seconds(pid)
                times = _load(door, runs, seconds, done)
                used = processor_seconds(pid) - before
                streamed = Streamed() if watchers is None else _end(watchers)
                done += round(seconds * EVENTS)
                written += times.events
                spread = Spread.of(took * 1e6 for took in times.before)
                found = PanelRound(spread, used * 1e6 / times.events, streamed)
                best[way] = min(best.get(way, found), found, key=lambda each: each.times.p99)
        check_log(place, written)
    return _table(best, rounds, seconds)


def _load(door: Door, runs: list[Run], seconds: float, done: int) -> Times:
    rate = EVENTS / 2 / len(runs)
    return on_loop(at_pace(door, runs, rate, seconds, keep=True, done=done))


def _start(path: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, str(_SCRIPT), path, str(WATCHERS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def _end(watchers: "subprocess.Popen[bytes]") -> Streamed:
    said, _ = watchers.communicate(timeout=_PATIENCE)
    return msgspec.json.decode(said, type=Streamed)


def _table(best: dict[str, PanelRound], rounds: int, seconds: float) -> Table:
    base, watched = best[ALONE], best[WATCHED].streamed
    each = WATCHERS * watched.seconds
    table = Table(
        f"Hooks while panels are open, {WATCHED_RUNS} runs, {EVENTS:g} events a second",
        ("who looks", "p50", "p99", "p50, nobody = 1", "p99, nobody = 1", "processor", "= 1"),
        note="PreToolUse, from the request to the answer, with the verdict on the disk. The round "
        f"with the best p99 of {rounds}, {seconds:g} s each, in turns; agents, daemon and streams "
        "share all cores. *Processor*: time of a core that the daemon takes for each request. A "
        f"stream gets {watched.frames / each:,.1f} frames and {watched.size / each / 1000:,.0f} "
        "kB a second; each frame is encoded once for all of them.",
    )
    for who, found in best.items():
        table.add(
            who,
            micro(found.times.p50),
            micro(found.times.p99),
            f"{found.times.p50 / base.times.p50:.2f}",
            f"{found.times.p99 / base.times.p99:.2f}",
            micro(found.cpu),
            f"{found.cpu / base.cpu:.2f}",
        )
    return table
