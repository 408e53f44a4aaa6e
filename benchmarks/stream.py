"""Many actions through one process: JSON lines, and the replay of whole recorded runs."""

import gzip
import subprocess
from pathlib import Path
from time import perf_counter

import msgspec
from benchmarks.cold import ENVIRON, HANDRAIL
from benchmarks.corpus import Corpus
from benchmarks.measure import Table
from benchmarks.review import SCOPE

_SCOPE = [word for glob in SCOPE for word in ("--scope", glob)]


def stream_table(corpus: Corpus, runs: Path | None, times: int) -> Table:
    """Actions each second, start of the process included."""
    table = Table(
        "Many actions, one process",
        ("command", "actions", "seconds", "actions/s"),
        note=f"Best of {times}; the start of the process is included.",
    )
    lines = b"".join(
        msgspec.json.encode({"id": n, "command": line.command, "cwd": line.cwd}) + b"\n"
        for n, line in enumerate(corpus.lines)
    )
    _add(table, "handrail review --json -", [*_SCOPE, "-"], lines, len(corpus.lines), times)
    if runs is not None:
        with gzip.open(runs) as file:
            steps = sum(len(msgspec.json.decode(run)["steps"]) for run in file)
        _add(table, "handrail replay --json", [*_SCOPE, str(runs)], b"", steps, times)
    return table


def _add(table: Table, name: str, more: list[str], given: bytes, actions: int, times: int) -> None:
    argv = [HANDRAIL, *name.split()[1:3], *more]
    best = float("inf")
    for _ in range(times):
        before = perf_counter()
        done = subprocess.run(argv, input=given, capture_output=True, check=False, env=ENVIRON)
        best = min(best, perf_counter() - before)
        answered = done.stdout.count(b"\n")
        if done.returncode or answered < actions * 0.99:
            table.add(f"`{name}`", f"{answered:,} of {actions:,}", "failed", "")
            return
    table.add(f"`{name}`", f"{actions:,}", f"{best:.2f}", f"{actions / best:,.0f}")
