"""The audit log of a task, out of its events: for the next attempt's prompt, and for people."""

from collections.abc import Iterator, Sequence

from handrail.fleet.engine.events import TaskAudited
from handrail.fleet.engine.fleet_state import TaskState
from handrail.fleet.questions import earlier_questions
from handrail.fleet.recovery.audit import AuditEntry, RecoveryContext, audit_entry, recovery_context
from handrail.fleet.recovery.recovery_prompt import recovery_prompt, resumption_prompt
from handrail.fleet.test_results.suite_result import SuiteResult

_TOLD = frozenset({"start", "iteration", "signal", "crash"})
"""The kinds of entries that tell what an attempt did."""


def audit_entries(entries: Sequence[TaskAudited]) -> Iterator[AuditEntry]:
    """Yield the entries about attempts, as the seed of this design names their fields."""
    for each in entries:
        if each.kind in _TOLD:
            tests = SuiteResult(each.passed, each.failed) if each.passed >= 0 else None
            yield audit_entry(
                each.at,
                each.kind,
                files=each.files,
                tests=tests,
                commit=each.commit,
                error=each.error or (each.says if each.kind == "crash" else ""),
            )


def recovery_of(task: TaskState, *, has_changes: bool | None) -> RecoveryContext:
    """Return what the next attempt has to know; `has_changes`: what `git status` says."""
    before = task.attempt - (task.lease is not None)
    return recovery_context(
        audit_entries(task.audit),
        attempts=max(before, 0),
        has_changes=has_changes,
        reason=end_of_loop(task),
    )


def end_of_loop(task: TaskState) -> str:
    """Return why the loop of the last attempt ended; "": it did not come to its end."""
    told = [each for each in task.audit if each.kind in _TOLD]
    return told[-1].end if told else ""


def prompt_of(task: TaskState, *, has_changes: bool | None, resumed: bool = False) -> str:
    """Return the prompt of an attempt: the task, and what became of earlier attempts.

    `resumed`: the agent goes on with its conversation, and knows what it did.
    """
    context = recovery_of(task, has_changes=has_changes)
    parts = (
        task.task.prompt,
        task.message,
        earlier_questions(task),
        _recovery(task, context, resumed),
    )
    return "\n\n".join(part for part in parts if part)


def _recovery(task: TaskState, context: RecoveryContext, resumed: bool) -> str:
    if not context.previous_attempts:
        return ""
    if resumed:
        return resumption_prompt(context)
    return recovery_prompt(context, reason=end_of_loop(task))
