"""Which tasks wait for which: order, cycles, what is ready, and what can never start.

All functions are pure, and each takes time in proportion to the tasks and their dependencies.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from handrail.fleet.tasks.task import OPEN, Task, TaskStatus

Needs = Mapping[str, Sequence[str]]
"""For each task, the tasks that it depends on."""


class DependencyCycleError(ValueError):
    """Tasks wait for each other."""

    def __init__(self, cycle: Sequence[str]) -> None:
        super().__init__(f"tasks wait for each other: {cycle_in_words(cycle)}")
        self.cycle = tuple(cycle)


class StartObstacle(NamedTuple):
    """Why a task cannot start unless a person does something."""

    task: str
    through: str
    """The task that it depends on directly."""
    cause: str
    """The task at the root of it: that one, or one further away."""
    status: TaskStatus | None
    """Of the root; None: there is no such task."""

    @property
    def says(self) -> str:
        """Say it in words."""
        why = f"{self.cause} {_CAUSES[self.status]}"
        if self.through == self.cause:
            return f"it depends on {self.cause}, and {why}"
        return f"it depends on {self.through}, which cannot start: {why}"


_CAUSES = {
    TaskStatus.FAILED: "has failed",
    TaskStatus.BLOCKED: "is blocked and needs a person",
    None: "does not exist",
}


def needs_of(tasks: Iterable[Task]) -> dict[str, tuple[str, ...]]:
    """Return what each task depends on."""
    return {task.id: task.depends_on for task in tasks}


def cycle_in_words(cycle: Sequence[str]) -> str:
    """Write a cycle as people read it: `a -> b -> a`."""
    return " -> ".join(cycle)


def find_cycles(needs: Needs) -> list[tuple[str, ...]]:
    """Return cycles that share no task, each from a task back to itself."""
    search = _CycleSearch(needs)
    for task in needs:
        search.visit(task)
    return search.found


def cycle_on_add(task: Task, needs: Needs) -> tuple[str, ...]:
    """Return the cycle that a new or changed task would close, or ()."""
    came_from: dict[str, str] = {}
    stack = [task.id]
    while stack:
        at = stack.pop()
        for other in task.depends_on if at == task.id else needs.get(at, ()):
            if other == task.id:
                return (*_way_back(came_from, at, task.id), task.id)
            if other not in came_from:
                came_from[other] = at
                stack.append(other)
    return ()


def must_not_close_cycle(task: Task, needs: Needs) -> None:
    """Raise DependencyCycleError if a new or changed task would close a cycle."""
    if cycle := cycle_on_add(task, needs):
        raise DependencyCycleError(cycle)


def in_order(tasks: Sequence[Task]) -> list[Task]:
    """Return every task after those that it depends on; tasks without any keep their order.

    A dependency that is not among the tasks counts as met. Raises DependencyCycleError.
    """
    by_id = {task.id: task for task in tasks}
    missing = {task.id: sum(name in by_id for name in set(task.depends_on)) for task in tasks}
    dependents = _dependents(tasks)
    free = deque(task for task in tasks if not missing[task.id])
    ordered: list[Task] = []
    while free:
        task = free.popleft()
        ordered.append(task)
        for name in dependents.get(task.id, ()):
            missing[name] -= 1
            if not missing[name]:
                free.append(by_id[name])
    if len(ordered) < len(by_id):
        raise DependencyCycleError(find_cycles(needs_of(tasks))[0])
    return ordered


def ready(tasks: Iterable[Task], statuses: Mapping[str, TaskStatus]) -> list[Task]:
    """Return the pending tasks whose dependencies are all done, in the given order."""
    return [
        task
        for task in tasks
        if statuses.get(task.id) is TaskStatus.PENDING and not missing_for(task, statuses)
    ]


def missing_for(task: Task, statuses: Mapping[str, TaskStatus]) -> list[str]:
    """Return the dependencies of a task that are not done yet."""
    return [name for name in task.depends_on if statuses.get(name) is not TaskStatus.DONE]


def start_obstacles(
    tasks: Iterable[Task], statuses: Mapping[str, TaskStatus]
) -> dict[str, StartObstacle]:
    """Return the pending tasks that cannot start any more, each with the nearest cause.

    A task it depends on has failed, is blocked, does not exist, or cannot start either.
    """
    tasks = list(tasks)
    dependents = _dependents(tasks)
    found: dict[str, StartObstacle] = {}
    causes = deque((root, root) for root in _roots(dependents, statuses))
    while causes:
        through, cause = causes.popleft()
        for name in dependents.get(through, ()):
            if name not in found and statuses.get(name) is TaskStatus.PENDING:
                found[name] = StartObstacle(name, through, cause, statuses.get(cause))
                causes.append((name, cause))
    return found


def count_waiting(tasks: Iterable[Task], statuses: Mapping[str, TaskStatus]) -> dict[str, int]:
    """Return how many open tasks depend directly on each task."""
    counts: dict[str, int] = {}
    for task in tasks:
        if statuses.get(task.id) in OPEN:
            for name in set(task.depends_on):
                counts[name] = counts.get(name, 0) + 1
    return counts


def _roots(dependents: Iterable[str], statuses: Mapping[str, TaskStatus]) -> Iterator[str]:
    """Yield the tasks that stop those behind them. None in `_CAUSES`: the task is missing."""
    return (name for name in dependents if statuses.get(name) in _CAUSES)


def _dependents(tasks: Iterable[Task]) -> dict[str, list[str]]:
    """Return, for each task that others depend on, those others in their order."""
    found: dict[str, list[str]] = {}
    for task in tasks:
        for name in dict.fromkeys(task.depends_on):
            found.setdefault(name, []).append(task.id)
    return found


def _way_back(came_from: Mapping[str, str], at: str, start: str) -> list[str]:
    way = [at]
    while at != start:
        at = came_from[at]
        way.append(at)
    return way[::-1]


class _CycleSearch:
    """A depth-first search without recursion: a chain of 1,000 tasks is deeper than Python's."""

    def __init__(self, needs: Needs) -> None:
        self.found: list[tuple[str, ...]] = []
        self._needs = needs
        self._seen: set[str] = set()

    def visit(self, start: str) -> None:
        path: dict[str, Iterator[str]] = {}
        self._enter(path, start)
        while path:
            other = next(path[next(reversed(path))], None)
            if other is None:
                path.popitem()
            elif other in path:
                self._close(path, other)
            else:
                self._enter(path, other)

    def _enter(self, path: dict[str, Iterator[str]], task: str) -> None:
        if task in self._needs and task not in self._seen:
            self._seen.add(task)
            path[task] = iter(self._needs[task])

    def _close(self, path: dict[str, Iterator[str]], back_to: str) -> None:
        """Note a cycle and leave its tasks: their other cycles would share a task with it."""
        cycle = [back_to]
        while cycle[-1] != back_to or len(cycle) == 1:
            cycle.append(path.popitem()[0])
        self.found.append(tuple(reversed(cycle)))
