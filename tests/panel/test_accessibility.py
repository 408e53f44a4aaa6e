"""Every page for everybody: with a screen reader, in light and dark, and on a phone."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from handrail.testing.model_server import ToolCall
from tests.panel.browser import PanelSandbox
from tests.panel.watched_run import RUN, agent_in, bash
from tests.project_settings import write_confirmed
from tests.server.fleet.saved_fleet import SavedFleet

pytestmark = pytest.mark.slow

PANEL = Path(__file__).parents[2] / "panel"
AXE = PANEL / "node_modules/axe-core/axe.min.js"
TABLE = PANEL / "src/pages/table.ts"
HELD = "approvals: {hold_refused: true, wait_seconds: 0}\n"
SERIOUS = ("serious", "critical")
PHONE = 390
RUN_AXE = "async () => (await axe.run()).violations"
OVER = """["Width", "Height"].map((size) =>
    document.documentElement[`scroll${size}`] - document.documentElement[`client${size}`])"""
"""By how much a page is wider and longer than the screen."""
PAGES = {
    "runs": "/",
    "run": f"/runs/{RUN}",
    "action": f"/runs/{RUN}?step=1",
    "checkpoints": "/checkpoints",
    "incidents": "/incidents",
    "approvals": "/approvals",
    "fleets": "/fleets",
    "pipelines": "/pipelines",
    "statistics": "/statistics",
    "settings": "/settings",
    "no such run": "/runs/none",
}
"""Each page that is looked at, beside those of a fleet and the login."""
DIALOGS = {
    "palette": ("/", ["Control+k"]),
    "keys": (f"/runs/{RUN}", ["?"]),
    "pause": (f"/runs/{RUN}", ["p"]),
    "steer": (f"/runs/{RUN}", ["s"]),
    "stop": (f"/runs/{RUN}", ["x", "Enter"]),
    "undo": (f"/runs/{RUN}?step=2", ["Undo this action"]),
    "all runs": ("/", ["a", "p"]),
    "edit": ("/approvals", ["e"]),
    "deny": ("/approvals", ["n"]),
    "always": ("/approvals", ["a"]),
    "save": ("/checkpoints", ["Save now"]),
    "rollback": ("/checkpoints", ["Roll back to this"]),
    "add a task": ("tasks", ["+"]),
    "save the fleet": ("/fleets", ["Save the fleet"]),
    "roll the fleet back": ("/fleets", ["Roll back"]),
}
"""Dialogs: the page, and what is pressed there."""


@pytest.fixture(scope="module")
def place() -> Iterator[PanelSandbox]:
    """A place where something has happened."""
    with PanelSandbox() as place:
        place.start()
        write_confirmed(place.project, HELD, place.environ)
        with agent_in(place) as agent:
            agent.do(bash("npm publish --access public"))
            cart = str(place.project / "cart.py")
            agent.do(ToolCall("Write", {"file_path": cart, "content": "total = 0\n"}))
            agent.do(bash("rm -rf / --no-preserve-root"))
            for _ in range(4):
                agent.do(bash("make checkout"))
            yield place


@pytest.fixture(scope="module")
def pages(place: PanelSandbox) -> dict[str, str]:
    """All pages, with those of a fleet that works."""
    fleet = SavedFleet(place)
    fleet.submit("cart", "docs")
    fleet.claim()
    tasks = f"/fleets/{fleet.repository.fleet}/tasks"
    return {**PAGES, "tasks": tasks, "list of tasks": f"{tasks}?view=list", "task": f"{tasks}/cart"}


def show(page: Page, place: PanelSandbox, path: str) -> None:
    """Open a page, and wait until it has loaded what it shows."""
    page.goto(place.address + path)
    expect(page.locator("#main > *")).not_to_have_count(0)
    expect(page.locator(".loading")).to_have_count(0)
    page.wait_for_load_state("load")


def serious(page: Page) -> list[str]:
    """What axe-core finds that keeps people out."""
    page.evaluate(AXE.read_text())
    found: list[dict[str, Any]] = page.evaluate(RUN_AXE)
    return [
        f"{each['id']}: {node['html'][:200]} {node['failureSummary']}"
        for each in found
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_nothing_keeps_people_out(
    place: PanelSandbox, pages: dict[str, str], browser: Browser, tmp_path: Path, dark: bool
) -> None:
    faults: dict[str, list[str]] = {}
    with place.logged_in(browser, dark=dark) as page:
        for name, path in pages.items():
            show(page, place, path)
            page.screenshot(path=tmp_path / f"{name}.png")
            if found := serious(page):
                faults[name] = found
    assert faults == {}


@pytest.mark.parametrize("width", [PHONE, 1280], ids=["phone", "desktop"])
def test_only_the_parts_of_a_page_scroll_and_nothing_is_wider_than_the_screen(
    place: PanelSandbox, pages: dict[str, str], browser: Browser, tmp_path: Path, width: int
) -> None:
    over: dict[str, list[int]] = {}
    with place.logged_in(browser, width=width) as page:
        for name, path in pages.items():
            show(page, place, path)
            page.screenshot(path=tmp_path / f"{name}.png")
            if any(by := page.evaluate(OVER)):
                over[name] = by
    assert over == {}


def press(page: Page, what: str) -> None:
    """Press a key, or the button with these words."""
    if re.fullmatch(r"Control\+\w|Enter|.", what):
        page.keyboard.press(what)
    else:
        page.get_by_role("main").get_by_role("button", name=re.compile(f"^{what}")).first.click()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_no_dialog_keeps_people_out(
    place: PanelSandbox, pages: dict[str, str], browser: Browser, tmp_path: Path, dark: bool
) -> None:
    faults: dict[str, list[str]] = {}
    with place.logged_in(browser, dark=dark) as page:
        for name, (path, pressed) in DIALOGS.items():
            show(page, place, pages.get(path, path))
            for each in pressed:
                press(page, each)
            expect(page.get_by_role("dialog")).to_be_visible()
            expect(page.locator(".loading")).to_have_count(0)
            page.screenshot(path=tmp_path / f"{name}.png")
            if found := serious(page):
                faults[name] = found
    assert faults == {}


def test_every_page_of_the_table_is_looked_at(pages: dict[str, str]) -> None:
    found = re.findall(r'path: "([^"]+)"', TABLE.read_text(encoding="utf-8"))
    seen = {path.partition("?")[0] for path in (*pages.values(), "/login")}
    unseen = [
        path
        for path in found
        if not any(re.fullmatch(re.sub(r":\w+", "[^/]+", path), each) for each in seen)
    ]
    assert found
    assert unseen == []


def test_no_page_loads_anything_from_elsewhere(
    place: PanelSandbox, pages: dict[str, str], browser: Browser
) -> None:
    asked: list[str] = []
    with place.logged_in(browser) as page:
        page.on("request", lambda request: asked.append(request.url))
        for path in pages.values():
            show(page, place, path)
    assert asked
    assert [url for url in asked if not url.startswith((f"{place.address}/", "data:"))] == []


def test_the_login_page_keeps_nobody_out(place: PanelSandbox, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{place.address}/login")
    expect(page.get_by_role("button", name="Log in")).to_be_visible()
    assert serious(page) == []
    context.close()
