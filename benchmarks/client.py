"""The hook client: a small shell script for each call, where a host cannot speak HTTP."""

import subprocess
import sys
from itertools import islice
from shutil import which
from time import perf_counter

from benchmarks.corpus import Corpus
from benchmarks.hook import GUARD
from benchmarks.measure import Spread, Table, milli
from benchmarks.traffic import Run
from tests.server.daemon_sandbox import DaemonSandbox


def client_table(corpus: Corpus, times: int) -> Table:
    """The client next to a shell and a Python that do nothing, and to a guard in Python."""
    table = Table(
        "The hook client, from its start to its end",
        ("command", "best", "p50", "p99", "p50, client = 1"),
        note=f"{times} calls each, in turns, one at a time; the payload of a PreToolUse on "
        "standard input, a durable verdict on standard output.",
    )
    curl = which("curl")
    if curl is None:
        table.note = "Not measured: there is no curl."
        return table
    with DaemonSandbox() as place:
        place.start()
        client = place.home.client(place.environ)
        ask = [curl, "-qs", "--unix-socket", place.home.socket, "--data-binary", "@-"]
        python = sys.executable
        commands = {
            "`sh -c :`": ["sh", "-c", ":"],
            "`python3 -c pass`": [python, "-c", "pass"],
            "`curl` alone": [*ask, "http://handrail/hooks/claude"],
            "**`handrail-hook PreToolUse change`**": ["sh", client, "PreToolUse", "change"],
            "a guard in Python, without a daemon": [python, str(GUARD), f"{place.root}/guard.log"],
        }
        took: dict[str, list[float]] = {name: [] for name in commands}
        runs = [Run(n, str(place.project), corpus).calls() for n in range(len(commands))]
        for calls in islice(zip(*runs, strict=True), times):
            for (name, argv), call in zip(commands.items(), calls, strict=True):
                took[name].append(_time(argv, call.before(), place.environ))
    base = Spread.of(took["**`handrail-hook PreToolUse change`**"]).p50
    for name, each in took.items():
        spread = Spread.of(each)
        ratio = f"{spread.p50 / base:.2f}"
        table.add(name, milli(min(each)), milli(spread.p50), milli(spread.p99), ratio)
    return table


def _time(argv: list[str], given: bytes, environ: dict[str, str]) -> float:
    before = perf_counter()
    done = subprocess.run(argv, input=given, capture_output=True, check=False, env=environ)
    took = perf_counter() - before
    if done.returncode:
        raise RuntimeError(f"{argv[0]} ends with {done.returncode}: {done.stderr.decode()}")
    return took
