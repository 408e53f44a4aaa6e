"""A person watches the real Claude Code in a real browser, and decides there what it may do."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from handrail.model.event import ApprovalDecided
from handrail.server.http.socket_client import call_daemon
from handrail.testing.model_server import Say, ToolCall
from tests.claude.supervised import SupervisedSandbox, bash
from tests.claude.test_held_refusals import PUBLISH, published, publishing
from tests.panel.browser import PATIENCE, started_browser

GOAL = "Publish version 2.1."


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE)
    with started_browser() as browser:
        yield browser


@pytest.fixture
def world(claude: Path) -> Iterator[SupervisedSandbox]:
    with publishing() as world:
        world.handrail("serve", "--background")
        yield world


@pytest.fixture
def page(world: SupervisedSandbox, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(str(call_daemon(world.state, "POST", "/panel/codes", {})["url"]))
    expect(page.get_by_role("heading", name="Runs", level=1)).to_be_visible()
    yield page
    context.close()


def run_of(page: Page) -> Locator:
    """The row of the only run."""
    return page.get_by_role("listitem").filter(has_text=GOAL)


def answer(page: Page, label: str) -> Locator:
    answers = page.get_by_role("group", name="Your answer")
    return answers.get_by_role("button").filter(has_text=label)


def test_a_person_approves_and_denies_what_the_agent_does_and_sees_what_came_of_it(
    world: SupervisedSandbox, page: Page
) -> None:
    note = str(world.repo / "CHANGES.md")
    calls = [
        ToolCall("Write", {"file_path": note, "content": "# 2.1\n"}, id="note"),
        bash(PUBLISH, "first"),
        bash(f"{PUBLISH} --tag next", "second"),
    ]
    running = world.bed.start(GOAL, [*calls, Say("Done.")], mode="bypassPermissions")

    expect(run_of(page)).to_contain_text("needs you")
    run_of(page).get_by_role("link", name="Answer").click()
    expect(page.get_by_role("article")).to_contain_text(PUBLISH)
    assert published(world) == []
    answer(page, "Approve once").click()
    expect(page.get_by_role("article")).to_contain_text("Approved by")

    page.get_by_role("link", name=re.compile("--tag next")).click()
    answer(page, "Deny").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Reason, for the agent").fill("one release is enough")
    dialog.get_by_role("button", name="Deny it").click()
    expect(page.get_by_role("article")).to_contain_text("Denied by")

    results = running.wait().tool_results()
    assert published(world) == ["publish --access public"]
    assert "one release is enough" in results["second"].text
    decided = [each.approved for each in world.events() if isinstance(each, ApprovalDecided)]
    assert decided == [True, False]

    page.get_by_role("article").get_by_role("link").first.click()
    timeline = page.get_by_role("region", name="Timeline")
    done = timeline.get_by_role("button").filter(has_text="✓")
    expect(done.filter(has_text="CHANGES.md")).to_have_count(1)
    overruled = timeline.get_by_role("button").filter(has_text="overruled by a person")
    expect(overruled).to_contain_text(PUBLISH)
    stopped = timeline.get_by_role("button").filter(has_text="✗")
    expect(stopped).to_contain_text("one release is enough")
    tokens = page.get_by_role("group", name="Charts over time").get_by_role("figure")
    expect(tokens.filter(has_text="Tokens")).to_be_visible()
    expect(page.locator("header.run-head")).to_contain_text(GOAL)
