"""The fleets in `handrail status`: what needs a person, and who is at work where."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from handrail.cli.output.terminal import TerminalOutput, clip, columns, pad, visible, wrap
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.engine.state_loading import TOPIC, load_fleet
from handrail.fleet.recovery.recovered_kinds import FleetRecovery, recovery_after
from handrail.fleet.runs_of_tasks import RunsOfTasks
from handrail.server.home import Home
from handrail.store.port import Store
from handrail.supervise.state.run_state import RunState
from handrail.words.amounts import count
from handrail.words.fleet_summary import (
    FOR_A_PERSON,
    by_urgency,
    fleet_in_words,
    has_open_tasks,
    is_at_work,
    last_iteration,
    place_in_words,
    recovery_lines,
)
from handrail.words.run_signs import NEEDS_YOU
from handrail.words.tasks import TASK_SIGNS, WORKING, TaskLine, list_tasks

_MAX_TASKS = 8
"""Tasks of one fleet; the others are counted."""
_MAX_NAME = 24
_MAX_HEAD = 2
_AGE = 7
_IN_SHORT = {NEEDS_YOU: ("needs you", "need you"), WORKING: ("working", "working")}


class FleetStatus(NamedTuple):
    """One fleet at this moment."""

    name: str
    state: FleetState
    lines: Sequence[TaskLine]
    """All tasks, the most urgent first."""
    recovery: FleetRecovery | None = None
    """How it was recovered; None: nothing was damaged."""

    @property
    def is_shown(self) -> bool:
        """Whether something is left to do, or was damaged."""
        return self.recovery is not None or has_open_tasks(self.state, self.lines)

    @property
    def shown(self) -> list[TaskLine]:
        """The tasks that need a person, then those at work."""
        wanted = [each for each in self.lines if each.words.state in FOR_A_PERSON]
        return [*wanted, *filter(is_at_work, self.lines)]


def all_fleets(store: Store, home: Home, now: float) -> list[FleetStatus]:
    """Return all fleets, the latest first."""
    found = []
    for topic in store.topics(TOPIC):
        name = topic.name.removeprefix(TOPIC)
        loaded = load_fleet(store, name, os.path.join(home.path, "fleet", name))
        lines = by_urgency(list_tasks(loaded.state, now))
        found.append(FleetStatus(name, loaded.state, lines, recovery_after(loaded)))
    return found


def find_fleets(store: Store, home: Home, now: float) -> list[FleetStatus]:
    """Return the fleets with something left to do, the latest first."""
    return [each for each in all_fleets(store, home, now) if each.is_shown]


def ask_daemon(home: Home, fleets: Sequence[FleetStatus]) -> list[FleetStatus]:
    """Add how the daemon recovered fleets at its start: the log may be whole again since."""
    from handrail.server.fleet.recovery_endpoint import ask_recoveries

    known = ask_recoveries(home)
    return [each._replace(recovery=known.get(each.name) or each.recovery) for each in fleets]


class RunTasks:
    """Finds the task that a run is for."""

    def __init__(self, fleets: Sequence[FleetStatus]) -> None:
        tasks = [each for fleet in fleets for each in fleet.state.tasks.values()]
        self.runs = RunsOfTasks(tasks)
        self._by_run = {each.run: each.task.id for each in tasks if each.run}
        self._by_folder = {each.workspace.path: each.task.id for each in tasks if each.workspace}

    def of(self, run: str, facts: RunState) -> str:
        """Return the task of a run, by its id or by the workspace it began in; "": none."""
        return self._by_run.get(run) or self._by_folder.get(facts.cwd, "")


def show_fleets(
    screen: TerminalOutput, fleets: Sequence[FleetStatus], iterations: Mapping[str, int]
) -> None:
    """Print each fleet. `iterations`: of the runs that are known."""
    for fleet in fleets:
        _show_fleet(screen, fleet, iterations)


def _show_fleet(screen: TerminalOutput, fleet: FleetStatus, iterations: Mapping[str, int]) -> None:
    screen.say()
    name = clip(fleet.name, _MAX_NAME)
    says = visible(f"{name} · {fleet_in_words(fleet.state, fleet.lines)}")
    first, *rest = wrap(says, screen.width - 3, _MAX_HEAD)
    screen.say(f" {screen.paint(name, 'bold')}{first.removeprefix(name)}")
    for text in rest:
        screen.say(f"   {text}")
    if fleet.recovery:
        for text in recovery_lines(fleet.recovery):
            screen.paragraph(text, "yellow", indent=3, limit=2)
    shown = fleet.shown[:_MAX_TASKS]
    widths = (
        max((columns(clip(each.task, _MAX_NAME)) for each in shown), default=0),
        max((len(each.words.state) for each in shown), default=0),
    )
    for line in shown:
        state = fleet.state.tasks[line.task]
        _show_task(screen, line, widths)
        if is_at_work(line) and (place := place_in_words(state, iterations.get(state.run, 0))):
            screen.say(f"   {screen.paint(clip(visible(place), screen.width - 3), 'dim')}")
    if left := len(fleet.lines) - len(shown):
        more = "more" if shown else "task" if left == 1 else "tasks"
        says = f"and {left:,} {more}" if shown else f"{left:,} {more}"
        screen.say(screen.paint(f"   {says}: handrail task list", "dim"))


def _show_task(screen: TerminalOutput, line: TaskLine, widths: tuple[int, int]) -> None:
    words = line.words
    of_name, of_state = widths
    told = words.why if words.state in FOR_A_PERSON and words.why else line.label
    room = max(screen.width - of_name - of_state - _AGE - 8, 0)
    cells = (
        pad(clip(line.task, _MAX_NAME), of_name),
        screen.paint(pad(words.state, of_state), words.style),
        pad(clip(visible(told), room), room) + line.age.rjust(_AGE),
    )
    screen.say(f" {screen.paint(words.mark, words.style)} {'  '.join(cells)}".rstrip())


def short_fleets(screen: TerminalOutput, fleets: Sequence[FleetStatus]) -> Iterator[str]:
    """Yield the words about tasks for a shell prompt."""
    counts = Counter(line.words.state for fleet in fleets for line in fleet.lines)
    for state, (one, several) in _IN_SHORT.items():
        if number := counts[state]:
            mark, style = TASK_SIGNS[state]
            says = f"{mark} {count(number, 'task')} {one if number == 1 else several}"
            yield screen.paint(says, style)
    if any(fleet.state.closed for fleet in fleets):
        yield screen.paint("‖ fleet paused", "yellow")


def fleet_json(fleet: FleetStatus, iterations: Mapping[str, int]) -> dict[str, object]:
    """Return a fleet for programs: the counts of all tasks, and those that `status` names."""
    counts = Counter(line.words.state for line in fleet.lines)
    tasks = ((line, fleet.state.tasks[line.task]) for line in fleet.shown)
    return {
        "fleet": fleet.name,
        "changed": fleet.state.changed,
        "paused": fleet.state.closed,
        "paused_by": fleet.state.closed_by,
        "cost_usd": fleet.state.cost_usd,
        "slots": sorted({each.lease.slot for each in fleet.state.active() if each.lease}),
        "counts": {state: counts[state] for state in TASK_SIGNS if counts[state]},
        "tasks": [_task_json(line, state, iterations) for line, state in tasks],
        "recovery": fleet.recovery,
    }


def _task_json(
    line: TaskLine, state: TaskState, iterations: Mapping[str, int]
) -> dict[str, object]:
    return {
        "id": line.task,
        "label": line.label,
        "status": state.status.value,
        "state": line.words.state,
        "why": line.words.why,
        "slot": state.lease.slot if state.lease else 0,
        "attempt": state.attempt,
        "iteration": iterations.get(state.run) or last_iteration(state),
        "run": state.run,
        "workspace": state.workspace.path if state.workspace else "",
        "branch": state.workspace.branch if state.workspace else "",
        "merge": state.merge.outcome if state.merge else "",
        "cost_usd": state.cost_usd,
        "changed": state.changed,
    }
