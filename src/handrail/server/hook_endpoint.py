"""The endpoint that hosts ask before and after everything their agents do."""

import json
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Protocol

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive

from handrail.hosts.claude.hooks import NO_OPINION, Reply, Seat
from handrail.hosts.claude.payload import MAX_BYTES
from handrail.model.event import ModelAsked
from handrail.server.boundary import Boundary, Gone, Release
from handrail.server.brain import Brain, TooSlowError
from handrail.server.metrics import Metrics
from handrail.server.opinions import Opinions
from handrail.server.routes import Row
from handrail.supervise.progress import CheckpointNeeded, Held, Progress, Ready

_log = logging.getLogger(__name__)

ATTENDED_HEADER = b"x-handrail-attended"
PROXY_HEADER = b"x-handrail-proxy"
PID_HEADER = b"x-handrail-pid"
_ATTENDED = {b"1": True, b"0": False}
CLAUDE = "/hooks/claude"
_BEFORE = b'"hook_event_name":"PreToolUse"'
"""An agent waits for leave to do something; what was done is looked at afterwards, in order."""
_PID = re.compile(rb"\d{1,9}\Z")


class HostHooks(Protocol):
    """What a host's hooks are answered by; `handle` and `reconsider` in the brain's thread."""

    def handle(self, body: bytes, seat: Seat) -> Progress[Reply]:
        """Answer one request."""

    def reconsider(self, run: str, event: ModelAsked) -> Ready[Reply | None]:
        """The reply in the light of a second opinion; None: it stays as it was."""

    def failed(self, problem: str, body: bytes) -> Reply:
        """The answer when Handrail itself breaks down over a request."""

    def unreadable(self, problem: str) -> Reply:
        """The answer to what cannot be read."""


class HookEndpoint:
    """Answers hooks: thinks in the brain, and waits for checkpoints and paused runs."""

    def __init__(
        self,
        brain: Brain,
        hooks: HostHooks,
        boundary: Boundary,
        opinions: Opinions,
        metrics: Metrics,
    ) -> None:
        self._brain = brain
        self._hooks = hooks
        self._boundary = boundary
        self._opinions = opinions
        self._metrics = metrics

    def routes(self) -> tuple[Row, ...]:
        """Its endpoint."""
        return (Row("POST", CLAUDE, self.claude),)

    async def claude(self, request: Request) -> Response:
        """Answer a hook of Claude Code: always with 200, or the host would not listen."""
        body = await whole(request.receive)
        if body is None:
            data = _encode(self._hooks.unreadable(f"it has more than {MAX_BYTES:,} bytes"))
        else:
            headers = request.scope["headers"]
            data = await self.answer(body, headers, partial(_leaves, request.receive))
        return Response(data, media_type="application/json")

    async def answer(
        self, body: bytes, headers: Sequence[tuple[bytes, bytes]], gone: Gone
    ) -> bytes:
        """What is answered to a hook; `gone`: when nobody waits any more."""
        visit = _Visit(body, _seat(dict(reversed(headers))), gone)
        said = await self._reply(visit)
        self._metrics.hook_took(perf_counter() - visit.began - visit.held)
        return _encode(said)

    async def _reply(self, visit: "_Visit") -> Reply:
        body = visit.body
        handle = partial(self._hooks.handle, body, visit.seat)
        try:
            progress = await self._brain.think(handle, urgent=_BEFORE in body)
            while not isinstance(progress, Ready):
                proceed = await self._wait(visit, progress)
                if proceed is None:
                    return NO_OPINION
                progress = await self._brain.think(proceed)
            said, doubt = await self._brain.settle(progress), progress.doubt
            return said if doubt is None else await self._opinions.consider(doubt, said)
        except TooSlowError as error:
            self._metrics.fault("slow")
            return self._hooks.failed(str(error), body)
        except Exception as error:  # noqa: BLE001 - a bug of ours must not let an action through
            self._metrics.fault("bug")
            _log.exception("a hook could not be answered")
            return self._hooks.failed(f"{type(error).__name__}: {error}"[:300], body)

    async def _wait(
        self, visit: "_Visit", undecided: CheckpointNeeded[Reply] | Held[Reply]
    ) -> Callable[[], Progress[Reply]] | None:
        """How it goes on when the files are saved, or the run is not paused; None: all is over."""
        if isinstance(undecided, CheckpointNeeded):
            return partial(undecided.proceed, await undecided.save())
        how = await self._boundary.wait(undecided, visit.began, visit.gone)
        visit.held = perf_counter() - visit.began
        if how is Release.GONE:
            await self._brain.do(undecided.abandon)
            return None
        return undecided.answer if how is Release.TOO_LONG else undecided.resume


class _Visit:
    """A hook that waits for its answer."""

    def __init__(self, body: bytes, seat: Seat, gone: Gone) -> None:
        self.body = body
        self.seat = seat
        self.gone = gone
        self.began = perf_counter()
        self.held = 0.0
        """For how many seconds the answer was held back because the run is paused."""


async def whole(receive: Receive) -> bytes | None:
    """The body of a request; None if there is too much of it, or nobody to answer to."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        part = message.get("body", b"")
        parts.append(part)
        size += len(part)
        if size > MAX_BYTES:
            return None
        if not message.get("more_body"):
            return b"".join(parts)


async def _leaves(receive: Receive) -> None:
    """Returns when the other side hangs up."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _seat(headers: Mapping[bytes, bytes]) -> Seat:
    attended = _ATTENDED.get(headers.get(ATTENDED_HEADER, b""))
    pid = headers.get(PID_HEADER, b"")
    return Seat(attended, bool(headers.get(PROXY_HEADER)), int(pid) if _PID.match(pid) else 0)


def _encode(value: Reply) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # a file's name need not be text; JSON can say so all the same
        return json.dumps(value).encode()
