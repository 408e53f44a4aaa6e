"""Ask a model, within a time limit, and each question only once."""

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING

import msgspec

from handrail.config.judge import Judge as Settings
from handrail.supervise.second_opinion.question import Opinion, Question, read_opinion

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

_MAX_KEPT = 500
_MAX_TOKENS = 300


class NoOpinionError(Exception):
    """The model could not be asked, did not answer in time, or not in the requested form."""


class AnsweredOpinion(msgspec.Struct, frozen=True):
    """An opinion, and its cost."""

    opinion: Opinion
    tokens: int = 0
    """0 for an opinion from the cache."""


class OpinionModel:
    """One model behind one key. Used in the event loop."""

    def __init__(self, key: str, *, base_url: str | None = None) -> None:
        self._key = key
        self._base_url = base_url
        self._client: AsyncAnthropic | None = None
        self._known: OrderedDict[str, Opinion] = OrderedDict()

    async def ask(self, question: Question, settings: Settings) -> AnsweredOpinion:
        """Return the opinion of the model; raises NoOpinionError."""
        key = f"{settings.model}:{question.key}"
        if (known := self._known.get(key)) is not None:
            self._known.move_to_end(key)
            return AnsweredOpinion(known)
        if not self._key:
            raise NoOpinionError(
                f"{settings.key_variable} is not in secrets.env in Handrail's state folder"
            )
        client = await self._connect()
        try:
            async with asyncio.timeout(settings.seconds):
                answer = await _send(client, question, settings.model)
        except TimeoutError:
            raise NoOpinionError(f"no answer within {settings.seconds:g} s") from None
        self._known[key] = answer.opinion
        if len(self._known) > _MAX_KEPT:
            self._known.popitem(last=False)
        return answer

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()

    async def _connect(self) -> "AsyncAnthropic":
        if self._client is None:
            # Importing it takes a second and reads certificates: too slow for the event loop.
            self._client = await asyncio.to_thread(self._make_client)
        return self._client

    def _make_client(self) -> "AsyncAnthropic":
        try:
            from anthropic import AsyncAnthropic  # noqa: PLC0415 - optional, and slow to load
        except ImportError:
            raise NoOpinionError(
                "the package anthropic is missing: pip install 'handrail[judge]'"
            ) from None
        return AsyncAnthropic(api_key=self._key, base_url=self._base_url, max_retries=0)


async def _send(client: "AsyncAnthropic", question: Question, model: str) -> AnsweredOpinion:
    from anthropic import AnthropicError  # noqa: PLC0415 - optional, and slow to load

    try:
        message = await client.messages.create(
            model=model,
            max_tokens=_MAX_TOKENS,
            system=question.role,
            messages=[{"role": "user", "content": question.text}],
            output_config={"format": {"type": "json_schema", "schema": question.schema}},
        )
    except AnthropicError as error:
        raise NoOpinionError(f"the API said: {error}") from None
    texts = (block.text for block in message.content if block.type == "text")
    try:
        opinion = read_opinion("".join(texts))
    except ValueError as error:
        raise NoOpinionError(f"the answer cannot be read: {error}") from None
    usage = message.usage
    return AnsweredOpinion(opinion, usage.input_tokens + usage.output_tokens)
