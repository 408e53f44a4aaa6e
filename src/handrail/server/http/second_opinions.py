"""Second opinions: ask a model without making anybody else wait."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from time import perf_counter

from handrail.hosts.port import HostHooks, Reply
from handrail.model.event import ModelAsked
from handrail.server.threads.supervision_thread import SupervisionThread, SupervisionTimeoutError
from handrail.store.errors import StoreError
from handrail.supervise.decision.decision_progress import OpinionRequest
from handrail.supervise.second_opinion import NoOpinionError, OpinionModel

_log = logging.getLogger(__name__)

_ADDRESS = "ANTHROPIC_BASE_URL"


class SecondOpinions:
    """Asks a model about a doubtful reply, and records its answer. Used in the event loop."""

    def __init__(
        self,
        supervision: SupervisionThread,
        secrets: Callable[[], Mapping[str, str]],
        clock: Callable[[], float],
    ) -> None:
        self._supervision = supervision
        self._secrets = secrets
        self._clock = clock
        self._judges: dict[tuple[str, str | None], OpinionModel] = {}
        """Models by key and address."""
        self._asking: set[asyncio.Task[Reply | None]] = set()

    async def consider(self, doubt: OpinionRequest, said: Reply, hooks: HostHooks) -> Reply:
        """Return the reply after a second opinion; questions about the goal make nobody wait."""
        if doubt.question.about == "action":
            return await self._ask(doubt, hooks) or said
        task = asyncio.create_task(self._ask(doubt, hooks))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)
        return said

    async def close(self) -> None:
        """Wait for all open questions, and close the connections."""
        if self._asking:
            await asyncio.wait(self._asking)
        while self._judges:
            await self._judges.popitem()[1].close()

    async def _ask(self, doubt: OpinionRequest, hooks: HostHooks) -> Reply | None:
        event = await self._event(doubt)
        try:
            return await self._supervision.answer(lambda: hooks.reconsider(doubt.run, event))
        except (StoreError, SupervisionTimeoutError) as error:
            _log.warning("a second opinion could not be written down: %s", error)
            return None

    async def _event(self, doubt: OpinionRequest) -> ModelAsked:
        began = perf_counter()
        about = doubt.question.about
        try:
            judge = await asyncio.to_thread(self._judge, doubt)
            answer = await judge.ask(doubt.question, doubt.settings)
        except (NoOpinionError, OSError) as error:
            return ModelAsked(
                self._clock(), doubt.step, about, problem=str(error), ms=_since(began)
            )
        opinion = answer.opinion
        return ModelAsked(
            self._clock(),
            doubt.step,
            about,
            opinion.answer if about == "action" else "",
            opinion.score,
            opinion.says,
            answer.tokens,
            _since(began),
        )

    def _judge(self, doubt: OpinionRequest) -> OpinionModel:
        """Return the model; read its key anew each time, so that a new key works at once."""
        secrets = self._secrets()
        key, address = secrets.get(doubt.settings.key_variable, ""), secrets.get(_ADDRESS)
        return self._judges.setdefault((key, address), OpinionModel(key, base_url=address))


def _since(began: float) -> float:
    return round((perf_counter() - began) * 1000, 3)
