"""The commands about tasks on the screen: their keys, their questions, and why one is impossible.

A decision about a task is an event of its fleet; the port carries it to the engine.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import msgspec

from handrail.fleet.engine.events import (
    DispatchClosed,
    DispatchOpened,
    FleetEvent,
    TaskBlocked,
    TaskCancelled,
    TaskReleased,
)
from handrail.tui.sending.port import SendingStage
from handrail.views.task_overview import FleetView, TaskOverview
from handrail.words.task_decisions import why_not_decide

MakeEvent = Callable[[float, str, str, str], FleetEvent]
"""Makes the event from the time, the task, the person and the reason."""


class TaskCommand(NamedTuple):
    """One command about a task, or about its whole fleet."""

    name: str
    key: str
    word: str
    short: str
    will: str
    make: MakeEvent
    is_grave: bool = False
    of_fleet: bool = False


TASK_COMMANDS = {
    each.name: each
    for each in (
        TaskCommand(
            "retry", "t", "try again", "let agents take it", "{task} may be tried again.",
            lambda at, task, by, says: TaskReleased(at, task, by),
        ),
        TaskCommand(
            "block", "b", "block", "until you try it again",
            "No agent takes {task} until you let it be tried again. One at work on it ends.",
            lambda at, task, by, says: TaskBlocked(at, task, says or f"blocked by {by}", by),
        ),
        TaskCommand(
            "give_up", "X", "give up", "cancel the task",
            "{task} counts as failed, and an agent at work on it ends. Its workspace stays.",
            TaskCancelled, is_grave=True,
        ),
        TaskCommand(
            "pause_fleet", "P", "pause all", "no task is taken",
            "No agent of {fleet} takes a task or begins an iteration until you resume it.",
            lambda at, task, by, says: DispatchClosed(at, by, says), of_fleet=True,
        ),
        TaskCommand(
            "resume_fleet", "R", "resume all", "tasks are taken again",
            "Agents take tasks of {fleet} again.",
            lambda at, task, by, says: DispatchOpened(at, by), of_fleet=True,
        ),
    )
}  # fmt: skip
"""By name."""


class TaskOrder(msgspec.Struct, frozen=True):
    """A command that the user decided to send."""

    command: str
    fleet: str
    task: str
    reason: str
    folders: tuple[str, ...]
    """Folders that may lie in the repository of the fleet."""


class TaskQuestion(msgspec.Struct, frozen=True):
    """A command that the user is about to send: it asks for a reason once."""

    command: str
    fleet: str
    task: str
    folders: tuple[str, ...]
    label: str = "reason (may be empty): "

    @property
    def head(self) -> str:
        """The command, and the task or fleet."""
        spec = TASK_COMMANDS[self.command]
        return f"{spec.word} {self.fleet if spec.of_fleet else self.task}"

    @property
    def will(self) -> str:
        """What will happen."""
        return TASK_COMMANDS[self.command].will.format(task=self.task, fleet=self.fleet)

    @property
    def keys(self) -> str:
        """What the keys do now."""
        return f"⏎ {TASK_COMMANDS[self.command].word}   Esc send nothing"

    @property
    def is_grave(self) -> bool:
        """Whether it cannot be taken back."""
        return TASK_COMMANDS[self.command].is_grave

    def answered(self, typed: str) -> TaskOrder:
        """Return the order."""
        return TaskOrder(self.command, self.fleet, self.task, typed.strip(), self.folders)


class TaskSender(Protocol):
    """Carries out commands about tasks; may take long, and runs in a thread."""

    def send(self, order: TaskOrder) -> SendingStage:
        """Carry out an order; a failure is a stage, never an exception."""
        ...


def why_not_task(name: str, task: TaskOverview | None, fleet: FleetView | None) -> str:
    """Return why a command is impossible now, or ""."""
    command = TASK_COMMANDS[name]
    if task is None or fleet is None:
        return f"no {command.word}: choose a task first"
    return _WHY_NOT[name](task, fleet)


_WHY_NOT: dict[str, Callable[[TaskOverview, FleetView], str]] = {
    "retry": lambda task, fleet: why_not_decide("retry", task),
    "block": lambda task, fleet: why_not_decide("block", task),
    "give_up": lambda task, fleet: why_not_decide("cancel", task),
    "pause_fleet": lambda task, fleet: (
        f"{fleet.name} is {fleet.paused}; press R to resume it" if fleet.paused else ""
    ),
    "resume_fleet": lambda task, fleet: "" if fleet.paused else f"{fleet.name} is not paused",
}
