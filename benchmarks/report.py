"""Measures, prints tables, and writes them into docs/performance.md."""

import argparse
import math
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.checkpoint import SIZES, checkpoint_tables
from benchmarks.claude import claude_table
from benchmarks.client import client_table
from benchmarks.cold import cold_table, import_table
from benchmarks.control import control_table
from benchmarks.corpus import ROOT, load_corpus, recorded_runs
from benchmarks.desktop import desktop_tables
from benchmarks.detect import detect_table
from benchmarks.fleet import fleet_table
from benchmarks.fleet_workspaces import WORKSPACE_SIZES, workspace_table
from benchmarks.heal import heal_table
from benchmarks.hook import hook_table
from benchmarks.hostile import hostile_table
from benchmarks.machine import machine_lines
from benchmarks.measure import Table
from benchmarks.memory import memory_table
from benchmarks.overwrites import overwrite_tables, recorded_rows
from benchmarks.panel_load import panel_table
from benchmarks.panel_page import page_tables
from benchmarks.review import review_table
from benchmarks.store import append_table
from benchmarks.stream import stream_table

PAGE = ROOT / "docs" / "performance.md"
_PATIENCE = 75.0
"""Seconds for the memory of the daemon, so that all of it is over within some minutes."""
BEGIN, END = "<!-- benchmarks:begin -->", "<!-- benchmarks:end -->"


def main() -> None:
    """Measure what was asked for."""
    options = _options()
    quick = options.quick
    rounds, times = (3, 5) if quick else (10, 20)
    corpus = load_corpus()
    folder = Path(tempfile.gettempdir())
    sections: dict[str, Callable[[], list[Table]]] = {
        "review": lambda: [review_table(corpus, rounds)],
        "cold": lambda: [cold_table(times)],
        "imports": lambda: [import_table(10)],
        "stream": lambda: [stream_table(corpus, recorded_runs(), 2 if quick else 3)],
        "hostile": lambda: [hostile_table(25)],
        "detect": lambda: [detect_table(corpus, 3 if quick else 7)],
        "hook": lambda: [hook_table(corpus, *((1, 3.0) if quick else (2, 10.0)))],
        "control": lambda: [control_table(corpus, *((1, 3.0) if quick else (2, 10.0)))],
        "panel": lambda: [
            panel_table(corpus, *((1, 3.0) if quick else (5, 10.0))),
            *page_tables(corpus, *((3, 1) if quick else (10, 3))),
        ],
        "desktop": lambda: desktop_tables(20 if quick else 60),
        "client": lambda: [client_table(corpus, 2 * times)],
        "claude": lambda: [claude_table(*((1, 15) if quick else (3, 40)))],
        "fleet": lambda: [
            fleet_table(3 if quick else 7),
            workspace_table(WORKSPACE_SIZES, 5 if quick else 10),
        ],
        "heal": lambda: [heal_table(1 if quick else 5)],
        "store": lambda: [append_table(*((5_000, 1) if quick else (20_000, 3)), folder)],
        "memory": lambda: [memory_table(corpus, math.inf if options.full else _PATIENCE)],
        "overwrites": lambda: overwrite_tables(
            corpus, recorded_rows(os.environ.get("HANDRAIL_RECORDED_RUNS", "")), 3 if quick else 5
        ),
        "checkpoint": lambda: checkpoint_tables(*((SIZES[:2], 3) if quick else (SIZES, 5))),
    }
    machine = "\n".join(machine_lines())
    print(f"{machine}\n")
    tables: list[Table] = []
    for name, make in sections.items():
        if not options.only or name in options.only:
            for table in make():
                tables.append(table)
                print(table.plain(), flush=True)
    if options.write:
        _renew(machine, tables)
    elif not options.only and not options.quick:
        _write(machine, tables)
    else:
        return
    print(f"written to {PAGE.relative_to(ROOT)}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds; writes nothing")
    parser.add_argument("--full", action="store_true", help="whatever time the memory takes")
    parser.add_argument("--only", action="append", default=[], help="one section; writes nothing")
    parser.add_argument("--write", action="store_true", help="renew the sections of --only alone")
    return parser.parse_args()


def _write(machine: str, tables: list[Table]) -> None:
    """Put the tables between the markers; the rest of the page is written by hand."""
    head, begin, rest = PAGE.read_text().partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"{PAGE.name} lacks the markers {BEGIN} and {END}")
    body = "\n".join([f"{machine}\n", *(table.markdown() for table in tables)])
    PAGE.write_text(f"{head}{BEGIN}\n{body}{END}{tail}")


def _renew(machine: str, tables: list[Table]) -> None:
    """Replace these tables, or add them; each says what it was measured on."""
    page = PAGE.read_text()
    measured = "; ".join(line.removeprefix("- ") for line in machine.splitlines())
    for table in tables:
        section = f"{table.markdown()}\n*{measured[0].upper()}{measured[1:]}.*\n\n"
        known = re.compile(
            rf"^### {re.escape(table.title)}\n.*?(?=^### |^{END})", re.MULTILINE | re.DOTALL
        )
        if known.search(page):
            page = known.sub(lambda _, new=section: new, page)
        else:
            page = page.replace(END, f"\n{section}{END}")
    PAGE.write_text(page)
