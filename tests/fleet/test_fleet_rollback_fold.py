"""The fold of rollbacks: any work, a rollback, its redo. What really happened never goes back."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from handrail.fleet.engine.backups import seal, unseal
from handrail.fleet.engine.events import (
    AttemptFinished,
    AttemptOutcome,
    AttemptResult,
    FleetEvent,
    FleetRolledBack,
    Lease,
    TaskAudited,
    TaskBlocked,
    TaskCancelled,
    TaskClaimed,
    TaskGivenBack,
    TaskReleased,
    TaskSubmitted,
    event_decoder,
)
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.rollback.restored_tasks import restored_tasks
from handrail.fleet.tasks.task import Task, TaskStatus

Steps = list[tuple[str, int]]
NAMES = st.sampled_from(["a", "b", "c"])
STEPS = st.lists(st.tuples(NAMES, st.integers(0, 7)), max_size=25)


def copy(state: FleetState) -> FleetState:
    return unseal(seal(state))


def work(state: FleetState, steps: Steps) -> None:
    """Apply events that an engine could have written."""
    for name, kind in steps:
        at, task = state.changed + 1, state.tasks.get(name)
        if task is None:
            state.apply(TaskSubmitted(at, Task(id=name, prompt="p")))
            continue
        for event in _events(at, name, task, kind):
            state.apply(event)


def _events(at: float, name: str, task: TaskState, kind: int) -> list[FleetEvent]:
    if task.status is TaskStatus.ACTIVE:
        outcome = list(AttemptOutcome)[kind % 3]
        result = AttemptResult(outcome=outcome, commit="abc", cost_usd=0.5)
        told = TaskAudited(at, name, task.attempt, "iteration", tokens=10, cost_usd=0.25)
        return [
            [told],
            [told, AttemptFinished(at, name, task.attempt, result)],
            [TaskGivenBack(at, name, task.attempt, "enough", held=kind > 4)],
            [TaskCancelled(at, name)],
        ][kind % 4]  # type: ignore[return-value]
    if task.is_claimable:
        return [TaskClaimed(at, name, Lease(owner="w", attempt=task.attempt + 1))]
    return [TaskReleased(at, name)] if kind % 2 else [TaskBlocked(at, name, "why")]


def rolled_back(state: FleetState, then: FleetState, number: str) -> None:
    at = state.changed + 1
    for each in state.active():
        state.apply(TaskGivenBack(at, each.task.id, each.attempt, "stopped", counts=False))
    tasks = restored_tasks(state, then, "c", at, stays={}, workspaces={})
    event = FleetRolledBack(at, "c", number, tasks)
    state.apply(event_decoder.decode(msgspec.json.encode(event)))


def facts(state: FleetState) -> dict[str, object]:
    """Everything about tasks apart from times, attempts, costs and the audit."""
    return {
        name: (
            each.task,
            each.status,
            each.held,
            each.tries,
            each.expiries,
            each.result,
            each.merge,
        )
        for name, each in state.tasks.items()
    }


@given(STEPS, STEPS)
def test_a_rollback_brings_the_tasks_of_then(first: Steps, second: Steps) -> None:
    state = FleetState()
    work(state, first)
    then = copy(state)
    work(state, second)
    rolled_back(state, then, "1")
    for name, each in then.tasks.items():
        now = state.tasks[name]
        was_active = each.status is TaskStatus.ACTIVE
        assert now.status is (TaskStatus.PENDING if was_active else each.status)
        assert (now.held, now.result, now.tries) == (each.held, each.result, each.tries)
    assert all(each.held for name, each in state.tasks.items() if name not in then.tasks)
    assert not state.active()
    assert state.rolled_back == "1"


@given(STEPS, STEPS, STEPS)
def test_attempts_and_costs_never_fall(first: Steps, second: Steps, third: Steps) -> None:
    state = FleetState()
    work(state, first)
    then = copy(state)
    work(state, second)
    before = copy(state)
    rolled_back(state, then, "1")
    work(state, third)
    for name, each in before.tasks.items():
        now = state.tasks[name]
        assert now.attempt >= each.attempt
        assert (now.tokens, now.cost_usd) >= (each.tokens, each.cost_usd)
    assert set(before.tasks) <= set(state.tasks)


@given(STEPS, STEPS, STEPS)
def test_a_redo_gives_the_same_tasks_as_before_the_rollback(
    first: Steps, second: Steps, third: Steps
) -> None:
    state = FleetState()
    work(state, first)
    then = copy(state)
    work(state, second)
    at = state.changed + 1
    for each in state.active():
        state.apply(TaskGivenBack(at, each.task.id, each.attempt, "stopped", counts=False))
    before = copy(state)
    rolled_back(state, then, "1")
    work(state, third)
    rolled_back(state, before, "2")
    after = facts(state)
    assert {name: after[name] for name in before.tasks} == facts(before)


@given(STEPS, STEPS)
def test_the_log_gives_the_same_state_again(first: Steps, second: Steps) -> None:
    state = FleetState()
    work(state, first)
    then = copy(state)
    work(state, second)
    rolled_back(state, then, "1")
    assert seal(unseal(seal(state))) == seal(state)
