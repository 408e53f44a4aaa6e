"""A person controls runs from the browser: asked, acknowledged, confirmed."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from handrail.control.message import Request
from handrail.model.control import Standing
from handrail.testing.scripted_agent import ScriptedAgent
from tests.panel.browser import PanelSandbox
from tests.panel.watched_run import GOAL, RUN, agent_in, bash, open_run, row, waits_for
from tests.run_controller import RunController

pytestmark = pytest.mark.slow

OTHER = "1d2f7c33-5ce7-4f0e-9d52-2c6c5d0b3a11"
OPEN_IN_THE_NEXT_TASK = """(key) => new Promise((done) => {
    document.dispatchEvent(new KeyboardEvent("keydown", { ...key, bubbles: true }));
    const channel = new MessageChannel();
    channel.port1.onmessage = () => done(document.querySelector("dialog[open]") !== null);
    channel.port2.postMessage(0);
})"""
"""Press a key, and tell whether a dialog is open before any other key can come."""


@pytest.fixture
def page(page: Page, place: PanelSandbox, agent: ScriptedAgent) -> Page:
    """The page of the agent's run, once it knows what the run can do."""
    open_run(page, place)
    expect(page.get_by_title("Pause (p)")).to_be_visible()
    return page


def press(page: Page, label: str) -> None:
    """One of the controls, as soon as it can be used."""
    button = page.get_by_role("group", name="Controls of this run").get_by_role("button")
    wanted = button.filter(has_text=re.compile(f"^{label}$"))
    expect(wanted).not_to_have_attribute("aria-disabled", "true")
    wanted.click()


def dialog(page: Page, label: str) -> Locator:
    return page.get_by_role("dialog", name=label)


def command(page: Page) -> Locator:
    """How the last command stands."""
    return page.locator(".controls").get_by_role("status")


def test_a_pause_waits_for_the_action_under_way_and_holds_the_next_one(
    page: Page,
    place: PanelSandbox,
    agent: ScriptedAgent,
    ann: RunController,
    pool: ThreadPoolExecutor,
) -> None:
    first = pool.submit(agent.do, waits_for("go", "slow"))
    expect(row(page, "slow-began")).to_be_visible()
    press(page, "Pause")
    dialog(page, "Pause").get_by_label("Reason").fill("lunch")
    dialog(page, "Pause").get_by_role("button", name="Pause", exact=True).click()
    expect(command(page)).to_contain_text("requested→ acknowledged")
    expect(command(page)).not_to_contain_text("confirmed")
    (place.project / "go").touch()
    assert first.result().ok
    expect(command(page)).to_contain_text("✓ confirmed")
    expect(page.locator("header.run-head")).to_contain_text("“lunch”")
    held = pool.submit(agent.do, bash("touch made", "made"))
    ann.when_held(RUN, "made")
    assert not (place.project / "made").exists()
    press(page, "Resume")
    assert held.result().ok
    expect(command(page)).to_contain_text("✓ confirmed")


def test_what_a_person_says_reaches_the_agent_with_its_next_step(
    page: Page, agent: ScriptedAgent
) -> None:
    page.keyboard.press("s")
    dialog(page, "Steer").get_by_label("Tell the agent").fill("Look into prices.py first.")
    page.keyboard.press("Control+Enter")
    expect(command(page)).to_contain_text("acknowledged")
    done = agent.do(bash("ls"))
    assert "Look into prices.py first." in f"{done.reply}{done.after}"
    expect(command(page)).to_contain_text("✓ confirmed")


def test_a_stop_takes_a_second_step_and_what_it_cannot_end_is_said(
    page: Page, ann: RunController
) -> None:
    press(page, "Stop")
    stop = dialog(page, "Stop")
    stop.get_by_role("button", name="Stop", exact=True).click()
    expect(stop.get_by_role("alert")).to_contain_text("Are you sure?")
    assert ann.messages() == []
    stop.get_by_role("button", name="Yes: Stop").click()
    # A scripted agent lives in the process of this test: Handrail knows none to end.
    expect(command(page)).to_contain_text("✗ refused")
    expect(command(page)).to_contain_text("end the agent in its window")
    assert [each.command for each in ann.messages() if isinstance(each, Request)] == ["stop"]


def test_a_dialog_that_is_left_sends_nothing(page: Page, ann: RunController) -> None:
    press(page, "Stop")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert ann.messages() == []


def test_what_cannot_be_done_now_says_why(page: Page, ann: RunController) -> None:
    resume = page.get_by_role("button", name="Resume")
    expect(resume).to_be_disabled()
    expect(resume).to_have_attribute("title", re.compile("there is nothing to resume"))
    expect(resume).to_have_accessible_name("Resume")
    expect(resume).to_have_accessible_description(re.compile("there is nothing to resume"))
    page.keyboard.press("r")
    resume.click(force=True)
    expect(page.get_by_text("there is nothing to resume")).to_be_visible()
    assert ann.messages() == []


def test_a_key_that_is_pressed_before_the_run_is_read_counts_afterwards(page: Page) -> None:
    slow: list[Route] = []

    def hold(route: Route) -> None:
        slow.append(route)

    page.route(re.compile(f"/api/v1/runs/{RUN}$"), hold)
    page.reload()
    expect(page.get_by_title("The run is still being read.").first).to_be_visible()
    page.keyboard.press("p")
    expect(page.get_by_role("dialog")).to_have_count(0)
    for each in slow:
        each.continue_()
    expect(dialog(page, "Pause")).to_be_visible()


@pytest.mark.parametrize(
    ("key", "control"), [("k", True), ("p", False), ("x", False), ("?", False)]
)
def test_what_is_typed_after_a_key_that_opens_a_dialog_never_reaches_the_page(
    page: Page, key: str, control: bool
) -> None:
    assert page.evaluate(OPEN_IN_THE_NEXT_TASK, {"key": key, "ctrlKey": control})
    expect(page.get_by_role("dialog")).to_have_count(1)


def test_the_palette_finds_commands_and_runs(page: Page) -> None:
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Commands and runs")
    page.keyboard.type("pause")
    expect(palette.get_by_role("option").first).to_contain_text("Pause")
    page.keyboard.press("Enter")
    expect(dialog(page, "Pause")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.keyboard.type("all runs")
    expect(palette.get_by_role("option").filter(has_text="Stop all runs")).to_be_visible()


def test_all_runs_are_paused_and_resumed_at_once(
    page: Page, place: PanelSandbox, ann: RunController
) -> None:
    with agent_in(place, OTHER, "write the docs"):
        page.goto(place.address)
        for goal in (GOAL, "write the docs"):
            expect(page.get_by_role("listitem").filter(has_text=goal).first).to_be_visible()
        for keys, label, standing in (
            (("a", "p"), "Pause all runs", Standing.PAUSED),
            (("a", "r"), "Resume all runs", Standing.RUNNING),
        ):
            for key in keys:
                page.keyboard.press(key)
            asked = dialog(page, label)
            asked.get_by_role("button", name=label).click()
            expect(asked.get_by_role("status")).to_contain_text("2 of 2 runs confirmed.")
            assert {ann.state(run).hand.standing for run in (RUN, OTHER)} == {standing}
            page.keyboard.press("Escape")
