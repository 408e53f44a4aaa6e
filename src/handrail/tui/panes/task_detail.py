"""The details of one task: its place, its result, its merge and its audit log."""

from collections.abc import Iterator

from handrail.tui.panes.fields import FieldLines
from handrail.tui.text import Line, StyledSpan, flat
from handrail.views.task_overview import TaskOverview
from handrail.words.amounts import count, money
from handrail.words.fleet_events import audit_sentence
from handrail.words.sentence import joined
from handrail.words.tasks import merge_in_words
from handrail.words.times import clock_time, duration_in_words

_MAX_PROMPT = 6
_SHOWN_AUDIT = 20


def task_detail(task: TaskOverview, run: str, now: float, width: int) -> list[Line]:
    """Return all details of a task. `run`: the name of its run, if the screen knows it."""
    fields = FieldLines(width)
    words = task.words
    fields.title(StyledSpan(f"{words.mark} ", words.style), StyledSpan(flat(task.task.id), "bold"))
    fields.add("State", words.says, words.style)
    fields.add("Title", task.task.title)
    fields.add("Prompt", task.task.prompt, limit=_MAX_PROMPT)
    fields.add("Verify", task.task.verify)
    fields.add("After", ", ".join(task.task.depends_on))
    fields.add("Slot", str(task.slot) if task.slot else "")
    fields.add("Attempt", _attempt(task))
    fields.add("Run", f"{run} (o opens it)" if run else task.run)
    if task.workspace is not None:
        fields.add("Branch", task.workspace.branch)
        fields.add("Workspace", task.workspace.path)
    fields.add("Result", _result(task))
    if task.merge is not None:
        fields.add("Merge", joined(merge_in_words(task.merge), task.merge.says))
    if task.cost or task.tokens:
        tokens = count(task.tokens, "token") if task.tokens else ""
        fields.add("Used", ", ".join(filter(None, (money(task.cost), tokens))))
    fields.add("Since", f"{clock_time(task.since)}, {duration_in_words(now - task.since)}")
    fields.add("Audit", _audit(task))
    fields.add("More", f"handrail task show {flat(task.task.id)}", "dim")
    return fields.lines


def _attempt(task: TaskOverview) -> str:
    if not task.attempt:
        return ""
    return f"{task.attempt}, iteration {task.iteration}" if task.iteration else str(task.attempt)


def _result(task: TaskOverview) -> str:
    result = task.result
    if result is None:
        return ""
    return joined(f"{result.outcome.value}{', verified' if result.verified else ''}", result.says)


def _audit(task: TaskOverview) -> Iterator[str]:
    """Yield the last entries, the newest first: that is the one a person looks for."""
    for entry in reversed(task.audit[-_SHOWN_AUDIT:]):
        said = audit_sentence(entry)
        yield f"{clock_time(entry.at)} {said.mark} {flat(said.text)}"
