"""The exit code of `handrail run` for many tasks."""

import pytest

from handrail.cli.fleet.fleet_run import exit_code
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.tasks.task import Task, TaskStatus

BEGAN = 1_000.0


@pytest.mark.parametrize(
    ("status", "changed", "code"),
    [
        (TaskStatus.DONE, BEGAN + 1, 0),
        (TaskStatus.DONE, BEGAN - 1, 0),
        (TaskStatus.FAILED, BEGAN + 1, 1),
        (TaskStatus.FAILED, BEGAN - 1, 0),
        (TaskStatus.BLOCKED, BEGAN + 1, 1),
        (TaskStatus.BLOCKED, BEGAN - 1, 1),
        (TaskStatus.PENDING, BEGAN - 1, 1),
    ],
)
def test_what_a_person_gave_up_before_does_not_count_and_what_waits_for_one_does(
    status: TaskStatus, changed: float, code: int
) -> None:
    tasks = {
        "done": TaskState(Task(id="done", prompt="do it"), status=TaskStatus.DONE),
        "a": TaskState(Task(id="a", prompt="do a"), changed=changed, status=status),
    }
    assert exit_code(FleetState(tasks=tasks), BEGAN) == code


def test_no_task_is_left_of_none() -> None:
    assert exit_code(FleetState(), BEGAN) == 0
