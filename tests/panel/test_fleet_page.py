"""A fleet in the browser: who works on what, and a task that a person adds there."""

import json

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.panel.browser import PanelSandbox
from tests.panel.working_fleet import HOSTILE, column
from tests.server.fleet.saved_fleet import SavedFleet

pytestmark = pytest.mark.slow


@pytest.fixture
def fleet(place: PanelSandbox) -> SavedFleet:
    """A repository with two tasks: one is at work, and the other one waits for it."""
    fleet = SavedFleet(place)
    add(place, "Fix the cart", "--id", "cart")
    add(place, "Write the docs", "--id", "docs", "--depends-on", "cart")
    fleet.claim()
    return fleet


def add(place: PanelSandbox, *words: str) -> None:
    """Add a task in the terminal."""
    added = place.run("task", "add", *words)
    assert added.returncode == 0, added.stderr


def titles(place: PanelSandbox) -> dict[str, str]:
    """What `handrail task list` says: the title of each task."""
    listed = place.run("task", "list", "--json")
    assert listed.returncode == 0, listed.stderr
    return {each["id"]: each["title"] for each in json.loads(listed.stdout)}


def open_tasks(page: Page, place: PanelSandbox) -> None:
    """Go from the fleets to the tasks of the only one."""
    page.goto(f"{place.address}/fleets")
    card(page).get_by_role("link", name="Tasks").click()
    expect(column(page, "Active")).to_contain_text("Fix the cart")


def card(page: Page) -> Locator:
    """The fleet of this test."""
    return page.get_by_role("article", name="shop", exact=True)


def test_a_fleet_shows_who_works_on_what(
    page: Page, place: PanelSandbox, fleet: SavedFleet
) -> None:
    page.goto(f"{place.address}/fleets")
    slot = card(page).get_by_role("row").filter(has_text="cart")
    expect(slot).to_contain_text("attempt 1")
    expect(slot).to_contain_text("handrail/cart")
    counts = card(page).get_by_role("list", name="Tasks by state").get_by_role("listitem")
    expect(counts.filter(has_text="working")).to_contain_text("1")
    expect(counts.filter(has_text="waiting")).to_contain_text("1")
    open_tasks(page, place)
    expect(column(page, "Pending")).to_contain_text("Write the docs")
    expect(column(page, "Pending")).not_to_contain_text("Fix the cart")


def test_a_task_added_in_the_terminal_appears_without_a_reload(
    page: Page, place: PanelSandbox, fleet: SavedFleet
) -> None:
    open_tasks(page, place)
    add(place, "Paint the door", "--id", "paint")
    expect(column(page, "Pending")).to_contain_text("Paint the door")


def test_a_task_that_a_person_adds_is_one_of_the_fleet(
    page: Page, place: PanelSandbox, fleet: SavedFleet
) -> None:
    open_tasks(page, place)
    page.keyboard.press("+")
    dialog = page.get_by_role("dialog", name="Add a task")
    dialog.get_by_label("What the agent shall do").fill(HOSTILE)
    dialog.get_by_role("textbox", name="Id (").fill("image")
    dialog.get_by_role("button", name="Add it").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(column(page, "Pending")).to_contain_text(HOSTILE)
    expect(page.locator("main img")).to_have_count(0)
    assert titles(place) == {"cart": "Fix the cart", "docs": "Write the docs", "image": HOSTILE}
    assert fleet.engine.state().tasks["image"].task.prompt == HOSTILE
