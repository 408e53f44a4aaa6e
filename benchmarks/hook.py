"""A hook's round trip through the daemon, and beside it a process for each call."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import count, islice
from pathlib import Path
from time import perf_counter, sleep

import msgspec
from benchmarks.cold import ENVIRON
from benchmarks.corpus import Corpus
from benchmarks.load import Door, Times, apart_from, at_full_speed, at_pace, on_loop, start_all
from benchmarks.measure import Spread, Table, micro
from benchmarks.nothing import on_socket
from benchmarks.traffic import Run
from tests.server.daemon_sandbox import DaemonSandbox

from handrail.model.event import ActionEnded, ActionReviewed
from handrail.store.decoding import decode
from handrail.store.opening import open_log
from handrail.supervise.log.topics import RUNS as TOPICS
from handrail.supervise.runs.settings_trust import confirm_settings

RUNS = 100
FEW = 10
RATE = 5.0
GUARD = Path(__file__).with_name("guard.py")
_LOOK = 0.5
_IDLE_SHARE = 0.05
_PATIENCE = 60.0
_TOLD = (ActionReviewed, ActionEnded)
_BASE = "**daemon, unix socket**"
_SAVING = "daemon, unix socket, with checkpoints"
_FAR = 10_000
"""So far apart that no two runs have the same name."""
_ALONE = "a Python process for each call, one at a time"


class Result(msgspec.Struct, frozen=True):
    """One round: how long a PreToolUse took in microseconds, and what that took of a core."""

    times: Spread
    rate: float
    cpu: float
    """Microseconds for each request, before and after a call alike."""
    late: float = 0.0
    """99 in 100 were sent less than so many microseconds too late."""


def hook_table(corpus: Corpus, rounds: int, seconds: float) -> Table:
    """All ways to the daemon, and what one would have without it."""
    best: dict[str, Result] = {}
    with DaemonSandbox() as place, on_socket() as (floor, path):
        pid = place.start()
        socket = Door(socket=place.home.socket)
        port = Door(port=place.home.port, token=place.home.hook_token, begins_at=place.home.socket)
        ways = {
            "a server that does nothing, unix socket": (floor, Door(socket=path), True, RUNS),
            _BASE: (pid, socket, True, RUNS),
            "**daemon, port with token**": (pid, port, True, RUNS),
            "**daemon, unix socket, connecting each time**": (pid, socket, False, RUNS),
            f"**daemon, unix socket, {FEW} runs only**": (pid, socket, True, FEW),
            _SAVING: (pid, socket, True, RUNS),
            f"{_SAVING}, {FEW} runs only": (pid, socket, True, FEW),
        }
        crowd = {saves: crowds(place, corpus, saves=saves) for saves in (False, True)}
        written = 0
        for _ in range(rounds):
            for how, (server, door, keep, many) in ways.items():
                runs = next(crowd[how.startswith(_SAVING)])[:many]
                result, times = _load(server, door, runs, seconds, keep=keep)
                written += times.events if server == pid else 0
                best[how] = min(best.get(how, result), result, key=lambda each: each.times.p99)
        check_log(place, written)
        best[_ALONE] = _processes(place, corpus, 20 * rounds)
    return _table(best, rounds, seconds)


def _load(
    server: int, door: Door, runs: list[Run], seconds: float, *, keep: bool
) -> tuple[Result, Times]:
    with apart_from(server):
        on_loop(start_all(door, runs))
        # After its first action a run's files are saved, by git and beside the hooks.
        first = on_loop(at_full_speed(door, runs, 0, 1, FEW))
        _wait_until_idle(server)
        before = processor_seconds(server)
        times = on_loop(at_pace(door, runs, RATE, seconds, keep=keep, done=1))
        used = processor_seconds(server) - before
    spread = Spread.of(took * 1e6 for took in times.before)
    late = Spread.of(late * 1e6 for late in times.late).p99
    rate = times.actions / times.seconds
    result = Result(spread, rate, used * 1e6 / times.events, late)
    times.events += first.events
    return result, times


def _wait_until_idle(server: int) -> None:
    until = perf_counter() + _PATIENCE
    before = float("-inf")
    while (now := processor_seconds(server, children=True)) - before > _IDLE_SHARE * _LOOK:
        if perf_counter() > until:
            raise TimeoutError("the server is still busy with what comes after a first action")
        before = now
        sleep(_LOOK)


def _processes(place: DaemonSandbox, corpus: Corpus, calls: int) -> Result:
    run = next(crowds(place, corpus))[0]
    argv = [sys.executable, str(GUARD), str(place.root / "guard.log")]
    environ = {**ENVIRON, **place.environ}
    times = []
    before, began = os.times(), perf_counter()
    for call in islice(run.calls(), calls):
        start = perf_counter()
        subprocess.run(argv, input=call.before(), check=True, capture_output=True, env=environ)
        times.append((perf_counter() - start) * 1e6)
    seconds, after = perf_counter() - began, os.times()
    used = after.children_user + after.children_system
    used -= before.children_user + before.children_system
    return Result(Spread.of(times), calls / seconds, used * 1e6 / calls)


def _table(best: dict[str, Result], rounds: int, seconds: float) -> Table:
    table = Table(
        f"A hook's round trip, {RUNS} runs at {RATE:g} actions a second each",
        ("how", "actions/s", "p50", "p90", "p99", "p50, daemon = 1", "processor"),
        note="PreToolUse, from the request to the answer, with the verdict on the disk (fsync). "
        "Each action has a PostToolUse too: the server gets "
        f"{2 * RUNS * RATE:,.0f} requests a second. "
        f"The round with the best p99 of {rounds}, {seconds:g} s each. *Processor*: time of a core "
        "for each request. Each run has taken a first action before. *With checkpoints*: "
        "commands that overwrite, delete or run unknown code wait until git has saved the files; "
        "in the other rows checkpoints are off. The load comes from one "
        "process on a core of its own; 99 in 100 are "
        f"sent at most {max(each.late for each in best.values()) / 1000:,.1f} ms late. The process "
        "for each call imports Reviewer, reviews, writes a line with fsync and ends: for "
        f"{RUNS * RATE:g} actions a second it would need "
        f"{RUNS * RATE * best[_ALONE].cpu / 1e6:,.0f} cores.",
    )
    base = best[_BASE].times.p50
    for how, result in best.items():
        times = (micro(each) for each in (result.times.p50, result.times.p90, result.times.p99))
        ratio = f"{result.times.p50 / base:.2f}"
        table.add(how, f"{result.rate:,.0f}", *times, ratio, micro(result.cpu))
    return table


def crowds(place: DaemonSandbox, corpus: Corpus, *, saves: bool = True) -> Iterator[list[Run]]:
    """Ever new runs, in the same folders, of which each is a repository.

    `saves`: with checkpoints, as it is usual.
    """
    name = "saved" if saves else "shop"
    folders = [place.root / "home" / f"{name}-{number}" for number in range(RUNS)]
    for folder in folders:
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
        if not saves:
            (folder / "handrail.yaml").write_text("checkpoints: {enabled: false}\n")
            confirm_settings(str(folder), place.environ)
    for first in count(RUNS * _FAR * saves, RUNS):
        yield [Run(first + n, str(folder), corpus) for n, folder in enumerate(folders)]


def check_log(place: DaemonSandbox, written: int) -> None:
    """What was measured must have been done: what each hook told is in the log."""
    found = after = 0
    with closing(open_log(place.home.log, "read")) as store:
        while page := store.read_all(after):
            events = (decode(stored) for stored in page if stored.topic.startswith(TOPICS))
            found += sum(isinstance(event, _TOLD) for event in events)
            after = page[-1].position
    if found != written:
        raise RuntimeError(f"the log has {found:,} actions and ends, {written:,} were confirmed")


def processor_seconds(process: int, *, children: bool = False) -> float:
    """Seconds that a process has kept a core busy; 0 where the system does not tell.

    `children`: with those of its children that have ended.
    """
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    used = fields[11 : 15 if children else 13]
    return sum(map(int, used)) / os.sysconf("SC_CLK_TCK")
