"""The answer of a person to a question of a task's agent: which one it is, and what follows."""

from typing import NamedTuple

from handrail.fleet.engine.engine import FleetError
from handrail.fleet.engine.events import FleetEvent, QuestionAnswered, TaskReleased
from handrail.fleet.engine.fleet_state import AskedQuestion, TaskState
from handrail.fleet.questions import questions_for_person
from handrail.fleet.tasks.task import OPEN, TaskStatus


class AnswerRefusedError(FleetError):
    """Nobody waits for this answer, or it is not clear which question it is for."""


class PlannedAnswer(NamedTuple):
    """An answer that can be given."""

    task: TaskState
    number: int
    text: str
    left: tuple[int, ...]
    """The questions that stay open."""

    @property
    def releases(self) -> bool:
        """Return whether the task waits for nothing else: agents may take it again."""
        return self.task.status is TaskStatus.BLOCKED and not self.left

    def events(self, at: float, by: str) -> list[FleetEvent]:
        """Return what to record."""
        name = self.task.task.id
        answered: list[FleetEvent] = [QuestionAnswered(at, name, self.number, self.text, by)]
        if self.releases:
            answered.append(TaskReleased(at, name, by, self.task.message))
        return answered


def plan_answer(task: TaskState, text: str, number: int = 0) -> PlannedAnswer:
    """Find the question that somebody answers; `number` 0: the only one that is open.

    Raises AnswerRefusedError.
    """
    name = task.task.id
    waiting = questions_for_person(task)
    if not waiting or task.status not in OPEN:
        raise AnswerRefusedError(
            f"{name} is {task.status.value} and asks nothing; to tell its agent something: "
            f'handrail task retry {name} --message "TEXT"'
        )
    if not text.strip():
        raise AnswerRefusedError("the answer is empty")
    asked = _asked(waiting, number)
    if asked is None:
        numbers = ", ".join(str(each.number) for each in waiting)
        raise AnswerRefusedError(f"which question of {name}? Open are: {numbers}")
    if approval := asked.approval:
        raise AnswerRefusedError(
            f"this one needs a yes or no: handrail approve {approval}, or handrail deny {approval}"
        )
    left = tuple(each.number for each in waiting if each.number != asked.number)
    return PlannedAnswer(task, asked.number, text.strip(), left)


def _asked(waiting: list[AskedQuestion], number: int) -> AskedQuestion | None:
    if not number and len(waiting) == 1:
        return waiting[0]
    return next((each for each in waiting if each.number == number), None)
