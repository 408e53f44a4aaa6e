"""An agent asks a person: it waits, at most until the time-out, and hears what came of it."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from handrail.config.fleet import FleetQuestions
from handrail.drive.drive_task import QuestionEnd
from handrail.fleet.engine.engine import StaleAttemptError, Ticket
from handrail.fleet.engine.events import QuestionAnswered
from handrail.fleet.engine.fleet_state import AskedQuestion
from handrail.fleet.engine.log_engine import LogEngine
from handrail.fleet.engine.state_loading import load_fleet
from handrail.fleet.tasks.task import Task
from handrail.server.fleet.person_questions import PersonQuestions
from handrail.store.memory import MemoryStore
from tests.fleet.conftest import RULES, SteppedClock, worker

WAITS = FleetQuestions(limit=2, timeout_minutes=1, default_answer="Take the safe one.")
NO_DEFAULT = FleetQuestions(timeout_minutes=0, default_answer="")


class AskingAgent:
    """An attempt at one task, whose questions wait by a clock that nobody waits for."""

    def __init__(self, folder: Path) -> None:
        self.store, self.clock, self._folder = MemoryStore(), SteppedClock(), folder
        self.meanwhile: Callable[[], None] = lambda: None
        """What happens while the agent waits for the first time."""
        self.restart()
        self.engine.submit([Task(id="a", prompt="do a")])
        self.claim()

    def restart(self) -> None:
        """Open the engine as the next daemon would."""
        state = load_fleet(self.store, "shop", str(self._folder)).state
        self.engine = LogEngine(
            self.store, "shop", state, RULES, clock=self.clock, lease_time=self.clock
        )

    def claim(self) -> None:
        claim = self.engine.claim(worker(), 1)
        assert claim is not None
        self.ticket = claim.ticket

    def questions(self, settings: FleetQuestions = WAITS) -> PersonQuestions:
        return PersonQuestions(
            self.engine, self.ticket, settings, self.asked, clock=self.clock, sleep=self._sleep
        )

    def ask(self, text: str, settings: FleetQuestions = WAITS) -> QuestionEnd:
        return asyncio.run(self.questions(settings).ask(text))

    def answer(self, number: int, text: str) -> None:
        self.engine.record(QuestionAnswered(self.clock(), "a", number, text, "ada"))

    @property
    def asked(self) -> list[AskedQuestion]:
        return self.engine.look_at("a").questions

    async def _sleep(self, seconds: float) -> None:
        happens, self.meanwhile = self.meanwhile, lambda: None
        happens()
        self.clock.now += seconds


@pytest.fixture
def agent(tmp_path: Path) -> AskingAgent:
    return AskingAgent(tmp_path)


def test_the_agent_gets_the_answer_of_a_person(agent: AskingAgent) -> None:
    agent.meanwhile = lambda: agent.answer(1, "Blue.")
    end = agent.ask("Which colour?")
    assert end.told == "You asked a person: Which colour?\nThe answer of ada: Blue."
    (asked,) = agent.asked
    assert (asked.answer, asked.by, asked.needs_person) == ("Blue.", "ada", False)


def test_after_the_time_out_it_gets_the_default_answer_and_a_person_may_still_answer(
    agent: AskingAgent,
) -> None:
    questions = agent.questions()
    end = asyncio.run(questions.ask("Which colour?"))
    assert end.told.endswith("Nobody has answered in time. Take the safe one.")
    assert agent.clock() == agent.asked[0].until
    assert agent.asked[0].needs_person
    assert asyncio.run(questions.news()) == ()
    agent.answer(1, "Blue.")
    (news,) = asyncio.run(questions.news())
    assert news.endswith("The answer of ada: Blue.")
    assert asyncio.run(questions.news()) == (), "it is told once"


def test_a_time_out_of_zero_waits_for_nobody(agent: AskingAgent) -> None:
    began = agent.clock()
    assert agent.ask("Which?", FleetQuestions(timeout_minutes=0)).told
    assert agent.clock() == began


def test_without_a_default_answer_the_agent_cannot_go_on(agent: AskingAgent) -> None:
    end = agent.ask("Which colour?", NO_DEFAULT)
    assert end.blocked == "nobody has answered question 1: Which colour?"


def test_one_question_more_than_the_limit_ends_the_attempt_and_all_are_named(
    agent: AskingAgent,
) -> None:
    assert agent.ask("One?").told
    assert agent.ask("Two?").told
    end = agent.ask("Three?")
    assert end.blocked == "3 questions wait for a person: (1) One?; (2) Two?; (3) Three?"
    agent.answer(1, "Yes.")
    assert agent.ask("Three?").told, "an answered question does not count"


def test_a_question_outlives_daemon_and_driver_with_its_time_out(agent: AskingAgent) -> None:
    class KilledError(Exception):
        """The driver is gone."""

    def kill() -> None:
        raise KilledError

    agent.meanwhile = kill
    with pytest.raises(KilledError):
        agent.ask("Which colour?")
    until = agent.asked[0].until
    agent.restart()
    agent.engine.give_back(agent.ticket, "its driver ended")
    agent.claim()
    agent.clock.now = until - 1
    assert agent.ask("Which colour?").told
    assert [(each.number, each.until) for each in agent.asked] == [(1, until)]
    assert agent.clock() == until


def test_a_late_attempt_asks_nobody_and_times_out_nothing(agent: AskingAgent) -> None:
    agent.engine.give_back(agent.ticket, "its driver ended")
    late = agent.questions()
    agent.claim()
    with pytest.raises(StaleAttemptError):
        asyncio.run(late.ask("Which colour?"))
    assert agent.asked == []
    assert agent.engine.look_at("a").audit[-1].kind == "refused"


def test_an_attempt_that_lost_its_task_while_it_waits_hears_it(agent: AskingAgent) -> None:
    ticket = Ticket("a", 1)
    agent.meanwhile = lambda: agent.engine.give_back(ticket, "stopped")
    with pytest.raises(StaleAttemptError):
        agent.ask("Which colour?")
    assert agent.asked[0].is_waiting
