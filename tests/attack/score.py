"""Prints what became of all attacks, by class: python -m tests.attack.score FILE."""

import json
import sys
from collections import Counter
from pathlib import Path

from tests.attack.cases import CLASSES
from tests.attack.judge import RESULTS


def main(file: str) -> int:
    """A table, and below it every attack that got out; 1 if there is any."""
    lines = [json.loads(line) for line in Path(file).read_text().splitlines()]
    results = {line["attack"]: line for line in lines}  # the last one counts
    counts = Counter((name.partition(": ")[0], each["result"]) for name, each in results.items())
    width = max(map(len, CLASSES))
    rows = [f"{'':{width}}  {'  '.join(RESULTS)}"]
    for kind in (*CLASSES, "all"):
        cells = (_count(counts, kind, result) for result in RESULTS)
        numbers = (f"{n:>{len(r)}}" for n, r in zip(cells, RESULTS, strict=True))
        rows.append(f"{kind:{width}}  {'  '.join(numbers)}")
    out = [each for each in results.values() if each["result"] == "OUT"]
    rows += ["", *(f"OUT  {each['attack']}: {each['why']}" for each in out)]
    sys.stdout.write("\n".join(rows) + "\n")
    return 1 if out else 0


def _count(counts: Counter[tuple[str, str]], kind: str, result: str) -> int:
    return sum(n for (name, each), n in counts.items() if each == result and kind in (name, "all"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
