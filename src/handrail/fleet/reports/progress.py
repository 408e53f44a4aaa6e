"""The progress of a fleet: lines for a terminal of a given width, and lines for a log.

Pure: the caller draws the terminal's lines over the last ones, and prints the log's lines once.
"""

from collections import Counter
from collections.abc import Iterator

import msgspec
from rich.cells import cell_len, set_cell_size

from handrail.fleet.reports.figures import count, duration, money
from handrail.fleet.reports.one_line import one_line
from handrail.fleet.tasks.task import TaskStatus

MOST_WAITING = 5
"""Tasks below the slots that need a person."""
_BAR = 20
_SMALL_BAR = 8
_LONGEST = 300
_FULL, _EMPTY = "█", "░"
_SIGNS = {
    TaskStatus.ACTIVE: "●",
    TaskStatus.BLOCKED: "▲",
    TaskStatus.FAILED: "✗",
    TaskStatus.DONE: "✓",
    TaskStatus.PENDING: "○",
}
_FREE = "○"
_HELD = "‖"
_NEED_PERSON = (TaskStatus.BLOCKED, TaskStatus.FAILED)
_ENDED = (TaskStatus.DONE, TaskStatus.FAILED)
_SHOWN = (
    TaskStatus.ACTIVE,
    TaskStatus.PENDING,
    TaskStatus.BLOCKED,
    TaskStatus.FAILED,
)
"""The states that the first line counts beside the done ones."""


class TaskProgress(msgspec.Struct, frozen=True, kw_only=True):
    """One task, as the display shows it."""

    id: str
    title: str = ""
    status: TaskStatus = TaskStatus.PENDING
    slot: int = 0
    """From 1; 0: in none."""
    iteration: int = 0
    max_iterations: int = 0
    """0: no limit."""
    cost_usd: float = 0.0
    seconds: float = 0.0
    """The time that agents have worked on it."""
    held: bool = False
    """A person has paused or stopped it."""
    says: str = ""
    """What it does, or why it does not go on."""


class FleetProgress(msgspec.Struct, frozen=True, kw_only=True):
    """The whole fleet at one moment."""

    tasks: tuple[TaskProgress, ...] = ()
    slots: int = 0
    seconds: float = 0.0
    """Since the run began."""
    cost_usd: float = 0.0
    budget_usd: float = 0.0
    """0: no limit."""
    paused: bool = False
    questions: int = 0
    """Questions that wait for a person."""


def terminal_lines(progress: FleetProgress, width: int) -> list[str]:
    """Return the display, no line wider than the terminal."""
    by_slot = {task.slot: task for task in progress.tasks if task.status is TaskStatus.ACTIVE}
    last = max(progress.slots, *by_slot, 0)  # fewer slots than before: the others run out
    lines = [
        _first_line(progress),
        *(_slot_line(slot, by_slot.get(slot)) for slot in range(1, last + 1)),
        *_waiting_lines(progress),
    ]
    return [_fit(line, width) for line in lines]


def log_lines(before: FleetProgress | None, after: FleetProgress) -> list[str]:
    """Return a line for each change; cost and time alone are none.

    At first, what ended before the run is counted alone.
    """
    known = {task.id: task for task in before.tasks} if before else {}
    news = [task for task in after.tasks if before or task.status not in _ENDED]
    lines = [_task_line(task) for task in news if _told(task) != _told(known.get(task.id, _NEW))]
    if after.questions > (before.questions if before else 0):
        lines.append(f"questions for a person: {after.questions:,}")
    if _done(after) != (_done(before) if before else 0):
        lines.append(f"{_done(after):,} of {count(len(after.tasks), 'task')} done, {_cost(after)}")
    return lines


_NEW = TaskProgress(id="")
"""A task that nobody has heard of is pending: that is not worth a line."""


def _told(task: TaskProgress) -> tuple[object, ...]:
    """Return what a line of the log says about a task, without the things that always change."""
    return task.status, task.slot, task.iteration, task.held, task.says


def _task_line(task: TaskProgress) -> str:
    parts = [
        f"{_plain(task.id)}: {'held' if task.held else task.status.value}",
        f"slot {task.slot}" if task.slot else "",
        _iteration(task),
        money(task.cost_usd) if task.cost_usd else "",
        _plain(task.says),
    ]
    return ", ".join(part for part in parts if part)


def _first_line(progress: FleetProgress) -> str:
    counts = Counter(task.status for task in progress.tasks)
    total = len(progress.tasks)
    parts = [
        f"{_bar(_done(progress), total, _BAR)} {_done(progress):,}/{total:,} done",
        *(f"{counts[status]:,} {status.value}" for status in _SHOWN if counts[status]),
        count(progress.questions, "question") if progress.questions else "",
        _cost(progress),
        duration(progress.seconds),
    ]
    line = " · ".join(part for part in parts if part)
    return f"{_HELD} paused · {line}" if progress.paused else line


def _slot_line(slot: int, task: TaskProgress | None) -> str:
    if task is None:
        return f"{slot:>2} {_FREE} free"
    bar = _bar(task.iteration, task.max_iterations, _SMALL_BAR) if task.max_iterations else ""
    parts = [
        f"{slot:>2} {_sign(task)} {_plain(task.id)}",
        bar,
        _iteration(task),
        money(task.cost_usd),
        duration(task.seconds),
        _plain(task.says or task.title),
    ]
    return "  ".join(part for part in parts if part)


def _waiting_lines(progress: FleetProgress) -> Iterator[str]:
    waiting = [task for task in progress.tasks if task.status in _NEED_PERSON]
    for task in waiting[:MOST_WAITING]:
        yield (
            f" {_SIGNS[task.status]} {_plain(task.id)}  {task.status.value}  {_plain(task.says)}"
        ).rstrip()
    if len(waiting) > MOST_WAITING:
        yield f"   … and {len(waiting) - MOST_WAITING:,} more"


def _sign(task: TaskProgress) -> str:
    return _HELD if task.held else _SIGNS[task.status]


def _iteration(task: TaskProgress) -> str:
    if not task.iteration:
        return ""
    most = f" of {task.max_iterations:,}" if task.max_iterations else ""
    return f"iteration {task.iteration:,}{most}"


def _bar(part: int, whole: int, width: int) -> str:
    full = min(max(part, 0) * width // whole, width) if whole > 0 else 0
    return _FULL * full + _EMPTY * (width - full)


def _done(progress: FleetProgress) -> int:
    return sum(task.status is TaskStatus.DONE for task in progress.tasks)


def _cost(progress: FleetProgress) -> str:
    of = f" of {money(progress.budget_usd)}" if progress.budget_usd else ""
    return f"{money(progress.cost_usd)}{of}"


def _plain(text: str) -> str:
    return one_line(text, _LONGEST)


def _fit(line: str, width: int) -> str:
    if cell_len(line) <= width:
        return line
    return set_cell_size(line, width - 1).rstrip() + "…" if width > 1 else ""
