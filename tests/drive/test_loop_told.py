"""What the daemon gives along gets to the agent."""

import msgspec

from handrail.drive.completion_mark import QUESTION
from handrail.drive.daemon_client import IterationPermission
from handrail.drive.drive_task import QuestionEnd
from handrail.hosts.driven_agent import AgentTurn
from handrail.model.control import Standing
from tests.drive.fakes import (
    DONE,
    GONE,
    NOT_YET,
    RUNNING,
    TASK,
    LoopSetup,
)

ASKS = AgentTurn(says=f"There are two.\n{QUESTION}: Which colour?")


def test_messages_and_a_new_goal_get_into_the_next_prompt() -> None:
    more = IterationPermission(standing=Standing.RUNNING, goal="Write docs", messages=("Use tabs",))
    world = LoopSetup(NOT_YET, NOT_YET, DONE, answers=[RUNNING, more])
    world.run()
    assert "Use tabs" in world.prompts[1]
    assert "Write docs" in world.prompts[1]
    assert "Use tabs" not in world.prompts[2]


def test_messages_are_not_lost_with_an_agent_that_is_gone() -> None:
    more = IterationPermission(standing=Standing.RUNNING, messages=("Use tabs",))
    world = LoopSetup(GONE, DONE, answers=[more])
    world.run()
    assert "Use tabs" in world.prompts[1]


def test_a_model_that_was_changed_is_used_from_then_on() -> None:
    big = IterationPermission(standing=Standing.RUNNING, model="big")
    world = LoopSetup(NOT_YET, NOT_YET, GONE, DONE, answers=[RUNNING, big])
    world.run(msgspec.structs.replace(TASK, model="small"))
    assert world.models == ["small", "big", "big", "big"]
    assert world.starts == [(False, "small"), (True, "big")]


def test_a_model_that_the_agent_does_not_take_does_not_end_the_loop() -> None:
    odd = IterationPermission(standing=Standing.RUNNING, model="odd")
    world = LoopSetup(NOT_YET, DONE, answers=[RUNNING, odd])
    assert world.run(msgspec.structs.replace(TASK, model="small")).reason == "COMPLETE"
    assert world.models == ["small", "small"]


def test_an_agent_that_asks_a_person_goes_on_with_the_answer() -> None:
    questions: list[str] = []

    async def ask(text: str) -> QuestionEnd:
        questions.append(text)
        return QuestionEnd(told="The answer of ada: Blue.")

    world = LoopSetup(ASKS, DONE, ask=ask)
    assert world.run().reason == "COMPLETE"
    assert questions == ["Which colour?"]
    assert QUESTION in world.prompts[0]
    assert "The answer of ada: Blue." in world.prompts[1]


def test_an_agent_that_gets_no_answer_is_stuck() -> None:
    async def ask(text: str) -> QuestionEnd:
        return QuestionEnd(blocked=f"nobody has answered: {text}")

    end = LoopSetup(ASKS, ask=ask).run()
    assert (end.reason, end.says) == (
        "STUCK",
        "The agent cannot go on: nobody has answered: Which colour?",
    )


def test_an_agent_that_nobody_can_answer_is_not_taught_to_ask() -> None:
    world = LoopSetup(ASKS)
    assert world.run().reason == "STUCK"
    assert QUESTION not in world.prompts[0]
