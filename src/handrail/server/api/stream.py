"""The stream of events: everything is read and encoded once, whoever looks."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress

from starlette.responses import Response, StreamingResponse

from handrail.api.messages.stream import StreamFrame
from handrail.server.api.api_routes import Handler
from handrail.server.api.call import ApiCall
from handrail.server.api.frames import EncodedFrame, FrameMaker, encode_frame
from handrail.server.api.live_log import LiveLog
from handrail.server.api.problems import ProblemError
from handrail.store.errors import StoreError

_PAUSE = 0.1
"""Seconds between two looks at the log: at most ten frames a second."""
_ALIVE = 2.0
"""Seconds between two signs of life; a client that hears none is cut off."""
_MOST_WAITING = 64
"""Frames that a slow client may be behind."""
_KEPT = 256
"""Frames that a client which comes back can still get."""
_LINGER = 60.0
"""Seconds that a timeline is followed after its last client has left: it may come back."""
_MOST_CLIENTS = 100
_MOST_RUNS = 8
"""Timelines that one client may follow."""
_SIGN_OF_LIFE = b"event: alive\ndata: {}\n\n"
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class EventStream:
    """Looks at the log while anybody listens, and hands the frames to all clients."""

    def __init__(
        self,
        live: LiveLog,
        clock: Callable[[], float],
        recovered: Callable[[str], tuple[str, ...]] = lambda fleet: (),
    ) -> None:
        """`recovered`: how a fleet was recovered at the start of the daemon, in lines."""
        self._recovered = recovered
        self._live = live
        self._clock = clock
        self._clients: set[_Client] = set()
        self._frames: deque[EncodedFrame] = deque(maxlen=_KEPT)
        self._maker = FrameMaker(self._recovered, live.rest)
        self._followed: dict[str, tuple[int, float]] = {}
        """By run: the position since when it is followed, and when its last client left."""
        self._position = -1
        """The position of the last look; -1: nobody has looked yet."""
        self._lost = -1
        """Frames up to this position may be missing among those kept."""
        self._task: asyncio.Task[None] | None = None
        self._closing = False

    def handlers(self) -> Mapping[str, Handler]:
        """Return its functions, by the name of the operation."""
        return {"stream": self.stream}

    async def stream(self, call: ApiCall) -> Response:
        """Stream what happens."""
        if len(self._clients) >= _MOST_CLIENTS:
            raise ProblemError(503, "Too many streams", f"There are {_MOST_CLIENTS} already.")
        runs = [run for run in call.text("run").split(",") if run]
        if len(runs) > _MOST_RUNS:
            raise ProblemError(400, "Too many runs", f"A stream follows {_MOST_RUNS} at most.")
        given = call.request.headers.get("last-event-id", "")
        after = int(given) if given.isascii() and given.isdecimal() else call.number("after")
        client = _Client(frozenset(runs))
        await self._welcome(client, min(after, 2**62))
        return StreamingResponse(
            self._sent_to(client), media_type="text/event-stream", headers=_HEADERS
        )

    def close(self) -> None:
        """End all streams."""
        self._closing = True
        for client in self._clients:
            client.end()
        if self._task is not None:
            self._task.cancel()

    async def _welcome(self, client: "_Client", after: int) -> None:
        """Give a client what it has missed, or tell it to load everything again."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._look_on())
        self._clients.add(client)
        for run in client.runs:
            since = self._followed.get(run, (0, 0.0))[0]
            self._followed[run] = (since, 0.0)
        try:
            await self._look()
        except StoreError:
            return  # the next look tells what is wrong
        if not after:
            client.put(encode_frame(StreamFrame(position=self._position)))
            return
        follows = all(0 < self._followed[run][0] <= after for run in client.runs)
        if self._lost < after <= self._position and follows:
            client.clear()
            # Those at the same position too: a row may be told later than its event.
            for frame in self._frames:
                if frame.position >= after and frame.run in ("", *client.runs):
                    client.put(frame.data)
        else:
            client.put(encode_frame(StreamFrame(position=self._position, reset=True)))

    async def _sent_to(self, client: "_Client") -> AsyncIterator[bytes]:
        try:
            while (data := await client.next()) is not None:
                yield data
        finally:
            self._clients.discard(client)
            now = self._clock()
            wanted = {run for each in self._clients for run in each.runs}
            for run in client.runs - wanted:
                if run in self._followed:
                    self._followed[run] = (self._followed[run][0], now)

    async def _look_on(self) -> None:
        while self._clients and not self._closing:
            await asyncio.sleep(_PAUSE)
            with suppress(StoreError):  # the frames tell the log's problem
                await self._look()
        self._maker = FrameMaker(self._recovered, self._live.rest)
        self._frames.clear()
        self._followed.clear()
        self._position = self._lost = -1

    async def _look(self) -> None:
        now = self._clock()
        for run, (_, left) in list(self._followed.items()):
            if left and now - left > _LINGER:
                del self._followed[run]
        runs, maker = tuple(self._followed), self._maker

        frames, self._position = await self._live.follow(
            lambda store, feed: (maker.look(store, feed, runs, now), feed.position)
        )
        for run in runs:
            since, left = self._followed.get(run, (0, 0.0))
            self._followed[run] = (since or self._position, left)
        if self._lost < 0:
            self._lost = self._position - 1
        for frame in frames:
            if len(self._frames) == _KEPT:
                self._lost = self._frames[0].position
            self._frames.append(frame)
            for client in self._clients:
                if frame.run in ("", *client.runs):
                    client.put(frame.data)


class _Client:
    """One listener, and the frames that wait for it."""

    def __init__(self, runs: frozenset[str]) -> None:
        self.runs = runs
        self._waiting: deque[bytes] = deque()
        self._news = asyncio.Event()
        self._ended = False

    def put(self, data: bytes) -> None:
        """Add a frame; a client that does not read loses all of them, and is told so."""
        if len(self._waiting) >= _MOST_WAITING:
            self._waiting.clear()
            data = encode_frame(StreamFrame(position=0, reset=True))
        self._waiting.append(data)
        self._news.set()

    def clear(self) -> None:
        """Forget what waits."""
        self._waiting.clear()

    def end(self) -> None:
        """End the stream."""
        self._ended = True
        self._news.set()

    async def next(self) -> bytes | None:
        """Return all frames that wait, or a sign of life after a while; None: it is over."""
        if not self._waiting and not self._ended:
            self._news.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), _ALIVE)
        if self._ended:
            return None
        if not self._waiting:
            return _SIGN_OF_LIFE
        data = b"".join(self._waiting)
        self._waiting.clear()
        return data
