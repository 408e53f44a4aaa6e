"""Nothing that a hook leaves behind has to be looked for, and looking for it waits."""

import asyncio
import gc
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from starlette.types import ASGIApp

from handrail.server.daemon import Daemon
from handrail.server.threads.garbage_collection import DUE, OVERDUE, collect_when_idle
from tests.server.asgi import ask
from tests.server.daemon_sandbox import DaemonSandbox
from tests.server.in_process_api import call, message

pytestmark = pytest.mark.slow


@contextmanager
def kept_garbage() -> Iterator[list[object]]:
    """What only a search for garbage would free, of what was made in the block."""
    gc.collect()
    gc.disable()
    try:
        yield gc.garbage
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
    finally:
        gc.set_debug(0)
        gc.enable()


def test_hooks_leave_nothing_behind_that_has_to_be_looked_for(place: DaemonSandbox) -> None:
    async def work(app: ASGIApp, first: int) -> None:
        for number in range(first, first + 10):
            given = {"command": f"echo {number}"}
            fields = {"tool_name": "Bash", "tool_use_id": f"t{number}", "tool_input": given}
            await ask(app, "POST", "/hooks/claude", call(f"echo {number}", f"t{number}"))
            done = message("PostToolUse", tool_response={"stdout": "x"}, **fields)
            await ask(app, "POST", "/hooks/claude", done)

    async def all_of_it(daemon: Daemon) -> list[str]:
        app = daemon.app()
        await work(app, 0)
        with kept_garbage() as found:
            await work(app, 10)
        names = [f"{type(each).__module__}.{type(each).__qualname__}" for each in found]
        found.clear()
        return names

    with (
        asyncio.Runner() as runner,
        closing(Daemon(place.home, place.environ, runner.get_loop())) as daemon,
    ):
        found = runner.run(all_of_it(daemon))
    assert {name for name in found if name.startswith(("handrail.", "concurrent."))} == set()


class CountingThread:
    def __init__(self) -> None:
        self.jobs_done = 0


class EnoughError(Exception):
    """All seconds are over."""


def collections(each_second: list[int]) -> list[int]:
    """The seconds in which everything is looked through, by how much is thought in each."""
    supervision = CountingThread()
    seconds = iter(enumerate(each_second))
    now = 0
    seen: list[int] = []

    async def sleep(_: float) -> None:
        nonlocal now
        try:
            now, jobs_done = next(seconds)
        except StopIteration:
            raise EnoughError from None
        supervision.jobs_done += jobs_done

    with pytest.raises(EnoughError):
        asyncio.run(collect_when_idle(supervision, lambda: seen.append(now), sleep))
    return seen


def test_everything_is_looked_through_when_much_was_thought_and_nobody_waits() -> None:
    assert collections([DUE, 1, 0, 0, 0]) == [2]


def test_a_daemon_that_has_hardly_thought_does_not_look() -> None:
    assert collections([DUE - 1, 0, 0, 0]) == []


def test_a_daemon_that_is_never_idle_looks_all_the_same() -> None:
    assert collections([OVERDUE - 1, 1, 1, 1]) == [1]
