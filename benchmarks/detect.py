"""Detectors: what one more action costs, and whether that depends on how many there were."""

from collections.abc import Callable, Iterator
from itertools import cycle, islice
from time import perf_counter_ns

import msgspec
from benchmarks.corpus import Corpus
from benchmarks.measure import Spread, Table, spread_cells

from handrail.config import Config
from handrail.config.detection import Detection
from handrail.detect import CompletedStep, RunDetectors, completed_step, intent_of
from handrail.model import Action
from handrail.model.action import Outcome
from handrail.model.review import Review
from handrail.review import Reviewer

_LENGTHS = (10, 100, 1_000, 10_000)
_COMMANDS = 200
_MEASURED = 300
_LINES = "".join(
    f"tests/test_shop_{number // 9}.py::test_{'abcdefgh'[number % 8]} PASSED [{number:3}%]\n"
    for number in range(200)
)
_SUMMARY = "\n==================== 99 passed, 1 skipped in 1.73s ====================\n"
_OUTPUTS = {"output of 300 characters": 300, "output of 10,000 characters": 10_000}


class _Done(msgspec.Struct, frozen=True):
    """An action with its review, and what came of it."""

    action: Action
    review: Review
    outcome: Outcome


def detect_table(corpus: Corpus, rounds: int) -> Table:
    """An action with short and with long output, after short and after long histories."""
    table = Table(
        "Detectors, one action",
        ("what", "actions before", "p50", "p90", "p99", "max"),
        note="From a reviewed action and its outcome to findings, all detectors together; "
        f"best of {rounds} rounds for each of {_MEASURED} actions. One in five fails, one in ten "
        "is a repetition. *Going through the history*: only counts equal calls with equal results, "
        "each time in all actions before.",
    )
    for name, length in _OUTPUTS.items():
        done = list(_work(corpus, length))
        for before in _LENGTHS:
            spread = _measure(done, before, rounds, _all_detectors)
            table.add(f"**all detectors**, {name}", f"{before:,}", *spread_cells(spread))
    done = list(_work(corpus, 300))
    for before in _LENGTHS:
        spread = _measure(done, before, max(rounds // 3, 1), _naive)
        table.add("going through the history", f"{before:,}", *spread_cells(spread))
    return table


_Take = Callable[[int, _Done], object]


def _all_detectors() -> _Take:
    watch, settings = RunDetectors(), Detection()

    def take(step: int, done: _Done) -> object:
        intent = intent_of(done.action, done.review)
        watch.see(completed_step(step, float(step), intent, done.outcome))
        return watch.findings(settings)

    return take


def _naive() -> _Take:
    history: list[CompletedStep] = []

    def take(step: int, done: _Done) -> object:
        deed = completed_step(step, float(step), intent_of(done.action, done.review), done.outcome)
        history.append(deed)
        call, result = deed.intent.call, deed.result
        return sum(past.intent.call == call and past.result == result for past in history)

    return take


def _measure(done: list[_Done], before: int, rounds: int, start: Callable[[], _Take]) -> Spread:
    best = [float("inf")] * _MEASURED
    for _ in range(rounds):
        take = start()
        steps = cycle(done)
        for step in range(before):
            take(step, next(steps))
        for index, each in enumerate(islice(steps, _MEASURED)):
            began = perf_counter_ns()
            take(before + index, each)
            best[index] = min(best[index], (perf_counter_ns() - began) / 1000)
    return Spread.of(best)


def _work(corpus: Corpus, length: int) -> Iterator[_Done]:
    reviewer = Reviewer(Config(scope=("/testbed/**", "/workspace/**")), see_disk=False)
    for number, line in enumerate(islice(cycle(corpus.lines), _COMMANDS)):
        chosen = corpus.lines[0] if number % 10 == 0 else line
        action = Action("Bash", {"command": chosen.command}, chosen.cwd)
        ok = number % 5 > 0
        output = f"{number} of {_COMMANDS}\n{_LINES}"[: length - len(_SUMMARY)] + _SUMMARY
        if not ok:
            output += f"\nValueError: order {number % 3} is not paid"
        outcome = Outcome(ok, 0 if ok else 1, output, duration_ms=12.0)
        yield _Done(action, reviewer.review(action), outcome)
