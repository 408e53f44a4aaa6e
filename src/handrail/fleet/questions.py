"""Questions of agents to a person, as the agent of the next turn or attempt reads them."""

from collections.abc import Iterable

from handrail.fleet.engine.fleet_state import AskedQuestion, TaskState

_MOST_TOLD = 10


def answer_in_words(asked: AskedQuestion) -> str:
    """Tell an agent what became of a question."""
    return f"You asked a person: {asked.text}\n{_answer(asked)}"


def earlier_questions(task: TaskState) -> str:
    """Tell the agent of a new attempt what the earlier ones asked; "" if nothing."""
    told = task.questions[-_MOST_TOLD:]
    return "\n\n".join(_earlier(told)) if told else ""


def questions_for_person(task: TaskState) -> list[AskedQuestion]:
    """Return the questions of a task that no person has dealt with."""
    return [each for each in task.questions if each.needs_person]


def waiting_of_attempt(task: TaskState) -> list[AskedQuestion]:
    """Return the questions whose answer the present attempt waits for."""
    return [each for each in task.questions if each.is_waiting and each.attempt == task.attempt]


def _earlier(told: Iterable[AskedQuestion]) -> Iterable[str]:
    yield "An earlier attempt at this asked a person:"
    for each in told:
        yield f"{each.text}\n{_answer(each)}"


def _answer(asked: AskedQuestion) -> str:
    if asked.is_default and asked.answer:
        return f"Nobody has answered in time. {asked.answer}"
    if asked.answer:
        return f"The answer of {asked.by or 'a person'}: {asked.answer}"
    return "Nobody has answered it."
