"""Which tasks a merge takes, and in which order."""

from collections.abc import Sequence

import click

from handrail.cli.fleet.task_lookup import find_task
from handrail.fleet.engine.engine import TaskStatusError
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.merges.merge_order import merge_together, unmerged_needs, waits_for_merge
from handrail.fleet.merges.task_merges import must_be_done
from handrail.fleet.tasks.dependencies import in_order


def select_tasks(state: FleetState, names: Sequence[str]) -> list[TaskState]:
    """Return the named tasks, or all that wait for a merge, those they depend on first."""
    if not names:
        found = [each for each in state.tasks.values() if waits_for_merge(each)]
        return _ordered(state, [each.task.id for each in found])
    chosen = [find_task(state, name) for name in names]
    for each in chosen:
        try:
            must_be_done(each)
        except TaskStatusError as error:
            raise click.ClickException(str(error)) from None
    ids = [each.task.id for each in chosen]
    for each in chosen:
        if others := [name for name in unmerged_needs(state, each) if name not in ids]:
            raise click.ClickException(merge_together(each.task.id, others, ids))
    return _ordered(state, ids)


def _ordered(state: FleetState, ids: Sequence[str]) -> list[TaskState]:
    # All tasks, not only these: a chain between two of them may lead through others.
    every = in_order([each.task for each in state.tasks.values()])
    wanted = set(ids)
    return [state.tasks[task.id] for task in every if task.id in wanted]
