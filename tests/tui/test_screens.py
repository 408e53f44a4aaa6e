"""The screens as they are: each is compared with a file, as plain text.

Scroll bars are left out, and of the timeline all entries are compared, not those in sight: both
depend on when rows came.


HANDRAIL_RENEW_SCREENS=1 writes the files anew; look at what has changed before you keep it.
"""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.cli.fleet_log import sample_fleet
from tests.tui.sample_log import NOON, SHOP, SampleLog
from tests.tui.screen_user import ScreenUser, at_screen

pytestmark = pytest.mark.slow

SCREENS = Path(__file__).parent / "screens"
SIZES = ((80, 24), (140, 45))
Visit = Callable[[ScreenUser], Awaitable[None]]


async def first(stand: ScreenUser) -> None:
    pass


async def shop(stand: ScreenUser) -> None:
    await stand.choose("shop")


async def paused(stand: ScreenUser) -> None:
    await stand.choose("api")


async def run_detail(stand: ScreenUser) -> None:
    await stand.choose("shop")
    await stand.press("enter")


async def stopped_action(stand: ScreenUser) -> None:
    await stand.choose("shop")
    await stand.press("right", *["up"] * 8)
    await stand.press("enter")


async def finding(stand: ScreenUser) -> None:
    await stand.choose("shop")
    await stand.press("right", *["up"] * 6)
    await stand.press("enter")


async def asks_for_a_reason(stand: ScreenUser) -> None:
    await stand.choose("shop")
    await stand.press("p", *"tests first")


async def asks_once(stand: ScreenUser) -> None:
    await stand.choose("shop")
    await stand.press("K")


async def decision(stand: ScreenUser) -> None:
    await stand.choose("docs")
    await stand.press("a")
    await stand.until_shows("Esc decide nothing")


async def undo(stand: ScreenUser) -> None:
    await stand.choose("shop")
    await stand.press("u")


async def confirmed(stand: ScreenUser) -> None:
    await stand.choose("api")
    await stand.press("f", "enter")
    await stand.until_answered()


async def impossible(stand: ScreenUser) -> None:
    await stand.choose("api")
    await stand.press("p")


async def filtered(stand: ScreenUser) -> None:
    await stand.choose("shop")
    await stand.press("right", "/")
    await stand.type("pytest")


async def help_page(stand: ScreenUser) -> None:
    await stand.press("?")


async def tasks(stand: ScreenUser) -> None:
    await stand.press("T", "j", "j")


async def task_detail(stand: ScreenUser) -> None:
    await tasks(stand)
    await stand.press("enter")


async def give_task_up(stand: ScreenUser) -> None:
    await tasks(stand)
    await stand.press("X")


FLEET_VISITS: tuple[Visit, ...] = (tasks, task_detail, give_task_up)
"""Screens with a fleet."""

VISITS: tuple[Visit, ...] = (
    *FLEET_VISITS,
    first,
    shop,
    paused,
    run_detail,
    stopped_action,
    finding,
    asks_for_a_reason,
    asks_once,
    decision,
    undo,
    confirmed,
    impossible,
    filtered,
    help_page,
)


@pytest.mark.parametrize("visit", VISITS, ids=lambda visit: visit.__name__)
def test_a_screen_is_as_it_was(book: SampleLog, visit: Visit) -> None:
    if visit in FLEET_VISITS:
        sample_fleet(book.store, NOON).claim("search", 2, run=SHOP)

    async def work(stand: ScreenUser) -> None:
        await visit(stand)
        for size in SIZES:
            await stand.pilot.resize_terminal(*size)
            await _compare(stand, SCREENS / f"{visit.__name__}-{size[0]}x{size[1]}.txt")

    at_screen(book, work)


async def _compare(stand: ScreenUser, path: Path) -> None:
    if os.environ.get("HANDRAIL_RENEW_SCREENS"):
        await stand.pilot.pause(1.0)
        path.write_text(_snapshot(stand), encoding="utf-8")
    expected = path.read_text(encoding="utf-8")
    await stand.until(lambda: _snapshot(stand) == expected)


def _snapshot(stand: ScreenUser) -> str:
    """The screen, with the whole timeline below instead of the part in sight, or its window."""
    for window in ("decision", "help"):
        if stand.app.screen.query(f"#{window}"):
            return f"{stand.shown_in(window)}\n"
    region = stand.app.panes.timeline.content_region
    entries = (str(each.prompt) for each in stand.app.panes.timeline.options)
    timeline = "\n".join(line.rstrip() for entry in entries for line in entry.splitlines())
    return f"{stand.text_without(region)}\n\n{timeline}\n"


def test_every_file_is_a_screen() -> None:
    known = {
        f"{visit.__name__}-{width}x{height}.txt" for visit in VISITS for width, height in SIZES
    }
    assert {path.name for path in SCREENS.iterdir()} == known
