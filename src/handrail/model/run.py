"""Runs and what surrounds them: the words that live supervision will fill."""

import msgspec

from handrail.model.finding import Finding


class Task(msgspec.Struct, frozen=True, omit_defaults=True):
    """A unit of work that runs are made for."""

    id: str
    goal: str


class Workspace(msgspec.Struct, frozen=True):
    """The git worktree in which a run works."""

    path: str


class Run(msgspec.Struct, frozen=True, omit_defaults=True):
    """One supervised agent execution."""

    id: str
    task: Task
    workspace: Workspace


class Checkpoint(msgspec.Struct, frozen=True, omit_defaults=True):
    """A saved point of a run: files, conversation position, state."""

    id: str
    run: str
    step: int
    """The last step that it contains."""
    commit: str
    at: float = 0.0
    why: str = ""


class StateSnapshot(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """What a run knew that goes back with its files; what was detected and spent does not."""

    goal: str = ""
    last_prompt: str = ""
    created: tuple[str, ...] = ()
    """Files that the run had made itself."""
    tasks: dict[str, str] = {}
    """By task, how far it was."""


class Incident(msgspec.Struct, frozen=True, omit_defaults=True):
    """The record of an emergency stop."""

    id: str
    run: str
    at: float
    finding: Finding
    step: int
    """The last step before it."""
