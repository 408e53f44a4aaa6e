"""The daemon's HTTP face: hooks, health, metrics, feedback."""

import logging
from collections.abc import Callable
from time import perf_counter

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from handrail.hosts.claude_hooks import ClaudeHooks, failed, unreadable
from handrail.hosts.claude_payload import MAX_BYTES
from handrail.model.event import FeedbackGiven
from handrail.server.brain import Brain, TooSlowError
from handrail.server.metrics import Metrics
from handrail.store.errors import StoreError

_log = logging.getLogger(__name__)

ATTENDED_HEADER = "x-handrail-attended"
PROXY_HEADER = "x-handrail-proxy"
_ATTENDED = {"1": True, "0": False}


class Feedback(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a person says about a verdict."""

    step: int
    right: bool
    note: str = ""


class Face:
    """Every endpoint, around one brain."""

    def __init__(
        self,
        brain: Brain,
        hooks: ClaudeHooks,
        metrics: Metrics,
        health: Callable[[], dict[str, object]],
        clock: Callable[[], float],
    ) -> None:
        self._brain = brain
        self._hooks = hooks
        self._metrics = metrics
        self._health = health
        self._clock = clock

    def app(self) -> ASGIApp:
        """The application, without any check of who asks."""
        return Starlette(
            routes=[
                Route("/hooks/claude", self.claude, methods=["POST"]),
                Route("/healthz", self.healthz, methods=["GET"]),
                Route("/metrics", self.metrics, methods=["GET"]),
                Route("/runs/{run}/feedback", self.feedback, methods=["POST"]),
            ]
        )

    async def claude(self, request: Request) -> Response:
        """Answer a hook of Claude Code: always with 200, or the host would not listen."""
        began = perf_counter()
        body = await _body(request)
        attended = _ATTENDED.get(request.headers.get(ATTENDED_HEADER, ""))
        proxied = bool(request.headers.get(PROXY_HEADER))
        if body is None:
            return _json(unreadable(f"it has more than {MAX_BYTES:,} bytes"))
        try:
            pending = await self._brain.do(
                lambda: self._hooks.handle(body, attended, proxied=proxied)
            )
            said = await self._brain.settle(pending)
        except TooSlowError as error:
            self._metrics.fault("slow")
            said = failed(str(error))
        except Exception as error:  # noqa: BLE001 - a bug of ours must not let an action through
            self._metrics.fault("bug")
            _log.exception("a hook could not be answered")
            said = failed(f"{type(error).__name__}: {error}"[:300])
        self._metrics.hook_took(perf_counter() - began)
        return _json(said)

    async def healthz(self, request: Request) -> Response:
        """Say who this is and how it is."""
        return _json(self._health())

    async def metrics(self, request: Request) -> Response:
        """Everything that Prometheus wants to know."""
        return Response(self._metrics.text(), media_type="text/plain; version=0.0.4")

    async def feedback(self, request: Request) -> Response:
        """Take down what a person thinks of a verdict."""
        body = await _body(request)
        try:
            given = msgspec.json.decode(body or b"", type=Feedback)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            return _json({"error": str(error)}, 400)
        run = request.path_params["run"]
        try:
            problem = await self._brain.do(lambda: self._judge(run, given))
        except (StoreError, TooSlowError) as error:
            return _json({"error": str(error)}, 503)
        return _json({"error": problem}, 404) if problem else _json({"ok": True})

    def _judge(self, run: str, given: Feedback) -> str:
        supervisor = self._hooks.runs.get(run, "/")
        if not 1 <= given.step <= supervisor.state.step:
            return f"run {run} has no step {given.step}"
        event = FeedbackGiven(self._clock(), given.step, given.right, given.note)
        supervisor.record(event).result(5)
        return ""


async def _body(request: Request) -> bytes | None:
    """The body of a request; None if there is too much of it."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_BYTES:
            return None
        parts.append(part)
    return b"".join(parts)


def _json(value: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")
