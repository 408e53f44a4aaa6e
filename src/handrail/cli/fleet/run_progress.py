"""The state of a fleet as its progress display shows it."""

from handrail.config.fleet import Fleet
from handrail.fleet.engine.events import TaskAudited
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.questions import waiting_of_attempt
from handrail.fleet.reports.progress import FleetProgress, TaskProgress
from handrail.fleet.tasks.task import TaskStatus
from handrail.words.run_signs import NEEDS_YOU
from handrail.words.tasks import TaskWords, list_tasks, merge_in_words, stall_of

_TOLD = frozenset({TaskStatus.BLOCKED, TaskStatus.FAILED})


def fleet_progress(
    state: FleetState, settings: Fleet, *, slots: int, began: float, now: float
) -> FleetProgress:
    """Return the progress of a run that began then."""
    words = {line.task: line.words for line in list_tasks(state, now)}
    return FleetProgress(
        tasks=tuple(_task(each, words[name], settings, now) for name, each in state.tasks.items()),
        slots=slots,
        seconds=now - began,
        cost_usd=state.cost_usd,
        budget_usd=settings.budget_usd,
        paused=state.closed,
        questions=sum(len(waiting_of_attempt(each)) for each in state.active()),
    )


def _task(state: TaskState, words: TaskWords, settings: Fleet, now: float) -> TaskProgress:
    is_active = state.status is TaskStatus.ACTIVE
    entries = [each for each in state.audit if each.attempt == state.attempt]
    return TaskProgress(
        id=state.task.id,
        title=state.task.label,
        status=state.status,
        slot=state.lease.slot if state.lease else 0,
        iteration=max((each.iteration for each in entries), default=0) if is_active else 0,
        max_iterations=state.task.limits.iterations or settings.max_iterations,
        cost_usd=state.cost_usd,
        seconds=_seconds(state, entries, now),
        held=state.held,
        says=_says(state, words),
    )


def _says(state: TaskState, words: TaskWords) -> str:
    if state.status is TaskStatus.ACTIVE:
        return words.why if words.state == NEEDS_YOU else stall_of(state)
    if state.merge is not None and state.merge.outcome == "merged":
        return merge_in_words(state.merge)
    return words.why if state.held or state.merge or state.status in _TOLD else ""


def _seconds(state: TaskState, entries: list[TaskAudited], now: float) -> float:
    if state.result is not None:
        return state.result.seconds
    return now - entries[0].at if entries and state.lease else 0.0
