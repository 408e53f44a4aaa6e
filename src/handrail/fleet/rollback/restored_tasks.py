"""The tasks after a rollback: pure."""

from collections.abc import Collection, Mapping

import msgspec

from handrail.fleet.engine.events import TaskAudited, TaskWorkspace
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.tasks.task import TaskStatus

_AUDIT = 20
"""The last audit entries of each task that come back; the log has all of them."""


def restored_tasks(
    now: FleetState,
    then: FleetState,
    checkpoint: str,
    at: float,
    *,
    stays: Mapping[str, str],
    workspaces: Mapping[str, TaskWorkspace],
) -> dict[str, object]:
    """Return the state of every task after a rollback, as its event carries it.

    `stays`: tasks whose merge cannot be taken back, so that they stay as they are, and why.
    `workspaces`: of each task that has one now.
    """
    restored = {}
    for name, task in now.tasks.items():
        before = then.tasks.get(name)
        if name in stays:
            back = _told(task, task, f"stays as it is: {stays[name]}", at)
        elif before is None:
            back = _added_since(task, checkpoint, at)
        else:
            says = f"rolled back to {checkpoint}"
            back = _told(before, task, says, at, was_active=before.status is TaskStatus.ACTIVE)
        back.workspace = workspaces.get(name)
        restored[name] = msgspec.to_builtins(back)
    return restored


def changed_tasks(now: FleetState, then: FleetState) -> dict[str, tuple[str, str]]:
    """Return the tasks whose status goes back: by task, the status now and then."""
    return {
        name: (task.status.value, before.status.value)
        for name, task in now.tasks.items()
        if (before := then.tasks.get(name)) is not None and task.status is not before.status
    }


def done_since(now: FleetState, then: FleetState) -> tuple[str, ...]:
    """Return the tasks that were completed since."""
    return tuple(name for name in now.tasks if _is_done(now, name) and not _is_done(then, name))


def added_since(now: FleetState, then: Collection[str]) -> tuple[str, ...]:
    """Return the tasks that came later."""
    return tuple(name for name in now.tasks if name not in then)


def _is_done(state: FleetState, name: str) -> bool:
    task = state.tasks.get(name)
    return task is not None and task.status is TaskStatus.DONE


def _told(
    base: TaskState, now: TaskState, says: str, at: float, *, was_active: bool = False
) -> TaskState:
    """Return a copy of a task with an entry about the rollback."""
    entry = TaskAudited(at, now.task.id, now.attempt, "recovery", says)
    back = msgspec.structs.replace(base, audit=[*base.audit[-_AUDIT:], entry], lease=None)
    if was_active:
        back.status, back.says = TaskStatus.PENDING, says
    return back


def _added_since(task: TaskState, checkpoint: str, at: float) -> TaskState:
    """Return a task that nobody had added then: it begins anew when a person says so."""
    says = f"it came after {checkpoint}; handrail task retry {task.task.id} starts it"
    back = TaskState(task.task, task.added, status=TaskStatus.PENDING, says=says, held=True)
    back.attempt, back.audit = task.attempt, task.audit[-_AUDIT:]
    return _told(back, task, f"rolled back to {checkpoint}", at)
