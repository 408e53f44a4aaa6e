"""The commands about tasks on the screen: their keys, their questions, and why one is impossible.

A decision about a task goes over the API. What takes longer than that, or shows more, is a command
of the command line.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import msgspec

from handrail.api.client import ApiClient
from handrail.api.messages.fleets import TaskCommandRequest, TaskCommandResult
from handrail.fleet.engine.events import DispatchClosed, DispatchOpened, FleetEvent
from handrail.tui.sending.port import SendingStage
from handrail.views.task_overview import FleetView, TaskOverview
from handrail.words.task_decisions import why_not_decide

AskApi = Callable[[ApiClient, "TaskOrder"], TaskCommandResult]
"""Sends an order over the API."""


class FleetDispatch(NamedTuple):
    """Whether one fleet claims tasks, an event of its engine: the API asks all fleets at once."""

    make: Callable[[float, str, str], FleetEvent]
    """Makes the event from the time, the person and the reason."""


class CommandWords(NamedTuple):
    """A command of the command line; `{task}` and `{typed}` stand for the order's."""

    words: tuple[str, ...]
    """One that comes out empty is left out."""
    tells: str = ""
    """The part of its JSON that a person reads; empty: it talks in the terminal itself."""
    aim: str = ""
    """The outcome in its JSON that is meant, whatever the exit code says."""

    def filled(self, task: str, typed: str) -> list[str]:
        """Return the words for an order."""
        filled = (each.format(task=task, typed=typed) for each in self.words)
        return [each for each in filled if each]


class TaskCommand(NamedTuple):
    """One command about a task, or about its whole fleet."""

    name: str
    key: str
    word: str
    short: str
    will: str
    carry: AskApi | FleetDispatch | CommandWords
    """How it is carried out."""
    is_grave: bool = False
    of_fleet: bool = False
    asks: str = "reason (may be empty)"
    needed: bool = False
    """It is not sent without an answer."""
    suggests: Callable[[TaskOverview], str] = lambda task: ""
    """The answer that the question begins with."""
    in_footer: bool = True
    """Whether the footer names its key; the help page names every one."""

    @property
    def talks(self) -> bool:
        """Whether it takes the terminal for a while."""
        return isinstance(self.carry, CommandWords) and not self.carry.tells


def _question_number(task: TaskOverview) -> str:
    """Begin an answer with the number of the last question, if there are several."""
    numbers = [each.number for each in task.questions if not each.approval]
    return f"{numbers[-1]} " if len(task.questions) > 1 and numbers else ""


TASK_COMMANDS = {
    each.name: each
    for each in (
        TaskCommand(
            "answer", "A", "answer", "its question",
            "The agent of {task} gets your answer in its next turn. If several questions are "
            "open, begin with the number of one.",
            CommandWords(("task", "answer", "--json", "--", "{task}", "{typed}"), "did"),
            asks="your answer", needed=True, suggests=_question_number, in_footer=False,
        ),
        TaskCommand(
            "retry", "t", "try again", "let agents take it",
            "{task} may be tried again. Its agent reads your message.",
            lambda api, order: _command(
                api, order, TaskCommandRequest("retry", message=order.typed)
            ),
            asks="message to its agent (may be empty)",
        ),
        TaskCommand(
            "again", "Y", "once more", "do a done task again",
            "An agent does {task} once more, in the same workspace, and reads your message.",
            lambda api, order: _command(
                api, order, TaskCommandRequest("again", message=order.typed)
            ),
            asks="message to its agent (may be empty)", in_footer=False,
        ),
        TaskCommand(
            "block", "b", "block", "until you try it again",
            "No agent takes {task} until you let it be tried again. One at work on it ends.",
            lambda api, order: _command(
                api, order, TaskCommandRequest("block", reason=order.typed)
            ),
        ),
        TaskCommand(
            "give_up", "X", "give up", "cancel the task",
            "{task} counts as failed, and an agent at work on it ends. Its workspace stays.",
            lambda api, order: _command(
                api, order, TaskCommandRequest("cancel", reason=order.typed)
            ),
            is_grave=True,
        ),
        TaskCommand(
            "merge", "m", "merge", "into your branch",
            "Handrail verifies {task} again on the merged files, then moves your branch. "
            "A conflict changes nothing.",
            CommandWords(("merge", "{task}", "--json"), "says"), asks="⏎ or Esc",
        ),
        TaskCommand(
            "resolve", "M", "resolve", "give a conflict back",
            "Handrail merges {task}. If it conflicts, its agent gets the conflict back.",
            CommandWords(("merge", "{task}", "--resolve", "--json"), "says", "given_to_agent"),
            asks="⏎ or Esc", in_footer=False,
        ),
        TaskCommand(
            "edit", "E", "edit", "in your editor",
            "Your editor opens with {task}. A mistake in it changes nothing.",
            CommandWords(("task", "edit", "{task}")), asks="⏎ or Esc",
        ),
        TaskCommand(
            "prioritize", "n", "priority", "what comes next",
            "Of the tasks that are ready, an agent takes the one with the highest number.",
            CommandWords(("task", "edit", "{task}", "--priority={typed}", "--json"), "did"),
            asks="its priority", needed=True, suggests=lambda task: str(task.task.priority),
            in_footer=False,
        ),
        TaskCommand(
            "add", "N", "new task", "for this fleet",
            "An agent of {fleet} will do what you write. `E` gives it a verify command.",
            CommandWords(("task", "add", "--json", "--", "{typed}"), "says"),
            of_fleet=True, asks="its prompt", needed=True, in_footer=False,
        ),
        TaskCommand(
            "pause_fleet", "P", "pause all", "no task is taken",
            "No agent of {fleet} takes a task or begins an iteration until you resume it.",
            FleetDispatch(DispatchClosed), of_fleet=True,
        ),
        TaskCommand(
            "resume_fleet", "R", "resume all", "tasks are taken again",
            "Agents take tasks of {fleet} again.",
            FleetDispatch(lambda at, by, says: DispatchOpened(at, by)), of_fleet=True,
        ),
        TaskCommand(
            "save_fleet", "C", "save all", "the whole fleet",
            "Handrail saves every task of {fleet}, and the files of the main tree and all "
            "workspaces.",
            CommandWords(("checkpoint", "--fleet", "--json", "--", "{typed}"), "name"),
            of_fleet=True, asks="a name (may be empty)", in_footer=False,
        ),
        TaskCommand(
            "roll_fleet_back", "B", "undo all", "to a saved fleet",
            "Handrail shows what {fleet} would lose, and asks again. Then it stops every agent, "
            "and takes tasks, files and merges back. Names: handrail checkpoints",
            CommandWords(("rollback", "--", "{typed}")),
            of_fleet=True, is_grave=True, asks="the checkpoint", needed=True, in_footer=False,
        ),
        TaskCommand(
            "redo_fleet", "U", "redo all", "take a rollback back",
            "Handrail shows what the last rollback of {fleet} would bring back, and asks again.",
            CommandWords(("redo",)), of_fleet=True, asks="⏎ or Esc", in_footer=False,
        ),
        TaskCommand(
            "clean", "W", "clean up", "leftover worktrees",
            "Handrail shows worktrees and branches of {fleet} without a task, and asks.",
            CommandWords(("task", "clean")), of_fleet=True, asks="⏎ or Esc", in_footer=False,
        ),
    )
}  # fmt: skip
"""By name."""


class TaskOrder(msgspec.Struct, frozen=True):
    """A command that the user decided to send."""

    command: str
    fleet: str
    task: str
    typed: str
    """The answer to its question."""
    folders: tuple[str, ...]
    """Folders that may lie in the repository of the fleet."""


class TaskQuestion(msgspec.Struct, frozen=True):
    """A command that the user is about to send: it asks once."""

    command: str
    fleet: str
    task: str
    folders: tuple[str, ...]
    suggested: str = ""
    """What stands there already."""

    @property
    def label(self) -> str:
        """The label of the question."""
        return f"{TASK_COMMANDS[self.command].asks}: "

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

    def answered(self, typed: str) -> "TaskOrder | TaskQuestion":
        """Return the order, or the same question if it needs an answer."""
        if TASK_COMMANDS[self.command].needed and not typed.strip():
            return self
        return TaskOrder(self.command, self.fleet, self.task, typed.strip(), self.folders)


class TaskSender(Protocol):
    """Carries out commands about tasks; may take long, and runs in a thread."""

    def send(self, order: TaskOrder) -> SendingStage:
        """Carry out an order; a failure is a stage, never an exception."""
        ...

    def talk(self, order: TaskOrder) -> SendingStage:
        """Let a command have the terminal, which the screen has left; return once it has ended."""
        ...


def _command(api: ApiClient, order: TaskOrder, request: TaskCommandRequest) -> TaskCommandResult:
    return api.command_task(order.fleet, order.task, request)


def why_not_task(name: str, task: TaskOverview | None, fleet: FleetView | None) -> str:
    """Return why a command is impossible now, or ""."""
    command = TASK_COMMANDS[name]
    if task is None or fleet is None:
        return f"no {command.word}: choose a task first"
    return _WHY_NOT[name](task, fleet)


_WHY_NOT: dict[str, Callable[[TaskOverview, FleetView], str]] = {
    "answer": lambda task, fleet: why_not_decide("answer", task),
    "retry": lambda task, fleet: why_not_decide("retry", task),
    "block": lambda task, fleet: why_not_decide("block", task),
    "give_up": lambda task, fleet: why_not_decide("cancel", task),
    "merge": lambda task, fleet: why_not_decide("merge", task),
    "edit": lambda task, fleet: why_not_decide("edit", task),
    "prioritize": lambda task, fleet: why_not_decide("priority", task),
    "again": lambda task, fleet: why_not_decide("again", task),
    "resolve": lambda task, fleet: why_not_decide("merge", task),
    **dict.fromkeys(
        ("add", "save_fleet", "roll_fleet_back", "redo_fleet", "clean"), lambda task, fleet: ""
    ),
    "pause_fleet": lambda task, fleet: (
        f"{fleet.name} is {fleet.paused}; press R to resume it" if fleet.paused else ""
    ),
    "resume_fleet": lambda task, fleet: "" if fleet.paused else f"{fleet.name} is not paused",
}
