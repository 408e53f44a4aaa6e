"""The daemon dies while somebody looks, two people look at once, and one may only read."""

import pytest
from playwright.sync_api import Browser, Page, expect

from handrail.testing.scripted_agent import ScriptedAgent
from tests.panel.browser import PanelSandbox
from tests.panel.watched_run import GOAL, RUN, agent_in, bash, open_run, row
from tests.run_controller import RunController

pytestmark = pytest.mark.slow

READ_ONLY = "You may only read here."
DEAD = "Handrail's daemon does not answer."
POST_A_PAUSE = """async (path) => {
    const key = localStorage.getItem("handrail.key");
    const answer = await fetch(path, {
        method: "POST",
        headers: {"Content-Type": "application/json", "Handrail-Key": key},
        body: JSON.stringify({command: "pause"}),
    });
    return [key.length > 0, answer.status, (await answer.json()).detail];
}"""


def test_a_dead_daemon_is_said_and_the_page_heals_without_a_reload(
    page: Page, place: PanelSandbox
) -> None:
    with agent_in(place) as agent:
        agent.do(bash("echo before"))
    open_run(page, place)
    expect(row(page, "echo before")).to_be_visible()
    page.evaluate("window.notReloaded = true")
    place.kill()
    expect(page.get_by_text(DEAD)).to_be_visible()
    place.start()
    expect(page.get_by_text(DEAD)).to_have_count(0)
    with agent_in(place, prompt="go on") as agent:
        agent.do(bash("echo after"))
        expect(row(page, "echo after")).to_be_visible()
    expect(row(page, "echo before")).to_have_count(1)
    assert page.evaluate("window.notReloaded") is True


def test_two_browsers_see_the_same(
    page: Page, place: PanelSandbox, browser: Browser, agent: ScriptedAgent
) -> None:
    with place.logged_in(browser) as other:
        for each in (page, other):
            open_run(each, place)
            expect(each.get_by_title("Pause (p)")).to_be_visible()
        other.keyboard.press("p")
        other.get_by_role("dialog").get_by_role("button", name="Pause", exact=True).click()
        for each in (page, other):
            expect(each.locator("header.run-head")).to_contain_text("paused")
            expect(each.get_by_title("Resume (r)")).to_be_visible()


def test_who_may_only_read_changes_nothing(
    place: PanelSandbox, browser: Browser, agent: ScriptedAgent, ann: RunController
) -> None:
    agent.do(bash("echo one"))
    with place.logged_in(browser, read_only=True) as page:
        expect(page.get_by_text(GOAL).first).to_be_visible()
        expect(page.get_by_text("read only", exact=True)).to_be_visible()
        open_run(page, place)
        controls = page.get_by_role("group", name="Controls of this run")
        for label in ("Pause", "Resume", "Steer", "Stop"):
            expect(controls.get_by_role("button", name=label).first).to_be_disabled()
        expect(controls.get_by_title(READ_ONLY)).not_to_have_count(0)
        page.keyboard.press("p")
        expect(page.get_by_role("dialog")).to_have_count(0)
        has_key, status, says = page.evaluate(POST_A_PAUSE, f"/api/v1/runs/{RUN}/commands")
        assert (has_key, status) == (True, 403)
        assert "read" in says
    assert ann.messages() == []
