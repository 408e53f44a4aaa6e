"""The commands that a person may want next for a task."""

from collections.abc import Iterator

from handrail.fleet.engine.fleet_state import TaskState
from handrail.fleet.questions import questions_for_person
from handrail.fleet.tasks.task import TaskStatus

NextCommand = tuple[str, str]
"""A command, and what it does."""


def next_commands(state: TaskState) -> list[NextCommand]:
    """Return what a person can do about a task now, the most likely first."""
    found = list(_NEXT[state.status](state))
    if state.run and state.status is not TaskStatus.PENDING:
        found.append((f"handrail log {state.run[:8]}", "read what its agent did"))
    return found


def _pending(state: TaskState) -> Iterator[NextCommand]:
    name = state.task.id
    if state.held:
        yield f"handrail task retry {name}", "let it be tried again"
    else:
        yield "handrail run --resume", "let agents work on all tasks"
    yield f"handrail task edit {name}", "change it"


def _active(state: TaskState) -> Iterator[NextCommand]:
    yield from _answers(state)
    yield "handrail watch", "watch, pause or steer its agent"
    yield f"handrail task cancel {state.task.id}", "end its agent and give the task up"


def _answers(state: TaskState) -> Iterator[NextCommand]:
    for each in questions_for_person(state):
        if each.approval:
            yield f"handrail approve {each.approval}", "let it do what it asks for"
        else:
            command = f'handrail task answer {state.task.id} {each.number} "TEXT"'
            yield command, f"answer question {each.number}"


def _stuck(state: TaskState) -> Iterator[NextCommand]:
    name = state.task.id
    yield from _answers(state)
    yield f"handrail task retry {name}", "let it be tried again"
    yield f"handrail task edit {name}", "change it first"
    if state.workspace is not None:
        yield f"cd {state.workspace.path}", "look at its work"


def _done(state: TaskState) -> Iterator[NextCommand]:
    yield from _MERGES.get(state.merge.outcome if state.merge else "", _none)(state.task.id)


def _none(_name: str) -> Iterator[NextCommand]:
    yield from ()


def _unmerged(name: str) -> Iterator[NextCommand]:
    yield f"handrail merge {name}", "verify it again and merge it"


def _conflict(name: str) -> Iterator[NextCommand]:
    yield f"handrail merge {name} --resolve", "let its agent resolve the conflict"
    yield f"git merge handrail/{name}", "resolve it yourself"


def _verify_failed(name: str) -> Iterator[NextCommand]:
    yield f"handrail task retry {name} --again", "let its agent work on it again"
    yield f"handrail merge {name}", "try the merge again"


def _waiting(name: str) -> Iterator[NextCommand]:
    yield f"handrail merge {name}", "try again, once the branch can move"
    yield f"git merge refs/handrail/merges/{name}", "put it on the branch yourself"


_MERGES = {
    "": _unmerged,
    "taken_back": _unmerged,
    "conflict": _conflict,
    "verify_failed": _verify_failed,
    "waiting": _waiting,
}
_NEXT = {
    TaskStatus.PENDING: _pending,
    TaskStatus.ACTIVE: _active,
    TaskStatus.BLOCKED: _stuck,
    TaskStatus.FAILED: _stuck,
    TaskStatus.DONE: _done,
}
