"""The groups in which runs are listed, the most urgent first."""

from collections.abc import Iterable
from typing import NamedTuple

from handrail.model.control import ENDING, FINAL, HOLDING
from handrail.views.run_overview import RunOverview
from handrail.words.run_signs import (
    INTERRUPTED,
    NEEDS_YOU,
    OVER,
    RUN_SIGNS,
    STUCK,
    UNREADABLE,
    WATCHING,
)


class RunGroup(NamedTuple):
    """States that stand together in the list."""

    title: str
    states: frozenset[str]
    mark: str
    style: str


def _group(title: str, states: Iterable[str], like: str) -> RunGroup:
    return RunGroup(title, frozenset(states), *RUN_SIGNS[like])


GROUPS = (
    _group(NEEDS_YOU, (NEEDS_YOU, STUCK, UNREADABLE), NEEDS_YOU),
    _group("working", ("working", WATCHING, "quiet"), "working"),
    _group("waiting", ("waiting",), "waiting"),
    _group("held", (*(each.value for each in HOLDING), INTERRUPTED), "paused"),
    _group("stopped", (each.value for each in ENDING - FINAL), "stopped"),
    _group("over", OVER, "ended"),
)
"""The groups of the list, the most urgent first."""
_GROUP_OF = {state: at for at, group in enumerate(GROUPS) for state in group.states}


def group_of(run: RunOverview, now: float) -> RunGroup:
    """Return the group of a run."""
    return GROUPS[_GROUP_OF[run.state(now)]]


def order_runs(runs: Iterable[RunOverview], now: float) -> list[RunOverview]:
    """Sort runs: those that need a person first, those that are over last, newest first."""
    return sorted(runs, key=lambda run: (_GROUP_OF[run.state(now)], -run.started, run.id))
