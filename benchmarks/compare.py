"""Compares this checkout with another: `python benchmarks/compare.py OTHER --only hook`.

Both run the same sections of `make bench --quick` in turn, so a slow minute of the machine meets
both. The table has the median of all rounds for each number, and their ratio.
"""

import argparse
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
_GAP = re.compile(r"\s{2,}")
_AMOUNT = re.compile(r"\**([\d,.]+) (µs|ms|s|MB)\**")
_IN_MICROSECONDS = {"µs": 1.0, "ms": 1e3, "s": 1e6, "MB": 1.0}

Amounts = dict[tuple[str, str], float]
"""By row and column."""


def main() -> None:
    """Measure in turn, and print what changed."""
    options = _options()
    checkouts = {"other": Path(options.other).resolve(), "here": ROOT}
    seen: dict[str, dict[tuple[str, str], list[float]]] = {
        name: defaultdict(list) for name in checkouts
    }
    for number in range(1, options.rounds + 1):
        for name, folder in checkouts.items():
            print(f"round {number} of {options.rounds}: {folder}", flush=True)
            for key, amount in measured(folder, options.only).items():
                seen[name][key].append(amount)
    for line in report(seen["other"], seen["here"]):
        print(line)


def measured(checkout: Path, sections: list[str]) -> Amounts:
    """All amounts that one quick run of the benchmarks prints."""
    argv = [str(checkout / ".venv/bin/python"), "benchmarks/run.py", "--quick"]
    argv += [word for section in sections for word in ("--only", section)]
    printed = subprocess.run(argv, cwd=checkout, check=True, capture_output=True, text=True)
    return amounts(printed.stdout)


def amounts(printed: str) -> Amounts:
    """Read the plain tables: a head, then rows whose cells stand two spaces apart."""
    found: Amounts = {}
    head: list[str] = []
    for line in printed.splitlines():
        cells = _GAP.split(line.strip())
        values = [_AMOUNT.fullmatch(cell) for cell in cells[1:]]
        if not any(values):
            head = cells
        for column, value in zip(head[1:], values, strict=False):
            if value:
                number = float(value[1].replace(",", ""))
                found[cells[0], column] = number * _IN_MICROSECONDS[value[2]]
    return found


def report(
    other: dict[tuple[str, str], list[float]], here: dict[tuple[str, str], list[float]]
) -> Iterator[str]:
    """One line for each amount that both measured."""
    yield f"{'what':55} {'column':>12} {'other':>12} {'here':>12} {'here / other':>13}"
    for (row, column), values in here.items():
        if before := other.get((row, column)):
            then, now = median(before), median(values)
            ratio = f"{now / then:.2f}" if then else ""
            yield f"{row[:55]:55} {column[:12]:>12} {then:12,.1f} {now:12,.1f} {ratio:>13}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", help="another checkout with a .venv (make lint makes one)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", action="append", default=[], help="one section of make bench")
    return parser.parse_args()


if __name__ == "__main__":
    main()
