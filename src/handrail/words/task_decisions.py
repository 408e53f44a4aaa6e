"""What a person may decide about a task now: one table for all surfaces."""

from collections.abc import Callable, Sequence
from typing import Protocol

from handrail.fleet.engine.events import AttemptResult
from handrail.fleet.engine.fleet_state import AskedQuestion, TaskMerge
from handrail.fleet.tasks.task import OPEN, Task, TaskStatus


class StandingTask(Protocol):
    """What the table looks at: the state of a task, and its overview, have all of it."""

    @property
    def task(self) -> Task:
        """What a person has written."""

    @property
    def status(self) -> TaskStatus:
        """Return its state."""

    @property
    def held(self) -> bool:
        """Return whether a person stopped it."""

    @property
    def run(self) -> str:
        """Return the last run of an agent for it."""

    @property
    def result(self) -> AttemptResult | None:
        """Return the result of its last attempt."""

    @property
    def merge(self) -> TaskMerge | None:
        """Return what became of its branch."""

    @property
    def questions(self) -> Sequence[AskedQuestion]:
        """Return what its agents have asked."""


def why_not_decide(decision: str, task: StandingTask) -> str:
    """Return why a decision is impossible now, or ""."""
    return _WHY_NOT[decision](task)


def possible_decisions(task: StandingTask) -> tuple[str, ...]:
    """Return the decisions that are possible now, the most likely first."""
    return tuple(name for name, why_not in _WHY_NOT.items() if not why_not(task))


def _no_answer(task: StandingTask) -> str:
    asked = [each for each in task.questions if each.needs_person]
    if task.status not in OPEN or not asked:
        return f"{task.task.id} asks nothing"
    if all(each.approval for each in asked):
        return f"{task.task.id} asks for a yes or no: handrail approve {asked[0].approval}"
    return ""


def _no_retry(task: StandingTask) -> str:
    name = task.task.id
    if task.status is TaskStatus.ACTIVE:
        return f"an agent works on {name} already"
    if task.status is TaskStatus.DONE:
        return f"{name} is done; handrail task retry {name} --again does it once more"
    if task.status is TaskStatus.PENDING and not task.held:
        return f"{name} is pending; nobody stopped it"
    return ""


def _no_second_time(task: StandingTask) -> str:
    return "" if task.status is TaskStatus.DONE else _is(task, "only a done task is done again")


def _no_merge(task: StandingTask) -> str:
    if task.status is not TaskStatus.DONE:
        return _is(task, "only done tasks are merged")
    if task.result is None or not task.result.commit:
        return f"{task.task.id} is done without a commit; there is nothing to merge"
    if task.merge is not None and task.merge.outcome == "merged":
        return f"{task.task.id} is merged into {task.merge.target} already"
    return ""


def _no_preference(task: StandingTask) -> str:
    if task.status is TaskStatus.PENDING and not task.held:
        return ""
    return _is(task, "only a task that waits for an agent can be next")


def _no_redirect(task: StandingTask) -> str:
    if task.status is TaskStatus.ACTIVE and task.run:
        return ""
    return _is(task, "only an agent at work can be given another task")


def _no_change(task: StandingTask) -> str:
    if task.status is TaskStatus.ACTIVE:
        return f"{task.task.id} is active; stop its agent before you change it"
    return ""


def _no_block(task: StandingTask) -> str:
    if task.status in (TaskStatus.PENDING, TaskStatus.ACTIVE):
        return ""
    return f"no block: {task.task.id} is {task.status.value}"


def _no_cancel(task: StandingTask) -> str:
    if task.status in OPEN:
        return ""
    return f"{task.task.id} is {task.status.value}: there is nothing left to give up"


def _is(task: StandingTask, wanted: str) -> str:
    status = "stopped" if task.held else task.status.value
    return f"{task.task.id} is {status}; {wanted}"


_WHY_NOT: dict[str, Callable[[StandingTask], str]] = {
    "answer": _no_answer,
    "retry": _no_retry,
    "merge": _no_merge,
    "again": _no_second_time,
    "prefer": _no_preference,
    "redirect": _no_redirect,
    "edit": _no_change,
    "priority": _no_change,
    "block": _no_block,
    "cancel": _no_cancel,
}
"""Why a decision is impossible, or ""; the most likely decision first."""
