"""The answer of a person to a question of a task's agent, as typed on the command line."""

from typing import NamedTuple

import click

from handrail.fleet.engine.fleet_state import AskedQuestion, TaskState
from handrail.fleet.questions import questions_for_person
from handrail.fleet.tasks.task import OPEN, TaskStatus


class ChosenAnswer(NamedTuple):
    """An answer, and what follows from it."""

    number: int
    text: str
    releases: bool = False
    """The task waits for nothing else: agents may take it again."""
    says: str = ""


def chosen_answer(task: TaskState, words: tuple[str, ...]) -> ChosenAnswer:
    """Find the question that somebody answers; a wrong one ends the command."""
    name = task.task.id
    waiting = questions_for_person(task)
    if not waiting or task.status not in OPEN:
        raise click.ClickException(
            f"{name} is {task.status.value} and asks nothing; to tell its agent something: "
            f'handrail task retry {name} --message "TEXT"'
        )
    question, text = _split(waiting, words)
    if not text:
        raise click.UsageError("the answer is empty")
    if question is None:
        numbers = ", ".join(str(each.number) for each in waiting)
        raise click.UsageError(f"which question of {name}? Open are: {numbers}")
    if question.approval:
        approval = question.approval
        raise click.ClickException(
            f"this one needs a yes or no: handrail approve {approval}, or handrail deny {approval}"
        )
    left = [each for each in waiting if each.number != question.number]
    releases = task.status is TaskStatus.BLOCKED and not left
    return ChosenAnswer(question.number, text, releases, _hint(task, left))


def _split(
    waiting: list[AskedQuestion], words: tuple[str, ...]
) -> tuple[AskedQuestion | None, str]:
    """Tell the number of a question from the answer."""
    by_number = {str(each.number): each for each in waiting}
    first, *rest = words
    if rest and first in by_number:
        return by_number[first], " ".join(rest).strip()
    return (waiting[0] if len(waiting) == 1 else None), " ".join(words).strip()


def _hint(task: TaskState, left: list[AskedQuestion]) -> str:
    if left:
        return f"Still open: {', '.join(str(each.number) for each in left)}"
    if task.status is TaskStatus.ACTIVE:
        return "Its agent gets the answer in its next turn."
    return "Its next agent gets the answer."
