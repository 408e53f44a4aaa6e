"""The endpoints for control requests, over HTTP and the socket."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from http.client import INSUFFICIENT_STORAGE

from starlette.requests import Request
from starlette.responses import Response

from handrail.control import message as wire
from handrail.control.handler import ControlHandler
from handrail.control.message import AnyMessage, Result
from handrail.control.response_log import TakenRequest
from handrail.control.topic_inbox import TopicInbox
from handrail.server.control.unlogged_stop import UnloggedStop
from handrail.server.http.json_response import json_response, once_written, wait_seconds
from handrail.server.http.routes import EndpointError, EndpointRow
from handrail.server.threads.supervision_thread import SupervisionThread, SupervisionTimeoutError
from handrail.server.threads.wake_up import call_in_loop
from handrail.store.errors import StoreError
from handrail.supervise.decision.decision_progress import Ready

_LOOK_SECONDS = 0.2
"""Seconds between two looks into the topic, for requests of other programs."""


class UnloggedStopError(EndpointError):
    """The log failed, but the run was ended nevertheless."""

    status = INSUFFICIENT_STORAGE

    def __init__(self, error: StoreError, done: str) -> None:
        super().__init__(f"{error}. {done}")


class ResultWaiters:
    """Waiters for results of requests, in the event loop. Any thread may tell them."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[asyncio.Future[Result]]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def tell(self, result: Result) -> None:
        """Tell the waiters that a result is on the disk."""
        call_in_loop(self._loop, self._give, result)

    async def wait(
        self, request: str, seconds: float, known: Callable[[], Awaitable[Result | None]]
    ) -> Result | None:
        """Wait for the result of a request; `known` returns a result that is there already."""
        self._loop = asyncio.get_running_loop()
        waiter: asyncio.Future[Result] = self._loop.create_future()
        waiting = self._waiting.setdefault(request, set())
        waiting.add(waiter)
        try:
            if (result := await known()) is not None or seconds <= 0:
                return result
            async with asyncio.timeout(seconds):
                return await waiter
        except TimeoutError:
            return None
        finally:
            waiting.discard(waiter)
            if not waiting:
                self._waiting.pop(request, None)

    def _give(self, result: Result) -> None:
        for waiter in self._waiting.get(result.request_id, ()):
            if not waiter.done():
                waiter.set_result(result)


class ControlEndpoint:
    """The control endpoints, and the reader of the topic."""

    def __init__(
        self,
        supervision: SupervisionThread,
        control: ControlHandler,
        inbox: TopicInbox,
        results: ResultWaiters,
        unwritten: UnloggedStop,
    ) -> None:
        self._supervision = supervision
        self._unwritten = unwritten
        self._control = control
        self._inbox = inbox
        self._results = results

    def routes(self) -> tuple[EndpointRow, ...]:
        """Return its endpoints."""
        return (
            EndpointRow("POST", "/control", self.post),
            EndpointRow("GET", "/control/{request:path}", self.wait),
        )

    async def post(self, request: Request) -> Response:
        """Take a control request; `?wait=SECONDS` waits for its result."""
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > wire.MAX_BYTES:
                return json_response({"error": f"it has more than {wire.MAX_BYTES:,} bytes"}, 400)
        messages = await self.submit(body, wait_seconds(request))
        last = messages[-1]
        if isinstance(last, Result) and not last.request_id:
            return json_response({"error": last.says}, 400)
        return _messages(messages)

    async def submit(self, body: bytes, seconds: float) -> list[AnyMessage]:
        """Take in a request, wait a while for its result, and return the messages about it.

        Raises StoreError, or UnloggedStopError if the run was ended without the log.
        """
        try:
            taken = await self._supervision.answer(lambda: _ready(self._control.submit(body)))
            messages = list(taken.messages)
            last = messages[-1]
            if not isinstance(last, Result):
                result = await self.result(last.request_id, seconds)
                messages += [] if result is None else [result]
        except StoreError as error:
            done = await self._unwritten.carry_out(body)
            if done:
                raise UnloggedStopError(error, done) from None
            raise
        return messages

    async def wait(self, request: Request) -> Response:
        """Return the messages about a request; `?wait=SECONDS` waits for its result."""
        name = request.path_params["request"]
        if await self._supervision.call(lambda: self._control.known(name)) is None:
            return json_response({"error": f"no request {name} is known"}, 404)
        result = await self.result(name, wait_seconds(request))
        return _messages([] if result is None else [result])

    async def look_into_topic(self) -> None:
        """Take requests that other programs write into the topic, until cancelled."""
        while True:
            with suppress(StoreError, SupervisionTimeoutError):
                while rows := await asyncio.to_thread(self._inbox.unread):
                    await self._supervision.call(partial(self._inbox.submit, rows))
            await asyncio.sleep(_LOOK_SECONDS)

    async def result(self, request: str, seconds: float) -> Result | None:
        """Return the result of a request, waiting a while for it."""

        async def known() -> Result | None:
            taken = await self._supervision.answer(lambda: _ready(self._control.known(request)))
            return next((each for each in taken.messages if isinstance(each, Result)), None)

        return await self._results.wait(request, seconds, known)


def _ready(taken: TakenRequest | None) -> Ready[TakenRequest]:
    taken = taken or TakenRequest(())
    return once_written(taken, [] if taken.receipt is None else [taken.receipt])


def _messages(messages: list[AnyMessage]) -> Response:
    return Response(
        b'{"messages":[' + b",".join(map(wire.encode, messages)) + b"]}",
        media_type="application/json",
    )
