"""Which tasks wait for a merge, and which of them has to come first."""

from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.tasks.task import TaskStatus


def waits_for_merge(task: TaskState) -> bool:
    """Return whether a task is done and its work is not merged."""
    is_merged = task.merge is not None and task.merge.outcome == "merged"
    has_work = task.result is not None and bool(task.result.commit)
    return task.status is TaskStatus.DONE and has_work and not is_merged


def unmerged_needs(state: FleetState, task: TaskState) -> list[str]:
    """Return the tasks that one depends on whose work is not merged yet."""
    return [
        name
        for name in task.task.depends_on
        if (other := state.tasks.get(name)) is not None and waits_for_merge(other)
    ]


def merge_together(task: str, others: list[str], chosen: list[str]) -> str:
    """Say that a task cannot be merged without others that its work holds."""
    together = " ".join((*others, *chosen))
    return (
        f"{task} holds the work of {', '.join(others)}, which is not merged; "
        f"merge them together: handrail merge {together}"
    )
