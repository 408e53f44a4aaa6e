"""Which task a slot gets next."""

from collections.abc import Sequence

from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.tasks.dependencies import count_waiting


def next_task(state: FleetState, lost: Sequence[TaskState], slot: int) -> TaskState | None:
    """Return the task that a slot gets first: one that was lost there, or anywhere."""
    if lost:
        return min(lost, key=lambda each: (slot_of(each) != slot, each.added))
    statuses = {name: each.status for name, each in state.tasks.items()}
    waiting = count_waiting((each.task for each in state.tasks.values()), statuses)
    return min(
        state.ready(),
        key=lambda each: _claim_order(each, waiting.get(each.task.id, 0)),
        default=None,
    )


def slot_of(task: TaskState) -> int:
    """Return the slot in which somebody works on a task; 0: none."""
    return task.lease.slot if task.lease else 0


def _claim_order(task: TaskState, waiting: int) -> tuple[bool, int, int, int, float]:
    """Sort by priority, then by the tasks that it sets free, then the fewest retries and age."""
    return (
        not task.preferred,
        -task.task.priority,
        -waiting,
        task.tries + task.expiries,
        task.added,
    )
