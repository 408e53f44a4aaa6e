"""What the daemon gives along gets to the agent."""

import msgspec

from handrail.drive.daemon_client import IterationPermission
from handrail.model.control import Standing
from tests.drive.fakes import (
    DONE,
    GONE,
    NOT_YET,
    RUNNING,
    TASK,
    LoopSetup,
)


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
