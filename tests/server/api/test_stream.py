"""The stream of events: complete, in order, encoded once, and resumed."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import pytest
from starlette.requests import Request
from starlette.responses import StreamingResponse

from handrail.api.operations import BY_NAME
from handrail.server.api import frames
from handrail.server.api import stream as stream_module
from handrail.server.api.call import ApiCall, ApiCaller
from handrail.server.api.live_log import LiveLog
from handrail.server.api.stream import EventStream
from tests.server.api.api_client import ALL_RIGHTS, run
from tests.tui.sample_log import SHOP, SampleLog

pytestmark = pytest.mark.slow

Json = dict[str, object]


def _call(query: str) -> ApiCall:
    scope = {
        "type": "http", "method": "GET", "path": "/", "query_string": query.encode(), "headers": [],
    }  # fmt: skip
    return ApiCall(BY_NAME["stream"], Request(scope), b"", ApiCaller("ada", ALL_RIGHTS))


class Listener:
    """Reads frames of a stream one by one."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks
        self._text = ""

    async def next(self) -> Json:
        """Return the next frame; signs of life are passed over."""
        while True:
            while "\n\n" in self._text:
                event, _, self._text = self._text.partition("\n\n")
                if not event.startswith("event: alive"):
                    return json.loads(event.partition("data: ")[2])  # type: ignore[no-any-return]
            self._text += (await anext(self._chunks)).decode()

    async def until(self, wanted: str) -> Json:
        """Return the next frame with a field."""
        while not (frame := await self.next()).get(wanted):
            pass
        return frame


@asynccontextmanager
async def listening(events: EventStream, query: str = "") -> AsyncIterator[Listener]:
    response = await events.stream(_call(query))
    assert isinstance(response, StreamingResponse)
    chunks = response.body_iterator
    try:
        yield Listener(chunks)  # type: ignore[arg-type]
    finally:
        await chunks.aclose()  # type: ignore[attr-defined]


@pytest.fixture
def events(live: LiveLog, book: SampleLog) -> EventStream:
    return EventStream(live, lambda: book.now)


def test_a_new_action_comes_as_a_row_of_its_run_and_of_its_timeline(
    events: EventStream, book: SampleLog
) -> None:
    async def listen() -> None:
        async with listening(events, f"run={SHOP}") as listener:
            await listener.until("runs")
            await asyncio.to_thread(book.ask, SHOP, "Bash", "ls -la")
            seen = await listener.until("news")
        (news,) = cast("list[Json]", seen["news"])
        assert news["run"] == SHOP
        assert news["items"][-1]["text"] == "ls -la"  # type: ignore[index]

    run(listen())


def test_the_end_of_an_action_replaces_its_row(events: EventStream, book: SampleLog) -> None:
    async def listen() -> None:
        async with listening(events, f"run={SHOP}") as listener:
            await listener.until("runs")
            await asyncio.to_thread(book.ask, SHOP, "Bash", "ls -la")
            begun = (await listener.until("news"))["news"][0]["items"][-1]  # type: ignore[index]
            await asyncio.to_thread(book.end, SHOP)
            ended = (await listener.until("news"))["news"][0]["items"][-1]  # type: ignore[index]
        assert begun["seq"] == ended["seq"]
        assert (begun["mark"], ended["mark"]) == ("…", "✓")

    run(listen())


def test_a_client_that_comes_back_gets_what_it_missed(events: EventStream, book: SampleLog) -> None:
    async def listen() -> None:
        async with listening(events, f"run={SHOP}") as stays:
            position = (await stays.until("runs"))["position"]
            async with listening(events, f"run={SHOP}&after={position}"):
                pass
            await asyncio.to_thread(book.ask, SHOP, "Bash", "make missed")
            await stays.until("news")
            async with listening(events, f"run={SHOP}&after={position}") as again:
                seen = await again.until("news")
        assert seen["news"][0]["items"][-1]["text"] == "make missed"  # type: ignore[index]

    run(listen())


def test_a_client_that_comes_back_gets_a_row_that_was_sent_later_than_its_event(
    events: EventStream, book: SampleLog
) -> None:
    async def listen() -> None:
        async with listening(events, f"run={SHOP}") as stays:
            await stays.until("runs")
            await asyncio.to_thread(book.ask, SHOP, "Bash", "make late", after=0.1)
            position = (await stays.until("news"))["position"]
            book.now += 1.0
            sent = await stays.until("runs")
            assert sent["position"] == position
            async with listening(events, f"after={position}") as again:
                assert await again.until("runs") == sent

    run(listen())


def test_a_client_that_was_away_for_too_long_is_told_to_load_again(
    events: EventStream, book: SampleLog
) -> None:
    async def listen() -> None:
        async with listening(events, f"run={SHOP}&after=1") as listener:
            await listener.until("reset")

    run(listen())


def test_a_client_that_does_not_read_is_told_to_load_again(
    events: EventStream, book: SampleLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_module, "_MOST_WAITING", 2)

    async def listen() -> None:
        async with listening(events, f"run={SHOP}") as stays, listening(events) as sleeps:
            await stays.until("runs")
            for number in range(4):
                await asyncio.to_thread(book.ask, SHOP, "Bash", f"echo {number}")
                await stays.until("news")
            await sleeps.until("reset")

    run(listen())


def test_a_frame_is_encoded_once_for_all_clients(
    events: EventStream, book: SampleLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def listen() -> None:
        async with listening(events) as one, listening(events) as two, listening(events) as three:
            await one.until("runs")
            encoded: list[int] = []
            real = frames.FrameMaker.look

            def counted(*args: object, **kwargs: object) -> object:
                frames = real(*args, **kwargs)  # type: ignore[arg-type]
                encoded.append(len(frames))
                return frames

            monkeypatch.setattr(frames.FrameMaker, "look", counted)
            await asyncio.to_thread(book.ask, SHOP, "Bash", "ls")
            heard = [await each.until("runs") for each in (one, two, three)]
            assert len({json.dumps(frame) for frame in heard}) == 1
            assert sum(encoded) == 1

    run(listen())


def test_however_much_happens_the_log_is_looked_at_ten_times_a_second_at_most(
    events: EventStream, book: SampleLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def listen() -> None:
        pauses: list[float] = []
        real = asyncio.sleep

        async def counted(seconds: float) -> None:
            pauses.append(seconds)
            await real(0)

        async with listening(events, f"run={SHOP}") as listener:
            await listener.until("runs")
            looks = 0
            look = frames.FrameMaker.look

            def looked(*args: object) -> object:
                nonlocal looks
                looks += 1
                return look(*args)  # type: ignore[arg-type]

            monkeypatch.setattr(frames.FrameMaker, "look", looked)
            monkeypatch.setattr(asyncio, "sleep", counted)
            for number in range(20):
                await asyncio.to_thread(book.ask, SHOP, "Bash", f"echo {number}")
                await listener.until("news")
            monkeypatch.undo()
        # The clock is sped up here: what counts is that each look is paid for with a pause.
        assert set(pauses) == {0.1}
        assert 20 <= looks <= len(pauses) + 1

    run(listen())


def test_nobody_reads_the_log_while_nobody_listens(events: EventStream, book: SampleLog) -> None:
    async def listen() -> None:
        async with listening(events) as listener:
            await listener.until("runs")
        task = events._task
        assert task is not None
        await asyncio.wait_for(task, 10)

    run(listen())


def test_the_end_of_the_daemon_ends_all_streams(events: EventStream, book: SampleLog) -> None:
    async def listen() -> None:
        async with listening(events) as listener:
            await listener.until("runs")
            events.close()
            with pytest.raises(StopAsyncIteration):
                await listener.until("no frame has this")

    run(listen())


def test_too_many_timelines_for_one_stream_are_refused(events: EventStream) -> None:
    async def listen() -> None:
        with pytest.raises(Exception, match="follows"):
            await events.stream(_call("run=" + ",".join(map(str, range(20)))))

    run(listen())
