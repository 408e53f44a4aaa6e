"""A whole fleet is saved, taken back and brought back in the browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.panel.browser import PanelSandbox
from tests.panel.working_fleet import WorkingFleet

pytestmark = pytest.mark.slow


@pytest.fixture
def fleet(page: Page, place: PanelSandbox) -> Iterator[WorkingFleet]:
    """A fleet of three tasks: one was done before it was saved, one since, and one is at work."""
    fleet = WorkingFleet(place)
    fleet.submit("api", "cart", "docs")
    fleet.do("api.txt")
    save(page, place, "before-night")
    (fleet.tree / "notes.md").write_text("since\n")
    fleet.do("cart.txt")
    with fleet.work() as agent:
        (Path(agent.folder) / "half.md").write_text("half of it\n")
        yield fleet


def save(page: Page, place: PanelSandbox, name: str) -> None:
    """Make a named checkpoint of the fleet on its page."""
    page.goto(f"{place.address}/fleets")
    page.get_by_role("button", name="Save the fleet").click()
    dialog = page.get_by_role("dialog", name="Save the files now")
    dialog.get_by_label("Name").fill(name)
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)


def choose_rollback(page: Page) -> Locator:
    """Go to what a rollback to the named checkpoint would do."""
    page.get_by_role("button", name="Roll back …").click()
    choice = page.get_by_role("dialog", name="Roll the fleet back")
    names = choice.get_by_label("To the checkpoint").locator("option")
    wanted = names.filter(has_text="before-night").get_attribute("value")
    choice.get_by_label("To the checkpoint").select_option(wanted)
    choice.get_by_role("button", name="Show what it would do").click()
    return page.get_by_role("dialog", name="Roll back to before-night")


def lost(dialog: Locator, title: str) -> Locator:
    """What a preview says about one sort of things."""
    return dialog.locator("section").filter(has=dialog.page.get_by_text(title))


def confirm(dialog: Locator, label: str) -> None:
    """Take both steps."""
    dialog.get_by_role("button", name=label).click()
    expect(dialog.get_by_role("alert")).to_contain_text("Go on?")
    dialog.get_by_role("button", name=f"Yes: {label}").click()
    expect(dialog.get_by_role("button", name="Close")).to_be_visible()


def test_before_a_rollback_everything_that_goes_is_named_and_nothing_changes(
    page: Page, fleet: WorkingFleet
) -> None:
    before = fleet.statuses()
    merged = fleet.place.run("merge", "cart", "--yes", "--keep")
    assert merged.returncode == 0, merged.stderr
    dialog = choose_rollback(page)
    expect(lost(dialog, "Tasks in progress")).to_contain_text("docs")
    expect(lost(dialog, "Tasks completed since")).to_contain_text("cart")
    expect(lost(dialog, "Tasks completed since")).not_to_contain_text("api")
    expect(lost(dialog, "Commits that are lost")).to_contain_text("work on cart")
    expect(lost(dialog, "Merges that are taken back")).to_contain_text("cart from main")
    files = dialog.get_by_role("group").filter(has_text="are deleted")
    expect(files).to_contain_text("notes.md")
    expect(files).to_contain_text("cart.txt")
    expect(dialog).to_contain_text("with 1 uncommitted file: half.md")
    dialog.get_by_role("button", name="Roll back to").click()
    dialog.get_by_role("button", name="Leave it").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert fleet.statuses() == before
    assert (fleet.tree / "notes.md").exists()


def test_a_rollback_takes_the_fleet_back_and_one_redo_brings_it_back(
    page: Page, fleet: WorkingFleet
) -> None:
    confirm(choose_rollback(page), "Roll back to")
    assert fleet.statuses() == {"api": "done", "cart": "pending", "docs": "pending"}
    assert not (fleet.tree / "notes.md").exists()
    counts = page.get_by_role("list", name="Tasks by state").get_by_role("listitem")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Take this back").click()
    redo = page.get_by_role("dialog", name="Redo")
    expect(redo).to_contain_text("notes.md")
    confirm(redo, "Redo")
    assert fleet.statuses()["cart"] == "done"
    assert (fleet.tree / "notes.md").read_text() == "since\n"
    assert (Path(fleet.workspaces.of_task("docs")[0].path) / "half.md").exists()
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    expect(counts.filter(has_text="done")).to_contain_text("2")


def test_a_redo_can_be_asked_for_later_and_only_once(page: Page, fleet: WorkingFleet) -> None:
    confirm(choose_rollback(page), "Roll back to")
    page.reload()
    page.get_by_role("button", name="Roll back …").click()
    page.get_by_role("dialog").get_by_role("button", name="Redo …").click()
    confirm(page.get_by_role("dialog", name="Redo"), "Redo")
    assert fleet.statuses()["cart"] == "done"
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Roll back …").click()
    page.get_by_role("dialog").get_by_role("button", name="Redo …").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text(
        "no rollback that could be taken back"
    )


def test_a_redo_is_taken_back_too(page: Page, fleet: WorkingFleet) -> None:
    confirm(choose_rollback(page), "Roll back to")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Take this back").click()
    confirm(page.get_by_role("dialog", name="Redo"), "Redo")
    dialog.get_by_role("button", name="Take this back").click()
    confirm(page.get_by_role("dialog", name="Take the redo back"), "Take the redo back")
    assert fleet.statuses()["cart"] == "pending"
    assert not (fleet.tree / "notes.md").exists()


def test_a_fleet_that_went_on_meanwhile_is_shown_again_before_it_goes_back(
    page: Page, fleet: WorkingFleet
) -> None:
    dialog = choose_rollback(page)
    expect(lost(dialog, "Tasks completed since")).to_be_visible()
    fleet.add("more")
    dialog.get_by_role("button", name="Roll back to").click()
    dialog.get_by_role("button", name="Yes: Roll back to").click()
    expect(dialog.get_by_role("alert")).to_contain_text("look again")
    expect(dialog).to_contain_text("added since; they stay and wait for you: more")
    assert fleet.statuses()["cart"] == "done"
