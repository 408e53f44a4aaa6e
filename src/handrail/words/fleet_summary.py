"""A fleet in a few words: its tasks by urgency, its slots, its cost, and who paused it."""

from collections.abc import Iterable, Iterator, Sequence

from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.recovery.recovered_kinds import FleetRecovery
from handrail.fleet.tasks.task import OPEN
from handrail.words.amounts import count, money
from handrail.words.run_signs import NEEDS_YOU
from handrail.words.sentence import joined, shorten_paths
from handrail.words.tasks import (
    FAILED,
    STOPPED,
    STUCK,
    TASK_SIGNS,
    WORKING,
    TaskLine,
    attempt_in_words,
    one_line,
    summarize_tasks,
)

FOR_A_PERSON = frozenset({NEEDS_YOU, FAILED, STUCK, STOPPED})
"""The states in which a task goes on only if somebody does something."""
_URGENCY = {state: place for place, state in enumerate(TASK_SIGNS)}


def short_fleet(name: str) -> str:
    """Return the name of a fleet's repository, without the key that makes it unique."""
    return name.rpartition("-")[0] or name


def by_urgency(lines: Iterable[TaskLine]) -> list[TaskLine]:
    """Sort tasks: those that need a person first, those at work next, the done ones last."""
    return sorted(lines, key=lambda line: _URGENCY[line.words.state])


def has_open_tasks(fleet: FleetState, lines: Iterable[TaskLine]) -> bool:
    """Return whether there is anything left to do, for an agent or for a person."""
    return any(each.status in OPEN for each in fleet.tasks.values()) or any(
        line.words.state == NEEDS_YOU for line in lines
    )


def fleet_in_words(fleet: FleetState, lines: Sequence[TaskLine]) -> str:
    """Say how a fleet stands, in one line."""
    slots = len({each.lease.slot for each in fleet.active() if each.lease})
    parts = (
        paused_in_words(fleet),
        f"{count(slots, 'slot')} used" if slots else "no slot used",
        money(fleet.cost_usd) if fleet.cost_usd else "",
        summarize_tasks(lines),
    )
    return " · ".join(filter(None, parts))


def paused_in_words(fleet: FleetState) -> str:
    """Say that nobody claims tasks, by whom and why; "" if they do."""
    if not fleet.closed:
        return ""
    word = "given up" if fleet.given_up else "paused"
    by = f"{word} by {one_line(fleet.closed_by)}" if fleet.closed_by else word
    return joined(by, one_line(fleet.closed_says))


def place_in_words(state: TaskState, iteration: int = 0) -> str:
    """Say where an agent works on a task: slot, attempt, iteration, branch and workspace."""
    slot = state.lease.slot if state.lease else 0
    number = iteration or last_iteration(state)
    workspace = state.workspace
    parts = (
        f"slot {slot}" if slot else "",
        attempt_in_words(state),
        f"iteration {number}" if number else "",
        workspace.branch if workspace else "",
        shorten_paths(f"{workspace.path}/", "").rstrip("/") if workspace else "",
    )
    return " · ".join(filter(None, parts))


def last_iteration(state: TaskState) -> int:
    """Return the last iteration of the present attempt; 0: none has ended."""
    return max((each.iteration for each in state.audit if each.attempt == state.attempt), default=0)


def is_at_work(line: TaskLine) -> bool:
    """Return whether an agent works on a task."""
    return line.words.state == WORKING


def recovery_lines(recovery: FleetRecovery) -> Iterator[str]:
    """Say how a fleet was recovered, and how completely each kind of its data."""
    yield joined(f"recovered from the {RECOVERY_SOURCES[recovery.source.value]}", _first(recovery))
    for each in recovery.kinds:
        yield joined(f"{each.kind} {each.how}", each.says)


RECOVERY_SOURCES = {
    "snapshot": "snapshot",
    "events": "events",
    "backup": "last backup",
    "rebuilt": "list of tasks, and the workspaces",
}
"""What a fleet was recovered from, in words."""


def _first(recovery: FleetRecovery) -> str:
    return one_line("; ".join(recovery.problems))
