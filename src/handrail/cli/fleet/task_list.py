"""The list of tasks, as a table and as JSON."""

from time import time

from handrail.cli.fleet.task_lookup import NO_TASKS
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput, columns, visible
from handrail.fleet.engine.fleet_state import FleetState
from handrail.words.tasks import TaskLine, list_tasks, summarize_tasks, task_table

_INDENT = 3
_GAP = "  "


def print_tasks(
    screen: TerminalOutput, state: FleetState, statuses: frozenset[str], *, as_json: bool
) -> None:
    """Print the tasks with one of these statuses; none: all of them."""
    every = list_tasks(state, time())
    lines = [
        each for each in every if not statuses or state.tasks[each.task].status.value in statuses
    ]
    if as_json:
        print_json([_json(state, each) for each in lines])
    elif not every:
        screen.paragraph(NO_TASKS)
    elif not lines:
        screen.paragraph(f"No task is {' or '.join(sorted(statuses))}. {summarize_tasks(every)}.")
    else:
        _print_table(screen, lines)
        screen.say()
        screen.paragraph(summarize_tasks(every), "dim")
    if state.closed and not as_json:
        who = f" by {state.closed_by}" if state.closed_by else ""
        screen.paragraph(f"The fleet is paused{who}: no task starts.", "yellow")


def _print_table(screen: TerminalOutput, lines: list[TaskLine]) -> None:
    rows = task_table([_visible(each) for each in lines], screen.width - _INDENT, columns)
    for line, row in zip(lines, rows, strict=True):
        name, *others = row
        cells = _GAP.join((screen.paint(name, "bold"), *others))
        screen.say(f" {screen.paint(line.words.mark, line.words.style)} {cells}".rstrip())


def _visible(line: TaskLine) -> TaskLine:
    words = line.words._replace(why=visible(line.words.why))
    return line._replace(task=visible(line.task), label=visible(line.label), words=words)


def _json(state: FleetState, line: TaskLine) -> dict[str, object]:
    task = state.tasks[line.task]
    return {
        "id": line.task,
        "title": task.task.label,
        "status": task.status.value,
        "state": line.words.state,
        "why": line.words.why,
        "attempt": task.attempt,
        "priority": task.task.priority,
        "dependsOn": task.task.depends_on,
        "slot": task.lease.slot if task.lease else 0,
        "branch": task.workspace.branch if task.workspace else "",
        "merge": task.merge.outcome if task.merge else "",
        "costUsd": task.cost_usd,
        "added": task.added,
        "changed": task.changed,
    }
