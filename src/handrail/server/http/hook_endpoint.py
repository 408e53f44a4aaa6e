"""The endpoint that hosts call before and after each action of their agents."""

import asyncio
import json
import logging
import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from time import monotonic, perf_counter
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive

from handrail.hosts.port import (
    MAX_BYTES,
    HookSender,
    HostAdapter,
    HostHooks,
    Reply,
    SessionOrigin,
    endpoint,
)
from handrail.server.control.pause_waiters import Gone, PauseWaiters, Release
from handrail.server.http.metrics import Metrics
from handrail.server.http.routes import EndpointRow
from handrail.server.http.second_opinions import SecondOpinions
from handrail.server.threads.supervision_thread import (
    SupervisionThread,
    SupervisionTimeoutError,
    is_written,
)
from handrail.supervise.decision.decision_progress import (
    CheckpointNeeded,
    DecisionProgress,
    Held,
    Ready,
)

_log = logging.getLogger(__name__)

ATTENDED_HEADER = b"x-handrail-attended"
PROXY_HEADER = b"x-handrail-proxy"
PID_HEADER = b"x-handrail-pid"
_ATTENDED = {b"1": True, b"0": False}
SENDER = "handrail.sender"
"""The key in a request's scope for its sender, on the port."""
PATH = endpoint("{host}")
START = endpoint("")
"""The common start of the paths of all hosts' hooks."""
_SETTLE_SECONDS = 4.0
_SETTLE_STEP = 0.02
AnswerTaker = Callable[[bytes | None], None]
"""Takes the answer to a hook; None: there will be none."""
_NOBODY: Reply = {}
"""The answer to a request without a waiting client."""
_PID = re.compile(rb"\d{1,9}\Z")


class HookEndpoint:
    """Answers hooks, after a checkpoint if one is needed and after the pause of a run."""

    def __init__(
        self,
        supervision: SupervisionThread,
        hosts: Mapping[str, tuple[HostAdapter, HostHooks]],
        pauses: PauseWaiters,
        opinions: SecondOpinions,
        metrics: Metrics,
    ) -> None:
        self._supervision = supervision
        self._hosts = hosts
        self._pauses = pauses
        self._opinions = opinions
        self._metrics = metrics
        self._tasks: set[asyncio.Task[None]] = set()
        """Hooks that wait for more than the log."""
        self.is_unsettled: Callable[[], bool] = lambda: False
        """Returns whether a part of Handrail changed and nobody knows yet which call did it."""

    def routes(self) -> tuple[EndpointRow, ...]:
        """Return its endpoint."""
        return (EndpointRow("POST", PATH, self.hook),)

    async def hook(self, request: Request) -> Response:
        """Answer a host's hook, always with 200, because hosts ignore other answers."""
        receive = request.receive
        host = request.url.path.removeprefix(START)
        body = await read_body(receive)
        if body is None:
            data = self._refused(host, f"it has more than {MAX_BYTES:,} bytes")
        else:
            gone = partial(_leaves, receive)
            sender = request.scope.get(SENDER)
            data = await self.answer(host, body, request.scope["headers"], gone, sender)
        return Response(data, media_type="application/json")

    async def answer(
        self,
        host: str,
        body: bytes,
        headers: Sequence[tuple[bytes, bytes]],
        gone: Gone,
        sender: HookSender | None = None,
    ) -> bytes:
        """Answer a hook of a host; `gone` returns when nobody waits any more.

        `sender`: the sender of a request to the port; None for the socket.
        """
        answered: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        def done(data: bytes | None) -> None:
            if not answered.done():
                answered.set_result(data or b"")

        self.begin(host, body, headers, gone, sender, done)
        return await answered

    def begin(
        self,
        host: str,
        body: bytes,
        headers: Sequence[tuple[bytes, bytes]],
        gone: Gone,
        sender: HookSender | None,
        done: AnswerTaker,
    ) -> None:
        """Answer a hook like `answer`, by a call of `done` in the event loop; None: no answer.

        Nearly every hook waits for the supervision thread and the log only. That takes no task:
        each step of one would need the interpreter once more, which busy threads give away late.
        """
        known = self._hosts.get(host)
        if known is None:
            data = self._refused(host, f"no host is called {host[:40]!r}")
            asyncio.get_running_loop().call_soon(done, data)
            return
        # On the port the headers prove nothing: a session's own process sends none of ours.
        origin = SessionOrigin(sender=sender) if sender else _origin(dict(reversed(headers)))
        pending = _PendingHook(*known, body, origin, gone, done)
        if self.is_unsettled() and pending.host.may_wait(body):
            self._go_on_in_task(pending, self._settled(pending))
        else:
            self._supervision.begin_written(
                pending.handle, _FirstResult(self, pending), urgent=pending.host.is_urgent(body)
            )

    def _refused(self, host: str, problem: str) -> bytes:
        """Return a refusal in the format of a host; of an unknown one, in a common format."""
        known = self._hosts.get(host)
        speakers = [known] if known else self._hosts.values()
        said: Reply = {}
        for _, hooks in speakers:
            said |= hooks.unreadable(problem)
        return _encode(said)

    def told(self, pending: "_PendingHook", progress: DecisionProgress[Reply]) -> None:
        """Answer with the result of the supervision thread, or wait for what it needs first."""
        if isinstance(progress, Ready) and progress.doubt is None and is_written(progress):
            self._give(pending, progress.value)
        else:
            self._go_on_in_task(pending, self._rest(pending, progress))

    def failed(self, pending: "_PendingHook", error: BaseException) -> None:
        """Answer a hook over which Handrail broke down."""
        if not isinstance(error, Exception):
            pending.done(None)
            raise error
        self._give(pending, self._broken(pending, error))

    def _give(self, pending: "_PendingHook", said: Reply) -> None:
        self._metrics.hook_took(perf_counter() - pending.began - pending.held)
        pending.done(_encode(said))

    def _broken(self, pending: "_PendingHook", error: Exception) -> Reply:
        if isinstance(error, SupervisionTimeoutError):
            self._metrics.fault("slow")
            return pending.hooks.failed(str(error), pending.body)
        self._metrics.fault("bug")
        _log.error("a hook could not be answered", exc_info=error)
        return pending.hooks.failed(f"{type(error).__name__}: {error}"[:300], pending.body)

    def _go_on_in_task(self, pending: "_PendingHook", rest: Coroutine[Any, Any, Reply]) -> None:
        task = asyncio.get_running_loop().create_task(self._finish(pending, rest))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _finish(self, pending: "_PendingHook", rest: Coroutine[Any, Any, Reply]) -> None:
        try:
            said = await rest
        except Exception as error:  # noqa: BLE001 - a bug of ours must not let an action through
            said = self._broken(pending, error)
        except BaseException:
            pending.done(None)
            raise
        self._give(pending, said)

    async def _settled(self, pending: "_PendingHook") -> Reply:
        """Answer after a moment in which it becomes known whether the run may continue."""
        until = monotonic() + _SETTLE_SECONDS
        while self.is_unsettled() and monotonic() < until:
            await asyncio.sleep(_SETTLE_STEP)
        urgent = pending.host.is_urgent(pending.body)
        progress = await self._supervision.call_written(pending.handle, urgent=urgent)
        return await self._rest(pending, progress)

    async def _rest(self, pending: "_PendingHook", progress: DecisionProgress[Reply]) -> Reply:
        """Wait for all that a decision needs; return the reply."""
        while not isinstance(progress, Ready):
            proceed = await self._wait(pending, progress)
            if proceed is None:
                return _NOBODY
            progress = await self._supervision.call_written(proceed)
        said, doubt = await self._supervision.settle(progress), progress.doubt
        if doubt is None:
            return said
        return await self._opinions.consider(doubt, said, pending.hooks)

    async def _wait(
        self, pending: "_PendingHook", undecided: CheckpointNeeded[Reply] | Held[Reply]
    ) -> Callable[[], DecisionProgress[Reply]] | None:
        """Wait for a checkpoint or the end of a pause; return the continuation, if any."""
        if isinstance(undecided, CheckpointNeeded):
            return partial(undecided.proceed, await undecided.save())
        how = await self._pauses.wait(undecided, pending.began, pending.gone)
        pending.held = perf_counter() - pending.began
        if how is Release.GONE:
            await self._supervision.call(undecided.abandon)
            return None
        return undecided.answer if how is Release.TOO_LONG else undecided.resume


class _PendingHook:
    """A hook that waits for its answer."""

    def __init__(
        self,
        host: HostAdapter,
        hooks: HostHooks,
        body: bytes,
        origin: SessionOrigin,
        gone: Gone,
        done: AnswerTaker,
    ) -> None:
        self.host = host
        self.hooks = hooks
        self.body = body
        self.gone = gone
        self.done = done
        self.handle = partial(hooks.handle, body, origin)
        self.began = perf_counter()
        self.held = 0.0
        """Seconds for which a pause held the answer back."""


class _FirstResult:
    """Takes what the supervision thread says of a hook first; that is nearly always the answer."""

    def __init__(self, endpoint: HookEndpoint, pending: _PendingHook) -> None:
        self._endpoint = endpoint
        self._pending = pending
        self._is_done = False

    def done(self) -> bool:
        """Return whether it was told."""
        return self._is_done

    def set_result(self, result: DecisionProgress[Reply]) -> None:
        """Answer, or go on."""
        self._is_done = True
        try:
            self._endpoint.told(self._pending, result)
        except BaseException:
            self._pending.done(None)  # who waits for an answer sees that there will be none
            raise

    def set_exception(self, exception: BaseException) -> None:
        """Answer that Handrail broke down."""
        self._is_done = True
        self._endpoint.failed(self._pending, exception)


async def read_body(receive: Receive) -> bytes | None:
    """Return the body of a request, or None if it is too large or the client is gone."""
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
    """Return when the client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _origin(headers: Mapping[bytes, bytes]) -> SessionOrigin:
    attended = _ATTENDED.get(headers.get(ATTENDED_HEADER, b""))
    pid = headers.get(PID_HEADER, b"")
    return SessionOrigin(
        attended, bool(headers.get(PROXY_HEADER)), int(pid) if _PID.match(pid) else 0
    )


def _encode(value: Reply) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # a file's name need not be text; JSON can say so all the same
        return json.dumps(value).encode()
