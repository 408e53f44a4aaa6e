"""The daemon's HTTP face: hooks, health, metrics, feedback."""

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from time import perf_counter

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from handrail.hosts.claude_hooks import NO_OPINION, ClaudeHooks, Reply, Seat, failed, unreadable
from handrail.hosts.claude_payload import MAX_BYTES
from handrail.model.event import ActionReviewed, FeedbackGiven, FindingMade
from handrail.model.ordinal import Decision
from handrail.server.boundary import Boundary, Gone, Release
from handrail.server.brain import Brain, TooSlowError
from handrail.server.controls import Controls
from handrail.server.drivers import Drivers
from handrail.server.metrics import Metrics
from handrail.server.opinions import Opinions
from handrail.server.recoveries import Recoveries
from handrail.server.restores import Restores
from handrail.store.errors import StoreError
from handrail.supervise.progress import CheckpointNeeded, Held, Progress, Ready
from handrail.supervise.topics import topic_of

_log = logging.getLogger(__name__)

ATTENDED_HEADER = b"x-handrail-attended"
PROXY_HEADER = b"x-handrail-proxy"
PID_HEADER = b"x-handrail-pid"
_ATTENDED = {b"1": True, b"0": False}
CLAUDE = "/hooks/claude"
_BEFORE = b'"hook_event_name":"PreToolUse"'
"""An agent waits for leave to do something; what was done is looked at afterwards, in order."""
_PID = re.compile(rb"\d{1,9}\Z")
_JSON = (b"content-type", b"application/json")
_HEALTH_SECONDS = 1.0
"""Whoever asks for it waits only a little longer than this."""


Endpoint = Callable[..., Awaitable[object]]


class Feedback(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a person says about a verdict, or about a finding."""

    step: int
    right: bool
    note: str = ""
    finding: str = ""
    """The kind of the finding that is meant; empty: the verdict."""


class NoSuchStepError(LookupError):
    """A run has no such step."""

    def __init__(self, run: str, step: int) -> None:
        super().__init__(f"run {run} has no step {step}")


class NoSuchFindingError(LookupError):
    """Nothing of that kind was found in a run."""

    def __init__(self, run: str, kind: str) -> None:
        super().__init__(f"no {kind} was found in run {run}")


class Face:
    """Every endpoint, around one brain."""

    def __init__(
        self,
        brain: Brain,
        hooks: ClaudeHooks,
        metrics: Metrics,
        opinions: Opinions,
        recoveries: Recoveries,
        restores: Restores,
        boundary: Boundary,
        controls: Controls,
        drivers: Drivers,
        who: Mapping[str, object],
        state: Callable[[], Mapping[str, object]],
        clock: Callable[[], float],
    ) -> None:
        self._brain = brain
        self._hooks = hooks
        self._metrics = metrics
        self._opinions = opinions
        self._recoveries = recoveries
        self._restores = restores
        self._boundary = boundary
        self._controls = controls
        self._drivers = drivers
        self._who = who
        self._state = state
        self._clock = clock

    def endpoints(self) -> tuple[tuple[str, str, Endpoint], ...]:
        """Method, path and function of each."""
        return (
            ("POST", CLAUDE, self.claude),
            ("GET", "/healthz", self.healthz),
            ("GET", "/metrics", self.metrics),
            ("POST", "/runs/{run}/feedback", self.feedback),
            ("POST", "/incidents/{incident}", self.incident),
            ("POST", "/checkpoints", self.save),
            ("POST", "/restores/preview", self.look),
            ("POST", "/restores", self.restore),
            ("POST", "/control", self.control),
            ("GET", "/control/{request:path}", self.result),
            ("POST", "/runs/{run}/loop", self.begin_loop),
            ("POST", "/runs/{run}/iterations", self.begin_iteration),
            ("GET", "/runs/{run}/orders", self.orders),
            ("POST", "/runs/{run}/reports", self.report),
        )

    def app(self) -> ASGIApp:
        """The application, without any check of who asks."""
        others = Starlette(
            routes=[
                Route(path, endpoint, methods=[method])
                for method, path, endpoint in self.endpoints()
                if path != CLAUDE
            ]
        )

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            # An agent waits for this one; the way through the framework costs as much as the rest.
            if scope["type"] != "http" or scope["path"] != CLAUDE:
                await others(scope, receive, send)
            elif scope["method"] == "POST":
                await self.claude(scope, receive, send)
            else:
                await _json({"error": "only POST is understood"}, 405)(scope, receive, send)

        return app

    async def claude(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a hook of Claude Code: always with 200, or the host would not listen."""
        body = await _whole(receive)
        if body is None:
            data = _encode(unreadable(f"it has more than {MAX_BYTES:,} bytes"))
        else:
            data = await self.hook(body, scope["headers"], lambda: _leaves(receive))
        length = (b"content-length", b"%d" % len(data))
        await send({"type": "http.response.start", "status": 200, "headers": [_JSON, length]})
        await send({"type": "http.response.body", "body": data})

    async def hook(self, body: bytes, headers: Sequence[tuple[bytes, bytes]], gone: Gone) -> bytes:
        """What is answered to a hook of Claude Code; `gone`: when nobody waits any more."""
        visit = _Visit(body, _seat(dict(reversed(headers))), gone)
        said = await self._answer(visit)
        self._metrics.hook_took(perf_counter() - visit.began - visit.held)
        return _encode(said)

    async def _answer(self, visit: "_Visit") -> Reply:
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
            return self._failed(str(error), body)
        except Exception as error:  # noqa: BLE001 - a bug of ours must not let an action through
            self._metrics.fault("bug")
            _log.exception("a hook could not be answered")
            return self._failed(f"{type(error).__name__}: {error}"[:300], body)

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

    def _failed(self, problem: str, body: bytes) -> Reply:
        return failed(problem, body, self._hooks.runs.on_fault)

    async def healthz(self, request: Request) -> Response:
        """Say who this is and how it is."""
        try:
            state = await self._brain.do(self._state, _HEALTH_SECONDS)
        except TooSlowError as error:
            state = {"ok": False, "problem": str(error)}
        return _json({**state, **self._who})

    async def metrics(self, request: Request) -> Response:
        """Everything that Prometheus wants to know."""
        try:
            text = await self._brain.do(self._metrics.text)
        except TooSlowError as error:
            return _json({"error": str(error)}, 503)
        return Response(text, media_type="text/plain; version=0.0.4")

    async def incident(self, request: Request) -> Response:
        """Let a stopped run go on, or end it for good, as a person has decided."""
        return await self._recoveries.endpoint(request)

    async def save(self, request: Request) -> Response:
        """Save the files of a project, for a person."""
        return await self._restores.save(request)

    async def look(self, request: Request) -> Response:
        """Say what an undo would do; nothing is changed."""
        return await self._restores.look(request)

    async def restore(self, request: Request) -> Response:
        """Put files back as they were, as a person has decided."""
        return await self._restores.restore(request)

    async def control(self, request: Request) -> Response:
        """Take in a request of the control protocol; `?wait=SECONDS` waits for its result."""
        return await self._controls.take(request)

    async def result(self, request: Request) -> Response:
        """Say what has come of a request; `?wait=SECONDS` waits for its result."""
        return await self._controls.wait(request)

    async def begin_loop(self, request: Request) -> Response:
        """Make a loop known to those who watch, before its driver starts the agent."""
        return await self._drivers.begin(request)

    async def begin_iteration(self, request: Request) -> Response:
        """Let a driver go on, as soon as the run is not held; `?iteration=N&wait=SECONDS`."""
        return await self._drivers.iterate(request)

    async def orders(self, request: Request) -> Response:
        """Give a driver what it has to do, when there is any; `?after=N&held=H&wait=SECONDS`."""
        return await self._drivers.orders(request)

    async def report(self, request: Request) -> Response:
        """Hear from a driver how its agent goes on."""
        return await self._drivers.report(request)

    async def feedback(self, request: Request) -> Response:
        """Take down what a person thinks of a verdict or of a finding."""
        run = request.path_params["run"]
        try:
            body = await _whole(request.receive) or b""
            given = msgspec.json.decode(body, type=Feedback)
            # To look for a step takes as long as the run is; no other run waits for that.
            decision = await asyncio.to_thread(self._meant, run, given)
            problem = await self._brain.answer(lambda: self._judge(run, given, decision))
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            return _json({"error": str(error)}, 400)
        except (NoSuchStepError, NoSuchFindingError) as error:
            return _json({"error": str(error)}, 404)
        except (StoreError, TooSlowError) as error:
            problem = str(error)
        return _json({"error": problem}, 503) if problem else _json({"ok": True})

    def _judge(self, run: str, given: Feedback, decision: Decision | None) -> Ready[str]:
        supervisor = self._hooks.runs.get(run, "/")
        event = FeedbackGiven(self._clock(), given.step, given.right, given.note, given.finding)
        receipt = supervisor.record(event)
        self._metrics.judged(run, event, decision)
        return Ready("", [receipt], str)

    def _meant(self, run: str, given: Feedback) -> Decision | None:
        """The decision that is judged; None: a finding is."""
        for _, event in self._hooks.runs.journal.read(topic_of(run)):
            if given.finding:
                if isinstance(event, FindingMade) and event.finding.kind == given.finding:
                    return None
            elif isinstance(event, ActionReviewed) and event.step == given.step:
                return event.verdict.decision
        if given.finding:
            raise NoSuchFindingError(run, given.finding)
        raise NoSuchStepError(run, given.step)


class _Visit:
    """A hook that waits for its answer."""

    def __init__(self, body: bytes, seat: Seat, gone: Gone) -> None:
        self.body = body
        self.seat = seat
        self.gone = gone
        self.began = perf_counter()
        self.held = 0.0
        """For how many seconds the answer was held back because the run is paused."""


async def _leaves(receive: Receive) -> None:
    """Returns when the other side hangs up."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _seat(headers: Mapping[bytes, bytes]) -> Seat:
    attended = _ATTENDED.get(headers.get(ATTENDED_HEADER, b""))
    pid = headers.get(PID_HEADER, b"")
    return Seat(attended, bool(headers.get(PROXY_HEADER)), int(pid) if _PID.match(pid) else 0)


async def _whole(receive: Receive) -> bytes | None:
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


def _json(value: object, status: int = 200) -> Response:
    return Response(_encode(value), status, media_type="application/json")


def _encode(value: object) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # a file's name need not be text; JSON can say so all the same
        return json.dumps(value).encode()
