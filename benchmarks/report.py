"""Measures, prints tables, and writes them into docs/performance.md."""

import argparse
from collections.abc import Callable

from benchmarks.cold import cold_table, import_table
from benchmarks.corpus import ROOT, load_corpus, recorded_runs
from benchmarks.hostile import hostile_table
from benchmarks.machine import machine_lines
from benchmarks.measure import Table
from benchmarks.review import review_table
from benchmarks.stream import stream_table

PAGE = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- benchmarks:begin -->", "<!-- benchmarks:end -->"


def main() -> None:
    """Measure what was asked for."""
    options = _options()
    rounds, times = (3, 5) if options.quick else (10, 20)
    corpus = load_corpus()
    sections: dict[str, Callable[[], Table]] = {
        "review": lambda: review_table(corpus, rounds),
        "cold": lambda: cold_table(times),
        "imports": lambda: import_table(10),
        "stream": lambda: stream_table(corpus, recorded_runs(), 2 if options.quick else 3),
        "hostile": lambda: hostile_table(25),
    }
    tables: list[Table] = []
    for name, make in sections.items():
        if not options.only or name in options.only:
            tables.append(make())
            print(tables[-1].plain(), flush=True)
    if not options.only and not options.quick:
        _write(tables)
        print(f"written to {PAGE.relative_to(ROOT)}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds; writes nothing")
    parser.add_argument("--only", action="append", default=[], help="one section; writes nothing")
    return parser.parse_args()


def _write(tables: list[Table]) -> None:
    """Put the tables between the markers; the rest of the page is written by hand."""
    head, begin, rest = PAGE.read_text().partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"{PAGE.name} lacks the markers {BEGIN} and {END}")
    body = "\n".join(["\n".join(machine_lines()) + "\n", *(table.markdown() for table in tables)])
    PAGE.write_text(f"{head}{BEGIN}\n{body}{END}{tail}")
