"""The answer of a person to a question of a task's agent, as typed on the command line."""

import click

from handrail.fleet.answers import AnswerRefusedError, PlannedAnswer, plan_answer
from handrail.fleet.engine.fleet_state import TaskState
from handrail.fleet.questions import questions_for_person
from handrail.fleet.tasks.task import TaskStatus


def chosen_answer(task: TaskState, words: tuple[str, ...]) -> PlannedAnswer:
    """Find the question that somebody answers; a wrong one ends the command."""
    number, text = _split(task, words)
    try:
        return plan_answer(task, text, number)
    except AnswerRefusedError as error:
        raise click.ClickException(str(error)) from None


def what_follows(answer: PlannedAnswer) -> str:
    """Say what happens after an answer that does not release the task."""
    if answer.left:
        return f"Still open: {', '.join(map(str, answer.left))}"
    if answer.task.status is TaskStatus.ACTIVE:
        return "Its agent gets the answer in its next turn."
    return "Its next agent gets the answer."


def _split(task: TaskState, words: tuple[str, ...]) -> tuple[int, str]:
    """Tell the number of a question from the answer; one word may hold both if several are open."""
    numbers = {str(each.number) for each in questions_for_person(task)}
    text = " ".join(words).strip()
    first, _, rest = text.partition(" ")
    if rest and first in numbers and (len(words) > 1 or len(numbers) > 1):
        return int(first), rest
    return 0, text
