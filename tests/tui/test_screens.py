"""The screens as they are: each is compared with a file, as plain text.

HANDRAIL_RENEW_SCREENS=1 writes the files anew; look at what has changed before you keep it.
"""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.tui.sample_log import SampleLog
from tests.tui.screen_user import FakeControls, ScreenUser, at_screen

pytestmark = pytest.mark.slow

SCREENS = Path(__file__).parent / "screens"
SIZES = ((80, 24), (120, 40))
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
    await stand.press("right", *["up"] * 8, "enter")


async def finding(stand: ScreenUser) -> None:
    await stand.choose("shop")
    await stand.press("right", *["up"] * 6, "enter")


async def asks_for_a_reason(stand: ScreenUser) -> None:
    await stand.choose("shop")
    await stand.press("p", *"tests first")


async def asks_twice(stand: ScreenUser) -> None:
    await stand.choose("shop")
    await stand.press("K", "enter")


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


VISITS: tuple[Visit, ...] = (
    first,
    shop,
    paused,
    run_detail,
    stopped_action,
    finding,
    asks_for_a_reason,
    asks_twice,
    undo,
    confirmed,
    impossible,
    filtered,
    help_page,
)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "x".join(map(str, size)))
@pytest.mark.parametrize("visit", VISITS, ids=lambda visit: visit.__name__)
def test_a_screen_is_as_it_was(book: SampleLog, visit: Visit, size: tuple[int, int]) -> None:
    path = SCREENS / f"{visit.__name__}-{size[0]}x{size[1]}.txt"

    async def work(stand: ScreenUser) -> None:
        await visit(stand)
        shown = f"{stand.text}\n"
        if os.environ.get("HANDRAIL_RENEW_SCREENS"):
            path.write_text(shown, encoding="utf-8")
        assert shown == path.read_text(encoding="utf-8")

    at_screen(book, work, size=size, controls=FakeControls())


def test_every_file_is_a_screen() -> None:
    known = {
        f"{visit.__name__}-{width}x{height}.txt" for visit in VISITS for width, height in SIZES
    }
    assert {path.name for path in SCREENS.iterdir()} == known
