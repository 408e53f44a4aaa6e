"""The rows of fleets and tasks, made from their views."""

from collections import Counter
from typing import cast

from handrail.api.messages.fleets import AuditRow, FleetRow, QuestionRow, SlotRow, TaskRow
from handrail.api.messages.runs import Tone
from handrail.fleet.engine.events import TaskAudited
from handrail.fleet.engine.fleet_state import AskedQuestion
from handrail.fleet.tasks.task import TaskStatus
from handrail.hosts import HOSTS
from handrail.views.task_overview import FleetView, TaskOverview
from handrail.words.fleet_events import audit_sentence
from handrail.words.fleet_summary import short_fleet
from handrail.words.sentence import joined
from handrail.words.task_decisions import possible_decisions
from handrail.words.tasks import TASK_SIGNS, merge_in_words, one_line, question_state

_MERGING = "being merged and verified"


def fleet_row(view: FleetView, recovered: tuple[str, ...] = ()) -> FleetRow:
    """Return the row of a fleet. `recovered`: how it was recovered, in lines."""
    counts = Counter(task.words.state for task in view.tasks)
    at_work = [task for task in view.tasks if task.status is TaskStatus.ACTIVE]
    return FleetRow(
        id=view.name,
        name=short_fleet(view.name),
        folder=view.folder,
        says=view.says,
        paused=view.paused,
        run=view.run,
        slots=tuple(_slot_row(task) for task in sorted(at_work, key=lambda task: task.slot)),
        slot_count=view.slots,
        counts={state: counts[state] for state in TASK_SIGNS if counts[state]},
        cost_usd=view.cost,
        budget_usd=view.budget,
        recovered=recovered,
    )


def task_row(task: TaskOverview, *, merging: bool = False) -> TaskRow:
    """Return the row of a task. `merging`: its merge is under way."""
    words, merge, workspace = task.words, task.merge, task.workspace
    merge_says = joined(merge_in_words(merge), one_line(merge.says)) if merge else ""
    decisions = possible_decisions(task)
    return TaskRow(
        fleet=task.fleet,
        id=task.task.id,
        label=one_line(task.task.label),
        status=task.status.value,
        state=words.state,
        why=words.why,
        mark=words.mark,
        tone=cast("Tone", words.style),
        priority=task.task.priority,
        depends_on=task.task.depends_on,
        slot=task.slot,
        attempt=task.attempt,
        iteration=task.iteration,
        run=task.run,
        workspace=workspace.path if workspace else "",
        branch=workspace.branch if workspace else "",
        merge="merging" if merging else merge.outcome if merge else "",
        merge_says=_MERGING if merging else merge_says,
        cost_usd=task.cost,
        tokens=task.tokens,
        since=task.since,
        held=task.held,
        questions=tuple(map(question_row, task.questions)),
        commands=() if merging else decisions,
    )


def question_row(asked: AskedQuestion) -> QuestionRow:
    """Return the row of a question."""
    return QuestionRow(
        asked.number,
        asked.text,
        asked.asked,
        asked.until,
        asked.answer,
        asked.by,
        question_state(asked),
        asked.approval,
        asked.needs_person,
    )


def audit_row(entry: TaskAudited) -> AuditRow:
    """Return one line of a task's history."""
    said = audit_sentence(entry)
    return AuditRow(entry.at, entry.attempt, said.text, cast("Tone", said.style))


def _slot_row(task: TaskOverview) -> SlotRow:
    workspace = task.workspace
    return SlotRow(
        slot=task.slot,
        task=task.task.id,
        run=task.run,
        agent=task.task.host or next(iter(HOSTS)),
        attempt=task.attempt,
        iteration=task.iteration,
        workspace=workspace.path if workspace else "",
        branch=workspace.branch if workspace else "",
        says=task.words.says,
        cost_usd=task.cost,
    )
