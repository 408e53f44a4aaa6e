"""How long it takes to start: the command line, from nothing to a verdict."""

import os
import re
import subprocess
import sys
from pathlib import Path
from time import perf_counter

from benchmarks.measure import Table, milli

HANDRAIL = str(Path(sys.executable).with_name("handrail"))
ENVIRON = {name: os.environ[name] for name in os.environ if name != "PYTHONDONTWRITEBYTECODE"}
"""Without what would let every start compile everything again."""
_IMPORT = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \| (\s*)(\S+)")


def cold_table(times: int) -> Table:
    """`handrail review` next to a Python that does nothing."""
    table = Table("Cold start", ("command", "best", "p50"), note=f"{times} starts each.")
    for name, argv in (
        ("`python -c pass`", [sys.executable, "-c", "pass"]),
        ("`handrail --version`", [HANDRAIL, "--version"]),
        ("`handrail review 'ls -la'`", [HANDRAIL, "review", "ls -la"]),
        ("`handrail review --json 'ls -la'`", [HANDRAIL, "review", "--json", "ls -la"]),
        ("`handrail review 'rm -rf /'`", [HANDRAIL, "review", "rm -rf /"]),
    ):
        _start(argv)  # compiles what is not compiled yet
        took = sorted(_start(argv) for _ in range(times))
        table.add(name, milli(took[0]), milli(took[len(took) // 2]))
    return table


def import_table(rows: int) -> Table:
    """The modules that take longest to import, each without what it imports itself."""
    argv = [sys.executable, "-X", "importtime", HANDRAIL, "review", "ls -la"]
    text = subprocess.run(argv, capture_output=True, text=True, check=False, env=ENVIRON).stderr
    found = [(int(match[1]), match[4]) for match in _IMPORT.finditer(text)]
    table = Table(
        "What starting imports",
        ("module", "by itself"),
        note=f"{len(found)} modules, {sum(own for own, _ in found) / 1000:,.0f} ms in all with "
        "`-X importtime`; the option itself makes importing slower.",
    )
    for own, name in sorted(found, reverse=True)[:rows]:
        table.add(f"`{name}`", milli(own / 1e6))
    return table


def _start(argv: list[str]) -> float:
    before = perf_counter()
    subprocess.run(argv, capture_output=True, check=False, stdin=subprocess.DEVNULL, env=ENVIRON)
    return perf_counter() - before
