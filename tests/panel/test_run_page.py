"""One run: what it did, why each action was decided so, and what went wrong."""

import msgspec
import pytest
from playwright.sync_api import Locator, Page, expect

from handrail.drive.daemon_client import DriverReport, LoopStart
from handrail.model.event import FeedbackGiven
from handrail.server.http.socket_client import call_daemon
from handrail.testing.model_server import ToolCall
from handrail.testing.scripted_agent import ScriptedAgent
from tests.panel.browser import PanelSandbox
from tests.panel.watched_run import GOAL, RUN, action, bash, open_run, row, timeline
from tests.run_controller import RunController

pytestmark = pytest.mark.slow


def git(place: PanelSandbox, *words: str) -> None:
    person = ("-c", "user.name=Me", "-c", "user.email=me@example.invalid")
    ran = place.execute(["git", *person, *words])
    assert ran.returncode == 0, ran.stderr


@pytest.fixture
def place(place: PanelSandbox) -> PanelSandbox:
    """A repository with one commit."""
    (place.project / "cart.py").write_text("total = 0\n")
    git(place, "init", "-q", "-b", "main")
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "start")
    return place


def test_actions_appear_with_what_was_decided_about_them(
    page: Page, place: PanelSandbox, agent: ScriptedAgent
) -> None:
    open_run(page, place)
    agent.do(bash("ls"))
    expect(row(page, "ls")).to_be_visible()
    assert agent.do(bash("rm -rf / --no-preserve-root")).refused
    row(page, "rm -rf").click()
    chosen = action(page, 2)
    expect(chosen).to_contain_text("✗ stopped")
    expect(chosen.get_by_role("heading", name="Why")).to_be_visible()
    page.get_by_role("button", name="Show action 2").click()
    expect(chosen).to_be_visible()


def test_an_edit_shows_its_difference_and_is_undone_from_there(
    page: Page, place: PanelSandbox, agent: ScriptedAgent
) -> None:
    cart = place.project / "cart.py"
    edit = {"file_path": str(cart), "old_string": "total = 0", "new_string": "total = 1"}
    assert agent.do(ToolCall("Edit", edit, id="edit")).ok
    agent.tell("Stop")
    open_run(page, place)
    row(page, "cart.py").click()
    chosen = action(page, 1)
    expect(chosen).to_contain_text("total = 0")
    expect(chosen).to_contain_text("total = 1")
    chosen.get_by_role("button", name="Undo this action").click()
    dialog = page.get_by_role("dialog", name="Undo action 1")
    expect(dialog).to_contain_text("cart.py")
    dialog.get_by_role("button", name="Undo action 1").click()
    assert cart.read_text() == "total = 1\n"
    dialog.get_by_role("button", name="Yes: Undo action 1").click()
    expect(dialog.get_by_role("button", name="Take this back")).to_be_visible()
    assert cart.read_text() == "total = 0\n"


def test_output_is_shown_on_demand_in_its_colours(
    page: Page, place: PanelSandbox, agent: ScriptedAgent
) -> None:
    agent.do(bash("printf '\\033[31mred\\033[0m <b>alert</b>\\n'"))
    open_run(page, place)
    row(page, "printf").click()
    chosen = action(page, 1)
    shown = chosen.get_by_text("<b>alert</b>").last
    chosen.get_by_role("button", name="Show the output").click()
    expect(shown).to_be_visible()
    expect(chosen).not_to_contain_text("[31mred <b>")


def fail_again_and_again(agent: ScriptedAgent) -> None:
    """Until Handrail has intervened, and has seen that it did not help."""
    for _ in range(5):
        agent.do(bash("make checkout"))


def finding(page: Page, says: str) -> Locator:
    findings = page.get_by_role("region", name="About this run").locator("li.finding")
    return findings.filter(has_text=says).last


def test_a_finding_leads_to_its_evidence_and_says_what_was_done(
    page: Page, place: PanelSandbox, agent: ScriptedAgent
) -> None:
    open_run(page, place)
    fail_again_and_again(agent)
    found = finding(page, "↳")
    expect(found).to_contain_text("did not help")
    evidence = found.locator("button.step-link").first
    step = int(evidence.inner_text())
    evidence.click()
    expect(action(page, step)).to_contain_text("make checkout")


def test_what_the_agent_was_told_is_shown_without_its_markup(
    page: Page, place: PanelSandbox, agent: ScriptedAgent
) -> None:
    fail_again_and_again(agent)
    open_run(page, place)
    told = finding(page, "↳").locator("blockquote")
    expect(told.locator("code").first).to_have_text("make checkout")
    expect(told).not_to_contain_text("`")
    sent = timeline(page).get_by_role("listitem").filter(has_text="guidance sent").last
    expect(sent.locator("code").first).to_have_text("make checkout")


def test_a_chart_without_values_takes_no_room(
    page: Page, place: PanelSandbox, agent: ScriptedAgent
) -> None:
    agent.do(bash("ls"))
    open_run(page, place)
    charts = page.get_by_role("group", name="Charts over time").get_by_role("figure")
    expect(charts).to_have_count(1)
    expect(charts).to_contain_text("Risk")


def test_tokens_cost_and_memory_of_a_driven_run_are_drawn_over_time(
    page: Page, place: PanelSandbox, agent: ScriptedAgent
) -> None:
    loop = LoopStart(goal=GOAL, cwd=str(place.project), max=9)
    call_daemon(place.home, "POST", f"/runs/{RUN}/loop", msgspec.json.encode(loop))
    open_run(page, place)
    charts = page.get_by_role("group", name="Charts over time").get_by_role("figure")
    for tokens, cost, memory in ((1_000, 0.12, 210.0), (2_500, 0.42, 412.0)):
        agent.do(bash("ls"))
        used = DriverReport(kind="usage", tokens=tokens, cost_usd=cost, memory_mb=memory)
        call_daemon(place.home, "POST", f"/runs/{RUN}/reports", msgspec.json.encode(used))
        for title, value in (("Tokens", f"{tokens / 1000:.1f} k"), ("Cost", f"${cost:.2f}")):
            expect(charts.filter(has_text=title)).to_contain_text(value)
        expect(charts.filter(has_text="Memory")).to_contain_text(f"{memory:.0f} MB")
    expect(charts.locator("canvas")).to_have_count(4)


def test_a_person_says_that_a_finding_was_wrong(
    page: Page, place: PanelSandbox, agent: ScriptedAgent, ann: RunController
) -> None:
    fail_again_and_again(agent)
    open_run(page, place)
    asked = finding(page, "make").get_by_role("group", name="Was this finding right?")
    asked.get_by_role("button", name="Wrong").click()
    expect(asked.get_by_role("button", name="Wrong")).to_have_attribute("aria-pressed", "true")
    (given,) = [each for each in ann.events(RUN) if isinstance(each, FeedbackGiven)]
    assert not given.right
    page.reload()
    expect(asked.get_by_role("button", name="Wrong")).to_have_attribute("aria-pressed", "true")


def test_the_keyboard_walks_through_the_timeline(
    page: Page, place: PanelSandbox, agent: ScriptedAgent
) -> None:
    for name in ("one", "two", "three"):
        agent.do(bash(f"echo {name}"))
    open_run(page, place)
    expect(row(page, "echo three")).to_be_visible()
    for key, step in (("j", 1), ("j", 2), ("k", 1), ("G", 3), ("ArrowUp", 2)):
        page.keyboard.press(key)
        expect(action(page, step)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("region", name="About this run")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("Next action")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(timeline(page)).to_have_count(0)
