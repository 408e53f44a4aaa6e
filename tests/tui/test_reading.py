"""How the screen reads its source: all at once where it can, at leisure where it cannot."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot

from handrail.tui.app import WatchApp
from handrail.views.log_view import LogView
from handrail.views.run_overview import RunOverview
from tests.tui.sample_log import NOON
from tests.tui.screen_user import FakeControls, FakeDecisions, FakeTasks

pytestmark = pytest.mark.slow

RUNS = tuple(RunOverview(name, name, started=NOON, changed=NOON) for name in ("one", "two"))
NEVER = 3600.0


class Source:
    """Answers with the same views again and again, the last one for ever."""

    def __init__(self, *views: LogView | Exception) -> None:
        self._views = list(views)
        self.chosen: list[str] = []
        self.closed = False

    def poll(self, chosen: str) -> LogView:
        self.chosen.append(chosen)
        view = self._views.pop(0) if len(self._views) > 1 else self._views[0]
        if isinstance(view, Exception):
            raise view
        return view

    def close(self) -> None:
        self.closed = True


def _visit(source: Source, work: Callable[[Pilot[Exception]], Awaitable[None]]) -> WatchApp:
    app = WatchApp(
        lambda: source, FakeControls(), FakeDecisions, FakeTasks, clock=lambda: NOON, pause=NEVER
    )

    async def visit() -> None:
        async with app.run_test() as pilot:
            await work(pilot)

    asyncio.run(asyncio.wait_for(visit(), 30))
    return app


def test_a_fault_ends_the_screen_and_is_left_to_the_command_to_tell() -> None:
    source = Source(ZeroDivisionError("oh no"))

    async def work(pilot: Pilot[Exception]) -> None:
        while pilot.app.is_running:
            await pilot.pause(0.01)

    assert isinstance(_visit(source, work).return_value, ZeroDivisionError)
    assert source.closed


def test_what_is_still_to_be_read_is_read_at_once() -> None:
    source = Source(LogView(loading=2), LogView(loading=1), LogView(RUNS, "one"))

    async def work(pilot: Pilot[Exception]) -> None:
        while source.chosen[2:] == []:
            await pilot.pause(0.01)

    _visit(source, work)


def test_a_log_that_cannot_be_read_is_not_asked_without_a_break() -> None:
    source = Source(LogView(RUNS, "other", loading=3, problem="the log is damaged"))

    async def work(pilot: Pilot[Exception]) -> None:
        for _ in range(5):
            await pilot.pause()

    _visit(source, work)
    assert len(source.chosen) == 1


def test_the_timeline_of_another_run_is_asked_for_at_once() -> None:
    source = Source(LogView(RUNS, "one"), LogView(RUNS, "two"))

    async def work(pilot: Pilot[Exception]) -> None:
        assert isinstance(pilot.app, WatchApp)
        while pilot.app.watching.chosen != "one":  # there is nothing yet to move from
            await pilot.pause(0.01)
        await pilot.press("j")
        while "two" not in source.chosen:
            await pilot.pause(0.01)

    _visit(source, work)
