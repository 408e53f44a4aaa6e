"""A change of the model is proved by the next answer."""

import pytest

from handrail.drive.model_check import ModelCheck, is_model
from handrail.hosts.driven_agent import AgentTurn
from tests.drive.fakes import FakeAgent, LoopSetup


@pytest.mark.parametrize(
    ("asked", "answered", "same"),
    [
        ("opus", "claude-opus-4-5-20251101", True),
        ("claude-opus-4-5", "claude-opus-4-5-20251101", True),
        ("sonnet[1m]", "claude-sonnet-4-5", True),
        ("opus", "claude-haiku-4-5", False),
        ("claude-opus-4-5", "claude-opus-4-1", False),
    ],
)
def test_a_short_name_stands_for_the_whole_one(asked: str, answered: str, same: bool) -> None:
    assert is_model(asked, answered) is same


def test_only_a_turn_that_began_after_the_change_can_contradict_it() -> None:
    check = ModelCheck()
    began = check.begin_turn()
    check.ask("opus")
    assert check.end_turn(began, "haiku") == ""
    assert check.end_turn(check.begin_turn(), "haiku") == "opus"
    assert check.end_turn(check.begin_turn(), "haiku") == ""


def test_an_answer_proves_the_change() -> None:
    check = ModelCheck()
    check.ask("opus")
    assert check.end_turn("", "claude-opus-4-5") == ""
    assert check.begin_turn() == ""


def test_a_host_that_may_choose_cannot_be_wrong() -> None:
    check = ModelCheck()
    check.ask("default")
    assert check.end_turn(check.begin_turn(), "haiku") == ""


@pytest.mark.parametrize(("answers", "wanted"), [("small", "big"), ("big", "")])
def test_a_model_that_does_not_answer_is_reported(answers: str, wanted: str) -> None:
    world = LoopSetup()

    async def is_changed(agent: FakeAgent) -> AgentTurn:
        assert (await world.office.put("set_model", model="big")).ok
        return AgentTurn(says="Hm.", model="small")

    world.script += [is_changed, AgentTurn(says="TASK DONE", model=answers)]
    world.run()
    first, second, *_ = world.office.of_kind("usage")
    assert (first.model, first.wanted_model) == ("small", "")
    assert (second.model, second.wanted_model) == (answers, wanted)
