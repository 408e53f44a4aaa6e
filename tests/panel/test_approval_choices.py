"""The other answers of a person: another command, a rule for good, and no answer in time."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from handrail.testing.scripted_agent import ScriptedAgent
from tests.panel.browser import PanelSandbox
from tests.panel.held_calls import (
    HELD,
    REFUSED,
    SOON_OVER,
    answer,
    answers,
    asks,
    decided,
    hold_refusals,
    published,
    question,
)
from tests.panel.watched_run import RUN, agent_in, bash
from tests.project_settings import write_confirmed
from tests.run_controller import RunController

pytestmark = pytest.mark.slow

DRY = "npm publish --dry-run"
HOPELESS = "rm -rf ~"
"""Nobody can approve it."""
NOBODY_WAITS = "approvals: {hold_refused: true, wait_seconds: 0}\n"
"""The agent goes on, while its question stays open."""
OTHER = "1d2f7c33-5ce7-4f0e-9d52-2c6c5d0b3a11"


@pytest.fixture
def place(place: PanelSandbox) -> PanelSandbox:
    """A project whose refusals wait for a person, and a registry of its own."""
    hold_refusals(place)
    return place


@pytest.fixture
def elsewhere(place: PanelSandbox) -> Iterator[ScriptedAgent]:
    """An agent in another project of the same person, where refusals wait, too."""
    folder = place.root / "home" / "library"
    (folder / ".git").mkdir(parents=True)
    write_confirmed(folder, HELD, place.environ)
    with agent_in(place, OTHER, "publish the library", folder) as agent:
        yield agent


def edit(page: Page, text: str) -> Locator:
    """Write another command, and have it reviewed; the dialog."""
    dialog = page.get_by_role("dialog", name="Edit")
    dialog.get_by_role("textbox", name="command").fill(text)
    dialog.get_by_role("button", name="Review it").click()
    return dialog


def verdict(dialog: Locator) -> Locator:
    """What the review of an edit says."""
    return dialog.get_by_role("region", name="The review of the edited command")


def test_the_agent_runs_exactly_the_command_that_a_person_wrote(
    page: Page,
    place: PanelSandbox,
    agent: ScriptedAgent,
    ann: RunController,
    pool: ThreadPoolExecutor,
) -> None:
    held = asks(page, place, pool, agent, REFUSED)
    answer(page, "Edit").click()
    dialog = edit(page, DRY)
    expect(verdict(dialog)).to_contain_text("✓ It can run.")
    assert (decided(ann), held.done(), published(place.project)) == ([], False, [])
    dialog.get_by_role("button", name="Approve the edited one, once").click()
    expect(question(page)).to_contain_text("✓ Approved by")
    expect(question(page)).to_contain_text(DRY)
    assert held.result().input == {"command": DRY}
    assert published(place.project) == ["publish --dry-run"]
    (given,) = decided(ann)
    assert given.edited == {"command": DRY}


def test_an_edit_is_reviewed_again_whenever_its_text_changes(
    page: Page, place: PanelSandbox, agent: ScriptedAgent, pool: ThreadPoolExecutor
) -> None:
    held = asks(page, place, pool, agent, REFUSED)
    page.keyboard.press("e")
    dialog = edit(page, DRY)
    expect(verdict(dialog)).to_be_visible()
    dialog.get_by_role("textbox", name="command").fill(f"{DRY} --tag next")
    expect(verdict(dialog)).to_have_count(0)
    expect(dialog.get_by_role("button", name="Review it")).to_be_enabled()
    expect(dialog.get_by_role("button", name="Approve the edited one")).to_have_count(0)
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.get_by_role("dialog").get_by_role("button", name="Deny it").click()
    assert held.result().refused


def test_an_edit_that_nobody_can_approve_says_why_and_runs_nothing(
    page: Page,
    place: PanelSandbox,
    agent: ScriptedAgent,
    ann: RunController,
    pool: ThreadPoolExecutor,
) -> None:
    precious = place.root / "home" / "precious.txt"
    precious.write_text("the only copy\n")
    held = asks(page, place, pool, agent, REFUSED)
    answer(page, "Edit").click()
    dialog = edit(page, HOPELESS)
    expect(verdict(dialog)).to_contain_text("✗ It cannot be approved.")
    expect(verdict(dialog)).to_contain_text("home folder")
    expect(dialog.get_by_role("button", name="Review it")).to_be_disabled()
    expect(dialog.get_by_role("button", name="Approve the edited one")).to_have_count(0)
    assert (decided(ann), held.done()) == ([], False)
    page.keyboard.press("Escape")
    answer(page, "Deny").click()
    page.get_by_role("dialog").get_by_role("button", name="Deny it").click()
    assert held.result().refused
    assert precious.exists()
    assert published(place.project) == []


def test_always_shows_its_rule_writes_it_and_asks_no_more_in_this_project(
    page: Page,
    place: PanelSandbox,
    agent: ScriptedAgent,
    elsewhere: ScriptedAgent,
    ann: RunController,
    pool: ThreadPoolExecutor,
) -> None:
    file = place.root / "home" / ".config" / "handrail" / "handrail.yaml"
    rule = f'- {{project: "{place.project}", tool: "Bash", command: "{REFUSED}"}}'
    before = settings_of(file)
    held = asks(page, place, pool, agent, REFUSED)
    answer(page, "Always").click()
    dialog = page.get_by_role("dialog", name="Always in this project")
    expect(dialog).to_contain_text(rule)
    expect(dialog).to_contain_text(str(file))
    assert (settings_of(file), decided(ann), held.done()) == (before, [], False)
    dialog.get_by_role("button", name="Yes, write the rule and approve").click()
    assert held.result().ok
    assert rule in file.read_text()
    assert agent.do(bash(REFUSED)).ok
    assert published(place.project) == ["publish --access public"] * 2
    assert len(decided(ann)) == 1
    other = asks(page, place, pool, elsewhere, REFUSED)
    assert not other.done()
    answer(page, "Deny").click()
    page.get_by_role("dialog").get_by_role("button", name="Deny it").click()
    assert other.result().refused
    assert published(Path(elsewhere.folder)) == []


def settings_of(file: Path) -> str:
    """What is in the user's own file; nothing without one."""
    return file.read_text() if file.exists() else ""


def test_the_number_in_the_navigation_counts_questions_and_not_runs(
    page: Page, place: PanelSandbox, ann: RunController
) -> None:
    write_confirmed(place.project, NOBODY_WAITS, place.environ)
    page.goto(f"{place.address}/approvals")
    with agent_in(place) as agent:
        for number, command in enumerate((REFUSED, f"{REFUSED} --tag next"), start=1):
            assert agent.do(bash(command)).refused
            expect(badge(page)).to_have_text(str(number))
    expect(page.get_by_role("status").filter(has_text="2 waiting")).to_be_attached()
    *_, newest = ann.state(RUN).approvals.kept.values()
    done = place.run("deny", newest.id)
    assert done.returncode == 0, done.stderr
    expect(badge(page)).to_have_text("1")
    expect(page.get_by_role("status").filter(has_text="1 waiting")).to_be_attached()


def badge(page: Page) -> Locator:
    """How many things wait on the page of the approvals."""
    pages = page.get_by_role("navigation", name="Pages")
    return pages.get_by_role("link", name="Approvals").locator(".badge")


def test_a_question_that_expires_while_it_is_read_is_closed_at_once(
    page: Page, place: PanelSandbox, ann: RunController
) -> None:
    write_confirmed(place.project, SOON_OVER.replace("0.01", "0.1"), place.environ)
    with agent_in(place) as agent:
        page.goto(f"{place.address}/approvals")
        assert agent.do(bash(REFUSED)).refused
        answer(page, "Deny").click()
        dialog = page.get_by_role("dialog", name="Deny")
        expect(question(page)).to_contain_text("Expired: nobody answered in time.")
        dialog.get_by_role("button", name="Deny it").click()
        expect(dialog.get_by_role("alert")).to_contain_text("expired")
        page.keyboard.press("Escape")
        expect(answers(page)).to_have_count(0)
        page.keyboard.press("y")
        expect(page.get_by_role("dialog")).to_have_count(0)
    assert decided(ann) == []
