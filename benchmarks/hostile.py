"""How long it takes to refuse what is meant to hurt."""

from benchmarks.measure import Table, milli
from tests.fuzz.hostile import COMMANDS
from tests.fuzz.review_process import ReviewMeasure, ReviewProcess

LIMIT = 0.1
_PATIENCE = 3.0
_TIMES = 3


def hostile_table(rows: int) -> Table:
    """The slowest of all hostile inputs, and how many are slower than the limit."""
    with ReviewProcess(_PATIENCE) as judge:
        best = {name: _best(judge, name) for name in COMMANDS}
    slowest = sorted(best.items(), key=lambda item: -item[1].seconds)
    slow = sum(judgement.seconds > LIMIT for judgement in best.values())
    faults = sum(bool(judgement.fault) for judgement in best.values())
    table = Table(
        "Hostile input",
        ("command line", "verdict", "time"),
        note=f"The slowest {rows} of {len(COMMANDS)}; processor time, best of {_TIMES}. "
        f"{slow} take longer than {milli(LIMIT)}, {faults} end without a verdict "
        f"(an error, or none in {_PATIENCE:g} s).",
    )
    for name, judgement in slowest[:rows]:
        took = milli(judgement.seconds)
        late = judgement.seconds >= _PATIENCE
        table.add(name, judgement.fault or judgement.decision, f"> {took}" if late else took)
    return table


def _best(judge: ReviewProcess, name: str) -> ReviewMeasure:
    """The quickest of a few; one that is far too slow is not asked again."""
    best = judge.judge(name)
    for _ in range(_TIMES - 1):
        if best.fault or best.seconds < LIMIT / 4 or best.seconds > LIMIT * 10:
            break
        best = min(best, judge.judge(name), key=lambda judgement: judgement.seconds)
    return best
