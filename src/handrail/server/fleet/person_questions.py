"""The questions of an attempt's agent to a person: asked, waited for, answered, or timed out."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable

from handrail.config.fleet import FleetQuestions
from handrail.drive.drive_task import QuestionEnd
from handrail.fleet.engine.engine import FleetEngine, Ticket
from handrail.fleet.engine.events import QuestionAsked, QuestionTimedOut
from handrail.fleet.engine.fleet_state import AskedQuestion, TaskState, waiting_question
from handrail.fleet.questions import answer_in_words

LOOK_SECONDS = 1.0
"""Seconds between two looks for an answer."""
_LONGEST = 2_000
_MINUTE = 60.0


class PersonQuestions:
    """Waits for a person, at most until the time-out; the engine keeps questions and answers."""

    def __init__(
        self,
        engine: FleetEngine,
        ticket: Ticket,
        settings: FleetQuestions,
        known: Iterable[AskedQuestion] = (),
        *,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`known`: the questions that the prompt of the attempt tells about."""
        self._engine = engine
        self._ticket = ticket
        self._settings = settings
        self._clock = clock
        self._sleep = sleep
        self._told = {_version(each) for each in known if each.answered}

    async def ask(self, text: str) -> QuestionEnd:
        """Ask a person; return the answer, or why the agent cannot go on without one.

        Raises StaleAttemptError if somebody else has the task now.
        """
        text = text[:_LONGEST]
        task = await self._look()
        if waiting_question(task, text) is None:
            now = self._clock()
            until = now + self._settings.timeout_minutes * _MINUTE
            await self._note(QuestionAsked(now, *self._attempt, text, until))
            task = await self._look()
        # The log has it without secrets, so its words may differ.
        asked = waiting_question(task, text) or _last(task)
        unanswered = [each for each in task.questions if each.needs_person]
        if len(unanswered) > self._settings.limit:
            return QuestionEnd(blocked=_too_many(unanswered))
        return self._end(await self._answered(asked))

    async def news(self) -> tuple[str, ...]:
        """Return the answers of people that the agent does not know yet, ready for it."""
        task = await self._look()
        late = [
            each
            for each in task.questions
            if each.answered and not each.is_default and _version(each) not in self._told
        ]
        self._told.update(map(_version, late))
        return tuple(map(answer_in_words, late))

    async def _answered(self, asked: AskedQuestion) -> AskedQuestion:
        """Return a question once it has an answer, by a person or by the time-out."""
        while asked.is_waiting:
            left = asked.until - self._clock()
            if left > 0:
                await self._sleep(min(left, LOOK_SECONDS))
            else:
                default = self._settings.default_answer
                timed_out = QuestionTimedOut(self._clock(), *self._attempt, asked.number, default)
                await self._note(timed_out)
            asked = _find(await self._look(), asked)
        return asked

    def _end(self, asked: AskedQuestion) -> QuestionEnd:
        self._told.add(_version(asked))
        if asked.answer:
            return QuestionEnd(told=answer_in_words(asked))
        return QuestionEnd(blocked=f"nobody has answered question {asked.number}: {asked.text}")

    @property
    def _attempt(self) -> tuple[str, int]:
        return self._ticket.task, self._ticket.attempt

    async def _look(self) -> TaskState:
        return await asyncio.to_thread(self._engine.look_at, self._ticket.task)

    async def _note(self, event: QuestionAsked | QuestionTimedOut) -> None:
        await asyncio.to_thread(self._engine.note, event)


def _version(asked: AskedQuestion) -> tuple[int, bool, str]:
    """Tell answers apart: a person may answer after the time-out, or once more."""
    return asked.number, asked.is_default, asked.answer


def _last(task: TaskState) -> AskedQuestion:
    return next(each for each in reversed(task.questions) if not each.approval)


def _find(task: TaskState, asked: AskedQuestion) -> AskedQuestion:
    """Return how a question stands now; one that a rollback took away has no answer."""
    found = (each for each in task.questions if each.number == asked.number)
    return next(found, AskedQuestion(asked.number, asked.attempt, asked.text, 0.0, is_closed=True))


def _too_many(unanswered: list[AskedQuestion]) -> str:
    named = "; ".join(f"({each.number}) {each.text}" for each in unanswered)
    return f"{len(unanswered)} questions wait for a person: {named}"
