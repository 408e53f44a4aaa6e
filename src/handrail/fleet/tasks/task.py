"""A task: what a person wants an agent to do, and when it counts as done."""

import re
from enum import StrEnum

import msgspec

from handrail.model.decodable import decodable

LONGEST_ID = 60
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class TaskStatus(StrEnum):
    """The state of a task."""

    PENDING = "pending"
    ACTIVE = "active"
    """An agent works on it, or is about to."""
    BLOCKED = "blocked"
    """It needs a person."""
    DONE = "done"
    FAILED = "failed"


OPEN = frozenset({TaskStatus.PENDING, TaskStatus.ACTIVE, TaskStatus.BLOCKED})
"""The states of a task that may still be done."""


class TaskLimits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The limits of one task; 0: those of the fleet."""

    iterations: int = 0
    minutes: float = 0.0
    cost_usd: float = 0.0
    tokens: int = 0
    memory_mb: float = 0.0


@decodable
class Task(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One task, as a person has written it."""

    id: str
    title: str = ""
    prompt: str
    scope: tuple[str, ...] = ()
    """The paths that the agent may change; empty: those of the project."""
    verify: str = ""
    """The command that must succeed; empty: the agent's word is enough."""
    depends_on: tuple[str, ...] = ()
    priority: int = 0
    """A higher number goes first."""
    model: str = ""
    host: str = ""
    limits: TaskLimits = TaskLimits()

    @property
    def label(self) -> str:
        """Return its title, or the first line of its prompt."""
        return self.title or self.prompt.strip().split("\n", 1)[0]


def is_task_id(text: str) -> bool:
    """Return whether a text can be the id of a task: it is also a part of a branch's name."""
    return (
        len(text) <= LONGEST_ID
        and _ID.fullmatch(text) is not None
        and ".." not in text
        and not text.endswith((".", ".lock"))
    )
