"""Refuse tasks that depend on something unknown, or on each other."""

from collections.abc import Iterable, Sequence

from handrail.fleet.engine.engine import BadDependencyError
from handrail.fleet.tasks.dependencies import cycle_in_words, find_cycles, needs_of
from handrail.fleet.tasks.task import Task
from handrail.model.near_names import did_you_mean


def check_dependencies(fresh: Sequence[Task], known: Iterable[Task]) -> None:
    """Check new and changed tasks beside those that are there. Raises BadDependencyError."""
    needs = {**needs_of(known), **needs_of(fresh)}
    for task in fresh:
        for name in task.depends_on:
            if name not in needs:
                hint = did_you_mean(name, needs, "add that one first, or both in one file")
                raise BadDependencyError(
                    f"{task.id} depends on {name!r}, and there is no such task; {hint}"
                )
    ids = {task.id for task in fresh}
    for cycle in find_cycles(needs) if ids else ():
        if not ids.isdisjoint(cycle):
            raise BadDependencyError(f"tasks wait for each other: {cycle_in_words(cycle)}")
