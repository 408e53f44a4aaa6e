"""What the daemon needs: memory at rest and with very many runs, and room for its log."""

import os
from itertools import chain, islice

from benchmarks.corpus import Corpus
from benchmarks.hook import check_log, crowds
from benchmarks.load import Door, Times, apart_from, at_full_speed, on_loop, start_all
from benchmarks.measure import Table
from tests.server.daemon_sandbox import DaemonSandbox

_RUNS = 1000
_STAGES = (10, 25, 50, 100, 200)
"""Actions that each run has taken when it is looked how much the daemon needs."""
_LINES = 32


def memory_table(corpus: Corpus, seconds: float) -> Table:
    """The daemon before and after very many actions through its hooks, as far as time allows."""
    table = Table("What the daemon needs", ("when", "memory", "log", "log for each action"))
    with DaemonSandbox() as place:
        pid = place.start()
        table.add("at rest", _memory(place), "", "")
        door = Door(socket=place.home.socket)
        crowd = list(islice(chain.from_iterable(crowds(place, corpus)), _RUNS))
        on_loop(start_all(door, crowd))
        table.add(f"{_RUNS:,} runs have begun", _memory(place), "", "")
        done, total = 0, Times()
        for stage in _STAGES:
            if total.seconds * stage > seconds * done:
                table.note = f"Ended after {total.seconds:,.0f} s; `run.py --full` goes on. "
                break
            with apart_from(pid):
                times = on_loop(at_full_speed(door, crowd, done, stage, _LINES))
            done = stage
            total.actions += times.actions
            total.events += times.events
            total.seconds += times.seconds
            size = sum(os.path.getsize(place.home.log + part) for part in ("", "-wal"))
            log = f"{size / 1e6:,.0f} MB", f"{size / total.actions:,.0f} bytes"
            table.add(f"after {done} actions of each", _memory(place), *log)
        check_log(place, total.events)
    table.note += (
        f"Resident memory. As fast as {_LINES} connections go: {total.events:,} requests in "
        f"{total.seconds:,.0f} s, or {total.actions / total.seconds:,.0f} actions a second."
    )
    return table


def _memory(place: DaemonSandbox) -> str:
    return f"{place.health()['memory_mb']:,} MB"
