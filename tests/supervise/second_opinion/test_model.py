"""The real client against a scripted model: answers, silence, garbage, errors, repetition."""

import asyncio
import threading

import pytest

from handrail.config.judge import Judge as Settings
from handrail.supervise.second_opinion import NoOpinionError, OpinionModel, Question
from handrail.supervise.second_opinion.model import AnsweredOpinion
from handrail.testing.model_server import ModelServer, ModelTurn, Say

pytestmark = pytest.mark.slow

QUESTION = Question("action", "Should `make deploy` be blocked?")
BLOCK = Say('{"answer": "block", "says": "It deploys."}')
SETTINGS = Settings(enabled=True)


def ask(
    judge: OpinionModel, *questions: Question, settings: Settings = SETTINGS
) -> list[AnsweredOpinion]:
    async def all_of_them() -> list[AnsweredOpinion]:
        answers = [await judge.ask(question, settings) for question in questions]
        await judge.close()
        return answers

    return asyncio.run(all_of_them())


def test_an_answer_is_an_opinion_with_its_price() -> None:
    with ModelServer([], beside=BLOCK) as server:
        [answer] = ask(OpinionModel("key", base_url=server.url), QUESTION)
        assert (answer.opinion.answer, answer.opinion.says) == ("block", "It deploys.")
        assert answer.tokens > 0


def test_the_form_of_the_answer_is_asked_for() -> None:
    with ModelServer([], beside=BLOCK) as server:
        ask(OpinionModel("key", base_url=server.url), QUESTION)
        [request] = server.requests
        assert request.body["output_config"] == {
            "format": {"type": "json_schema", "schema": QUESTION.schema}
        }


def test_the_same_question_is_asked_once() -> None:
    with ModelServer([], beside=BLOCK) as server:
        answers = ask(OpinionModel("key", base_url=server.url), QUESTION, QUESTION)
        assert [bool(answer.tokens) for answer in answers] == [True, False]
        assert len(server.requests) == 1


def test_without_a_key_nobody_is_asked() -> None:
    with ModelServer([], beside=BLOCK) as server:
        with pytest.raises(NoOpinionError, match=r"ANTHROPIC_API_KEY is not in secrets\.env"):
            ask(OpinionModel("", base_url=server.url), QUESTION)
        assert server.requests == []


def test_an_answer_that_takes_too_long_is_not_waited_for() -> None:
    never = threading.Event()
    with (
        ModelServer([], beside=ModelTurn((BLOCK,), after=never)) as server,
        pytest.raises(NoOpinionError, match=r"no answer within 0\.2 s"),
    ):
        ask(
            OpinionModel("key", base_url=server.url),
            QUESTION,
            settings=Settings(enabled=True, seconds=0.2),
        )


@pytest.mark.parametrize(
    ("turn", "says"),
    [
        (ModelTurn((Say("Sure! It is fine."),)), "cannot be read"),
        (ModelTurn((Say('{"answer": "maybe"}'),)), "cannot be read"),
        (ModelTurn(), "cannot be read"),
        (ModelTurn(status=429, times=99), "the API said"),
        (ModelTurn(status=500, times=99), "the API said"),
    ],
)
def test_anything_but_an_answer_is_no_opinion(turn: ModelTurn, says: str) -> None:
    with (
        ModelServer([], beside=turn) as server,
        pytest.raises(NoOpinionError, match=says),
    ):
        ask(OpinionModel("key", base_url=server.url), QUESTION)


def test_nobody_there_is_no_opinion() -> None:
    with pytest.raises(NoOpinionError, match="the API said"):
        ask(OpinionModel("key", base_url="http://127.0.0.1:9"), QUESTION)
