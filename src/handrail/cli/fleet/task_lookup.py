"""Find a task by the name that a person typed."""

import click

from handrail.cli.output.terminal import visible
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.model.near_names import did_you_mean

NO_TASKS = (
    'No tasks yet. Add one: handrail task add "Fix the failing tests." --verify "make test". '
    "Or write many into a file: handrail run tasks.yaml"
)


def find_task(state: FleetState, typed: str) -> TaskState:
    """Return a task by its id, or by the beginning of one; a wrong name ends the command."""
    if typed in state.tasks:
        return state.tasks[typed]
    begins = [name for name in state.tasks if name.startswith(typed)] if typed else []
    if len(begins) == 1:
        return state.tasks[begins[0]]
    if not state.tasks:
        raise click.ClickException(f"there is no task {visible(typed)!r}: there are none at all")
    if begins:
        few = ", ".join(begins[:5]) + (" …" if len(begins) > 5 else "")
        raise click.ClickException(f"several tasks begin with {visible(typed)!r}: {few}")
    hint = did_you_mean(typed, state.tasks, "handrail task list shows all")
    raise click.ClickException(f"there is no task {visible(typed)!r}; {hint}")
