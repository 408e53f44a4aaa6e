"""A desktop run: the last pictures of its screen, and each look in full."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Page, expect

from handrail import Supervisor
from handrail.model.desktop import (
    DESKTOP_INPUT,
    DESKTOP_LOOK,
    CheckOutcome,
    DesktopCheck,
    RecoveryStep,
    ScreenStatus,
)
from tests.panel.browser import PanelSandbox
from tests.panel.test_accessibility import OVER, PHONE, serious

pytestmark = pytest.mark.slow

SAVE = '"Save changes to cart.py?" blocks the editor'
FINE = DesktopCheck(ScreenStatus.NORMAL, CheckOutcome.NORMAL, 0.99, source="local", ms=120.0)
RECOVERED = DesktopCheck(
    ScreenStatus.DIALOG,
    CheckOutcome.RECOVERED,
    0.97,
    SAVE,
    "local",
    "cart.py",
    "cart.py",
    "dialog:Save",
    attempt=1,
    steps=(RecoveryStep("press Escape"),),
    context="operation 4 of 9",
    ms=812.0,
)


class WatchedDesktop:
    """A desktop run with pictures in the daemon's state folder."""

    def __init__(self, place: PanelSandbox) -> None:
        self.place = place
        self.folder = Path(place.home.path) / "desktop"
        self.folder.mkdir(mode=0o700)
        self.supervisor = Supervisor(
            goal="replay the session of cart.py",
            folder=place.project,
            daemon=True,
            environ=place.environ,
        )

    def looks(self, check: DesktopCheck, *pictures: str) -> None:
        """One look, with its pictures and the keys of its recovery."""
        look = self.supervisor.before(DESKTOP_LOOK, {"target": "cart.py - Editor"})
        for step in check.steps:
            pressed = self.supervisor.before(
                DESKTOP_INPUT, {"do": step.action, "window": "Save changes?"}
            )
            self.supervisor.after(pressed)
        self.supervisor.desktop_checked(_with_pictures(check, pictures))
        self.supervisor.after(look)

    def draw(self, name: str, text: str) -> str:
        """A small picture of a screen."""
        picture = Image.new("RGB", (480, 270), (30, 34, 40))
        draw = ImageDraw.Draw(picture)
        draw.rectangle((120, 90, 360, 180), fill=(230, 230, 230))
        draw.text((140, 120), text, fill=(20, 20, 20))
        data = BytesIO()
        picture.save(data, "JPEG", quality=85)
        (self.folder / name).write_bytes(data.getvalue())
        return name

    def open(self, page: Page) -> None:
        page.goto(f"{self.place.address}/runs/{self.supervisor.run}")
        expect(page.get_by_role("heading", level=1)).to_contain_text("shop-")


def _with_pictures(check: DesktopCheck, pictures: tuple[str, ...]) -> DesktopCheck:
    first, after = (*pictures, "", "")[:2]
    return DesktopCheck(
        **{
            **{name: getattr(check, name) for name in check.__struct_fields__},
            "screenshot": first,
            "after": after,
        }
    )


@pytest.fixture
def desktop(place: PanelSandbox) -> Iterator[WatchedDesktop]:
    made = WatchedDesktop(place)
    made.looks(FINE, made.draw("20261116T020400.000000Z-001.jpg", "cart.py"))
    made.looks(
        RECOVERED,
        made.draw("20261116T021400.000000Z-001.jpg", "Save changes to cart.py?"),
        made.draw("20261116T021402.000000Z-001.jpg", "cart.py again"),
    )
    yield made
    made.supervisor.close()


def test_the_last_pictures_are_shown_and_one_opens_in_full(
    page: Page, desktop: WatchedDesktop
) -> None:
    desktop.open(page)
    strip = page.get_by_role("region", name="Last screenshots")
    expect(strip.get_by_role("img")).to_have_count(3)
    blocked = strip.get_by_role("img", name=SAVE)
    expect(blocked).to_have_js_property("naturalWidth", 480)
    blocked.click()
    look = page.get_by_role("dialog", name="Look 2")
    expect(look.get_by_role("img")).to_have_count(2)
    for said in ("before the recovery", "pressed Escape", "gone at the next look", "operation 4"):
        expect(look).to_contain_text(said)
    look.get_by_role("button", name="Look before").click()
    first = page.get_by_role("dialog", name="Look 1")
    expect(first).to_contain_text("sees nothing in the way 0.99")
    expect(first.get_by_role("button", name="Look before")).to_be_disabled()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page).to_have_url(f"{desktop.place.address}/runs/{desktop.supervisor.run}")


def test_a_look_is_one_row_that_appears_while_somebody_watches(
    page: Page, desktop: WatchedDesktop
) -> None:
    desktop.open(page)
    rows = page.get_by_role("region", name="Timeline").get_by_role("listitem")
    blocked = rows.filter(has_text=SAVE)
    expect(blocked).to_have_count(1)
    expect(rows.filter(has_text="DesktopLook")).to_have_count(0)
    expect(page.get_by_text("watching", exact=True).first).to_be_visible()
    desktop.looks(FINE, desktop.draw("20261116T022400.000000Z-001.jpg", "new"))
    expect(rows.filter(has_text="sees nothing in the way")).to_have_count(2)
    strip = page.get_by_role("region", name="Last screenshots")
    expect(strip.get_by_role("img")).to_have_count(4)
    blocked.get_by_role("button").click()
    expect(page.get_by_role("dialog", name="Look 2")).to_be_visible()


def test_a_picture_that_is_gone_says_so(page: Page, desktop: WatchedDesktop) -> None:
    desktop.looks(FINE, "20261116T022400.000000Z-001.jpg")
    desktop.open(page)
    strip = page.get_by_role("region", name="Last screenshots")
    expect(strip.get_by_text("This picture was removed.")).to_be_visible()


def test_who_may_only_read_sees_the_words_and_no_picture(
    browser: Browser, desktop: WatchedDesktop
) -> None:
    with desktop.place.logged_in(browser, read_only=True) as page:
        desktop.open(page)
        strip = page.get_by_role("region", name="Last screenshots")
        expect(strip).to_contain_text("You may only read here")
        expect(strip.get_by_role("img")).to_have_count(0)
        answer = page.request.get(
            f"{desktop.place.address}/api/v1/runs/{desktop.supervisor.run}"
            "/screenshots/20261116T020400.000000Z-001.jpg"
        )
        assert answer.status == 403


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [PHONE, 1280])
def test_everybody_can_use_it(
    browser: Browser, desktop: WatchedDesktop, width: int, *, dark: bool
) -> None:
    with desktop.place.logged_in(browser, width=width, dark=dark) as page:
        desktop.open(page)
        expect(page.get_by_role("region", name="Last screenshots")).to_be_visible()
        assert serious(page) == []
        assert page.evaluate(OVER) == [0, 0]
        page.get_by_role("img", name=SAVE).click()
        expect(page.get_by_role("dialog", name="Look 2")).to_be_visible()
        assert serious(page) == []
        assert page.evaluate(OVER) == [0, 0]
