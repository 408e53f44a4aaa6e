"""Everything about one task, in words and as JSON."""

import os
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from handrail.cli.fleet.opened_fleet import OpenedFleet
from handrail.cli.output.terminal import TerminalOutput, pad, visible, wrap
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.recovery.audit_log import recovery_of
from handrail.fleet.tasks.dependencies import missing_for, start_obstacles
from handrail.fleet.workspaces.task_work import has_changes, work_of_task
from handrail.fleet.workspaces.workspace_work import WorkspaceStatus
from handrail.words.amounts import count, money
from handrail.words.fleet_events import audit_sentence
from handrail.words.task_commands import next_commands
from handrail.words.tasks import (
    TaskWords,
    describe_task,
    merge_in_words,
    one_line,
    question_state,
)
from handrail.words.times import date_and_time

_SHOWN_AUDIT = 10
_SHOWN_QUESTIONS = 10
_WHEN = 12
_AUDIT_INDENT = _WHEN + 4
_MAX_PROMPT = 6
"""Lines of a prompt."""


class TaskView(NamedTuple):
    """One task, with what is known around it."""

    state: TaskState
    words: TaskWords
    waits_for: tuple[str, ...]
    work: WorkspaceStatus | None
    """None: there is no workspace, or git cannot read it."""


def view_task(fleet: OpenedFleet, state: FleetState, task: TaskState) -> TaskView:
    """Look at a task and its workspace."""
    statuses = {name: each.status for name, each in state.tasks.items()}
    missing = missing_for(task.task, statuses)
    obstacles = start_obstacles((each.task for each in state.tasks.values()), statuses)
    words = describe_task(task, missing, obstacles.get(task.task.id))
    work = work_of_task(fleet.workspaces, task.task.id, os.environ)
    return TaskView(task, words, tuple(missing), work)


def view_json(view: TaskView) -> dict[str, object]:
    """Return a task for programs."""
    state, work = view.state, view.work
    return {
        "id": state.task.id,
        "task": state.task,
        "status": state.status.value,
        "state": view.words.state,
        "why": view.words.why,
        "held": state.held,
        "attempt": state.attempt,
        "tries": state.tries,
        "expiries": state.expiries,
        "added": state.added,
        "changed": state.changed,
        "lease": state.lease,
        "run": state.run,
        "workspace": state.workspace,
        "branch": state.workspace.branch if state.workspace else "",
        "work": work,
        "result": state.result,
        "merge": state.merge,
        "tokens": state.tokens,
        "costUsd": state.cost_usd,
        "waitsFor": view.waits_for,
        "questions": state.questions,
        "audit": state.audit,
        "next": [command for command, _ in next_commands(state)],
        "recoveryContext": msgspec.to_builtins(recovery_of(state, has_changes=has_changes(work))),
    }


def print_view(screen: TerminalOutput, view: TaskView) -> None:
    """Print a task for a person."""
    state, words = view.state, view.words
    name = screen.paint(visible(state.task.id), "bold")
    screen.say(f" {screen.paint(words.mark, words.style)} {name}  {words.state}")
    if words.why:
        screen.paragraph(words.why, indent=3, limit=_MAX_PROMPT)
    screen.say()
    for label, texts in _fields(view):
        screen.field(label, texts, limit=_MAX_PROMPT)
    _print_questions(screen, state)
    _print_audit(screen, state)
    _print_next(screen, state)


def _fields(view: TaskView) -> Iterator[tuple[str, list[str]]]:
    state, task = view.state, view.state.task
    if task.title:
        yield "title", [one_line(task.title)]
    yield "prompt", [line for line in task.prompt.splitlines() if line.strip()][:_MAX_PROMPT]
    for label, text in (
        ("verify", task.verify),
        ("scope", ", ".join(task.scope)),
        ("needs", ", ".join(task.depends_on)),
        ("waits for", ", ".join(view.waits_for)),
        ("priority", str(task.priority) if task.priority else ""),
        ("model", task.model),
        ("host", task.host),
        ("limits", _limits(view)),
        ("attempt", _attempt(state)),
        ("agent", _agent(state)),
        ("workspace", state.workspace.path if state.workspace and view.work else ""),
        ("branch", state.workspace.branch if state.workspace and view.work else ""),
        ("work", _work_in_words(view.work)),
        ("result", _result(state)),
        ("merge", _merge(state)),
        ("told", one_line(state.message)),
        ("cost", _cost(state)),
    ):
        if text:
            yield label, [text]


def _limits(view: TaskView) -> str:
    written = msgspec.to_builtins(view.state.task.limits)
    return ", ".join(f"{name} {value:g}" for name, value in written.items())


def _attempt(state: TaskState) -> str:
    if not state.attempt:
        return ""
    lost = (count(state.tries, "failed attempt") if state.tries else "",
            count(state.expiries, "lost attempt") if state.expiries else "")  # fmt: skip
    return ", ".join((str(state.attempt), *filter(None, lost)))


def _agent(state: TaskState) -> str:
    lease = state.lease
    if lease is None:
        return ""
    return f"slot {lease.slot}, process {lease.pid} on {lease.host}, run {state.run[:8]}"


def _work_in_words(work: WorkspaceStatus | None) -> str:
    if work is None:
        return ""
    files = f"{count(len(work.changed), 'changed file')} in {count(work.commits, 'commit')}"
    left = f", {count(len(work.uncommitted), 'uncommitted file')}" if work.uncommitted else ""
    return files + left


def _result(state: TaskState) -> str:
    result = state.result
    if result is None:
        return ""
    verified = ", verified" if result.verified else ""
    says = f": {one_line(result.says)}" if result.says else ""
    spent = f" after {count(result.iterations, 'iteration')}" if result.iterations else ""
    return f"{result.outcome.value}{verified}{spent}{says}"


def _merge(state: TaskState) -> str:
    if state.merge is None:
        return ""
    says = f": {one_line(state.merge.says)}" if state.merge.says else ""
    return f"{merge_in_words(state.merge)}{says}"


def _cost(state: TaskState) -> str:
    if not state.tokens and not state.cost_usd:
        return ""
    return f"{money(state.cost_usd)}, {state.tokens:,} tokens"


def _print_questions(screen: TerminalOutput, state: TaskState) -> None:
    if not state.questions:
        return
    screen.say()
    for each in state.questions[-_SHOWN_QUESTIONS:]:
        mark = screen.paint("▲", "red") if each.needs_person else screen.paint("·", "dim")
        when = date_and_time(each.asked)
        screen.paragraph(f"question {each.number}, {when}: {one_line(each.text)}", mark=mark)
        screen.paragraph(question_state(each), "dim", indent=3)


def _print_audit(screen: TerminalOutput, state: TaskState) -> None:
    if not state.audit:
        return
    screen.say()
    left = len(state.audit) - _SHOWN_AUDIT
    if left > 0:
        screen.say(screen.paint(f" … {left:,} earlier entries: --json shows them", "dim"))
    for entry in state.audit[-_SHOWN_AUDIT:]:
        when = screen.paint(pad(date_and_time(entry.at), _WHEN), "dim")
        said = audit_sentence(entry)
        text = f"attempt {entry.attempt}: {said.text}"
        head, *others = wrap(text, screen.width - _AUDIT_INDENT, 4)
        screen.say(f" {when} {screen.paint(said.mark, said.style)} {head}")
        for line in others:
            screen.say(f"{' ' * _AUDIT_INDENT}{line}")


def _print_next(screen: TerminalOutput, state: TaskState) -> None:
    commands = next_commands(state)
    if not commands:
        return
    screen.say()
    wide = max(len(command) for command, _ in commands)
    for command, does in commands:
        if wide + len(does) + 5 <= screen.width:
            screen.say(f"   {pad(command, wide)}  {screen.paint(does, 'dim')}")
        else:
            screen.say(f"   {command}")
