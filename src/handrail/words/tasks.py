"""What people are told about the tasks of a fleet: state, reason, age, attempt, in one table."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from handrail.fleet.engine.events import MergeChanged
from handrail.fleet.engine.fleet_state import AskedQuestion, FleetState, TaskMerge, TaskState
from handrail.fleet.questions import waiting_of_attempt
from handrail.fleet.tasks.dependencies import StartObstacle, missing_for, start_obstacles
from handrail.fleet.tasks.task import TaskStatus
from handrail.words.amounts import count, money
from handrail.words.line_breaking import Measure, clip
from handrail.words.run_signs import NEEDS_YOU
from handrail.words.sentence import joined
from handrail.words.times import duration_in_words

READY, WAITING, STUCK, STOPPED = "ready", "waiting", "cannot start", "stopped"
WORKING, DONE, MERGED, FAILED = "working", "done", "merged", "failed"

TASK_SIGNS = {
    NEEDS_YOU: ("▲", "red"),
    FAILED: ("✗", "red"),
    STUCK: ("✗", "yellow"),
    STOPPED: ("‖", "yellow"),
    WORKING: ("●", "green"),
    READY: ("·", "dim"),
    WAITING: ("◇", "dim"),
    DONE: ("✓", "green"),
    MERGED: ("✓", "dim"),
}
"""The sign and the colour of each state of a task, the most urgent first."""

_OVER = frozenset({TaskStatus.DONE, TaskStatus.FAILED, TaskStatus.BLOCKED})
_SHOWN_NAMES = 3
_MERGES = {
    "merged": "merged into …",
    "waiting": "its merge into … waits",
    "conflict": "it conflicts with …",
    "verify_failed": "verifying it on … failed",
    "taken_back": "its merge into … was taken back",
}


class TaskWords(NamedTuple):
    """How a task stands, in words."""

    state: str
    """A key of TASK_SIGNS."""
    why: str = ""

    @property
    def mark(self) -> str:
        """Return its sign."""
        return TASK_SIGNS[self.state][0]

    @property
    def style(self) -> str:
        """Return its colour."""
        return TASK_SIGNS[self.state][1]

    @property
    def says(self) -> str:
        """Say both in one line."""
        return joined(self.state, self.why)


class TaskLine(NamedTuple):
    """One line of the list of tasks."""

    task: str
    words: TaskWords
    age: str
    attempt: str
    cost: str
    label: str


def describe_task(
    state: TaskState, missing: Sequence[str] = (), obstacle: StartObstacle | None = None
) -> TaskWords:
    """Say how a task stands.

    `missing`: the tasks it still waits for; `obstacle`: why it cannot start at all.
    """
    return _DESCRIBE[state.status](state, missing, obstacle)


def list_tasks(fleet: FleetState, now: float) -> list[TaskLine]:
    """Say how each task of a fleet stands, in the order of submission."""
    tasks = [state.task for state in fleet.tasks.values()]
    statuses = {name: state.status for name, state in fleet.tasks.items()}
    obstacles = start_obstacles(tasks, statuses)
    return [
        TaskLine(
            name,
            describe_task(state, missing_for(state.task, statuses), obstacles.get(name)),
            duration_in_words(now - _since(state)),
            attempt_in_words(state),
            money(state.cost_usd) if state.cost_usd else "",
            one_line(state.task.label),
        )
        for name, state in fleet.tasks.items()
    ]


def _since(state: TaskState) -> float:
    """Return when a task ended, when its attempt began, or else when it was added."""
    if state.status in _OVER:
        return state.changed
    if state.status is TaskStatus.ACTIVE:
        begun = (each.at for each in state.audit if each.attempt == state.attempt)
        return next(begun, state.changed)
    return state.added


def summarize_tasks(lines: Iterable[TaskLine]) -> str:
    """Count tasks by state: `1 needs you, 2 working, 3 done`."""
    counts = Counter(line.words.state for line in lines)
    return ", ".join(f"{counts[state]:,} {state}" for state in TASK_SIGNS if counts[state])


def attempt_in_words(state: TaskState) -> str:
    """Say which attempt it is; "" for the first."""
    return f"attempt {state.attempt}" if state.attempt > 1 else ""


def one_line(text: str) -> str:
    """Put a text of several lines into one."""
    return " ".join(text.split())


def task_table(lines: Sequence[TaskLine], width: int, columns: Measure) -> list[tuple[str, ...]]:
    """Fit lines into a width: cells of task, state, age, attempt, cost and label, padded.

    With two blanks between the cells, a line is at most as wide as the width, from 30 on. A narrow
    one loses the cost first, then the attempt, then the age. An empty column takes no room.
    """
    rows = [(each.task, each.words.state, each.age, each.attempt, each.cost) for each in lines]
    widest = [max((columns(row[cell]) for row in rows), default=0) for cell in range(_CELLS)]
    widest[0] = min(widest[0], max(width // 3, 8))
    kept = [cell for cell in range(_CELLS) if widest[cell]]
    for cell in _GIVEN_UP:
        if _room(width, widest, kept) < _LEAST_LABEL and cell in kept:
            kept.remove(cell)
    room = max(_room(width, widest, kept), 0)
    return [
        (
            *(_pad(clip(row[cell], widest[cell], columns), widest[cell], columns) for cell in kept),
            clip(_label(line), room, columns),
        )
        for row, line in zip(rows, lines, strict=True)
    ]


_CELLS = 5
_GIVEN_UP = (4, 3, 2)
_LEAST_LABEL = 24
_GAP = 2


def _room(width: int, widest: Sequence[int], kept: Iterable[int]) -> int:
    return width - sum(widest[cell] + _GAP for cell in kept)


def _pad(text: str, width: int, columns: Measure) -> str:
    return text + " " * (width - columns(text))


def _label(line: TaskLine) -> str:
    """Return the reason, if somebody has to do something; otherwise what the task is."""
    return line.words.why if line.words.state in _TELL_WHY and line.words.why else line.label


_TELL_WHY = frozenset({NEEDS_YOU, FAILED, STUCK, STOPPED})


def _pending(state: TaskState, missing: Sequence[str], obstacle: StartObstacle | None) -> TaskWords:
    if state.held:
        return TaskWords(STOPPED, one_line(state.says) or "a person stopped it")
    if obstacle is not None:
        return TaskWords(STUCK, obstacle.says)
    if missing:
        more = len(missing) - _SHOWN_NAMES
        names = ", ".join(missing[:_SHOWN_NAMES]) + (f" and {more} more" if more > 0 else "")
        return TaskWords(WAITING, f"for {names}")
    if failed := state.tries + state.expiries:
        return TaskWords(READY, joined(f"{count(failed, 'attempt')} failed", one_line(state.says)))
    return TaskWords(READY)


def _active(state: TaskState, _missing: object, _obstacle: object) -> TaskWords:
    if asked := waiting_of_attempt(state):
        return TaskWords(NEEDS_YOU, joined("it asks", one_line(asked[-1].text)))
    slot = state.lease.slot if state.lease else 0
    stall = f"stalled: {stalled}" if (stalled := stall_of(state)) else ""
    return TaskWords(WORKING, ", ".join(filter(None, (f"in slot {slot}" if slot else "", stall))))


def stall_of(state: TaskState) -> str:
    """Return why the attempt under way counts as stalled, or "": its last words say so."""
    last = state.audit[-1] if state.audit else None
    is_stalled = last and last.kind == "stall" and last.attempt == state.attempt
    return one_line(last.says) if last and is_stalled else ""


def question_state(asked: AskedQuestion) -> str:
    """Say what became of a question."""
    if asked.is_default:
        return joined("nobody answered in time", one_line(asked.answer))
    if asked.answered:
        return joined(f"answered by {asked.by or 'a person'}", one_line(asked.answer))
    return "let go without an answer" if asked.is_closed else "nobody has answered yet"


def _blocked(state: TaskState, _missing: object, _obstacle: object) -> TaskWords:
    return TaskWords(NEEDS_YOU, one_line(state.says))


def _done(state: TaskState, _missing: object, _obstacle: object) -> TaskWords:
    if state.merge is None:
        return TaskWords(DONE)
    if state.merge.outcome == "merged":
        return TaskWords(MERGED, f"into {state.merge.target}")
    why = joined(merge_in_words(state.merge), one_line(state.merge.says))
    return TaskWords(_MERGE_STATES.get(state.merge.outcome, DONE), why)


def _failed(state: TaskState, _missing: object, _obstacle: object) -> TaskWords:
    return TaskWords(FAILED, one_line(state.says))


def merge_in_words(merge: TaskMerge | MergeChanged) -> str:
    """Say what became of a task's branch."""
    before, _, after = _MERGES.get(merge.outcome, f"{merge.outcome}: …").partition("…")
    return f"{before}{merge.target}{after}"


_MERGE_STATES = {"conflict": NEEDS_YOU, "verify_failed": NEEDS_YOU}
_DESCRIBE = {
    TaskStatus.PENDING: _pending,
    TaskStatus.ACTIVE: _active,
    TaskStatus.BLOCKED: _blocked,
    TaskStatus.DONE: _done,
    TaskStatus.FAILED: _failed,
}
