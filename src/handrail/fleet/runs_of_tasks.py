"""Which runs of agents a fleet is done with: their tasks went on, or ended, without them."""

from collections.abc import Iterable

from handrail.fleet.engine.fleet_state import TaskState
from handrail.fleet.tasks.task import TaskStatus

_OVER = frozenset({TaskStatus.DONE, TaskStatus.FAILED})


class RunsOfTasks:
    """The tasks of all fleets, by their last run."""

    def __init__(self, tasks: Iterable[TaskState]) -> None:
        every = list(tasks)
        self._by_run = {each.run: each for each in every if each.run}
        self._names = {each.task.id for each in every}

    def is_past(self, run: str, task: str) -> bool:
        """Return whether nothing will come of a run any more: its task has another, or is over."""
        found = self._by_run.get(run)
        return task in self._names if found is None else found.status in _OVER

    def asks_nobody(self, run: str, task: str) -> bool:
        """Return whether what the agent of a run needed was decided about: its task goes on."""
        found = self._by_run.get(run)
        blocked = found is not None and found.status is TaskStatus.BLOCKED
        return not blocked and (found is not None or task in self._names)
