"""The first look: every run with its state, live."""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import msgspec
import pytest
from playwright.sync_api import Locator, Page, expect

from handrail.drive.daemon_client import DriverReport, LoopStart
from handrail.model.control import ControlCommand
from handrail.server.http.socket_client import call_daemon
from handrail.testing.scripted_agent import ScriptedAgent
from tests.panel.browser import PanelSandbox
from tests.panel.held_calls import HELD, REFUSED
from tests.panel.watched_run import GOAL, agent_in, bash, row
from tests.project_settings import write_confirmed
from tests.run_controller import RunController

pytestmark = pytest.mark.slow


def run_id(number: int) -> str:
    return f"{number:08x}-5ce7-4f0e-9d52-2c6c5d0b3a11"


def item(page: Page, goal: str) -> Locator:
    """The row of a run."""
    return page.get_by_role("main").get_by_role("listitem").filter(has_text=goal)


def test_a_run_appears_while_one_looks(page: Page, agent: ScriptedAgent) -> None:
    expect(page.get_by_text(GOAL).first).to_be_visible()


def test_a_run_leads_to_its_timeline(page: Page, place: PanelSandbox, agent: ScriptedAgent) -> None:
    page.get_by_role("listitem").filter(has_text=GOAL).get_by_role("link").first.click()
    agent.do(bash("rm -rf / --no-preserve-root"))
    expect(row(page, "rm -rf / --no-preserve-root")).to_contain_text("✗")


def drive(place: PanelSandbox, run: str, goal: str, driver: int) -> None:
    """Begin a loop, as `handrail run` does."""
    loop = LoopStart(goal=goal, cwd=str(place.project), max=9, driver=driver)
    call_daemon(place.home, "POST", f"/runs/{run}/loop", msgspec.json.encode(loop))


def test_each_state_has_its_word_and_sign_and_what_needs_a_person_comes_first(
    page: Page, place: PanelSandbox, ann: RunController, pool: ThreadPoolExecutor
) -> None:
    write_confirmed(place.project, HELD, place.environ)
    names = ("do the work", "publish it", "mend the fixture", "write the docs")
    with ExitStack() as stack, subprocess.Popen(["sleep", "600"]) as driver:
        stack.callback(driver.kill)
        drive(place, run_id(4), "count the stars", driver.pid)
        works, asks, _, over = (
            stack.enter_context(agent_in(place, run_id(number), goal))
            for number, goal in enumerate(names)
        )
        works.do(bash("ls"))
        waits = pool.submit(asks.do, bash(REFUSED))
        ann.do(ControlCommand.PAUSE, run_id(2), reason="lunch")
        over.tell("SessionEnd", reason="other")
        expect(item(page, "count the stars")).to_contain_text("working")
        driver.kill()
        driver.wait()
        states = {
            "publish it": ("Needs you", "▲", "needs you"),
            "do the work": ("Working", "●", "working"),
            "mend the fixture": ("Paused or stopped", "‖", "paused"),
            "count the stars": ("Paused or stopped", "‖", "interrupted"),
            "write the docs": ("Done", "○", "ended"),
        }
        for goal, (section, mark, state) in states.items():
            shown = page.get_by_role("region", name=section).get_by_role("listitem")
            expect(shown.filter(has_text=goal)).to_contain_text(f"{mark}{state}")
        headings = page.get_by_role("main").get_by_role("heading", level=2)
        expect(headings).to_contain_text(["Needs you", "Working", "Paused or stopped", "Done"])
        expect(item(page, "publish it")).to_contain_text(f"asks you: Bash: {REFUSED}")
        expect(item(page, "do the work").locator(".mono")).to_have_text("ls")
        expect(item(page, "mend the fixture")).to_contain_text("“lunch”")
        expect(item(page, "count the stars")).to_contain_text("its driver is gone")
        page.get_by_role("link", name="Answer").click()
        expect(page.get_by_title("Deny … (n)")).to_be_visible()
        page.keyboard.press("n")
        page.get_by_role("dialog").get_by_role("button", name="Deny it").click()
        assert waits.result().refused


def test_a_row_tells_what_a_run_has_cost_and_how_risky_it_was(
    page: Page, place: PanelSandbox
) -> None:
    with agent_in(place, run_id(1)) as agent, subprocess.Popen(["sleep", "600"]) as driver:
        drive(place, run_id(1), GOAL, driver.pid)
        report = DriverReport(kind="usage", tokens=1200, cost_usd=0.42, seconds=9.0)
        path = f"/runs/{run_id(1)}/reports"
        call_daemon(place.home, "POST", path, msgspec.json.encode(report))
        for command in ("ls", "rm -rf / --no-preserve-root"):
            agent.do(bash(command))
        shown = item(page, GOAL)
        expect(shown).to_contain_text("$0.42")
        expect(shown).to_contain_text("1.2 k tokens")
        expect(shown).to_contain_text("1 stopped")
        expect(shown.get_by_role("img", name="Risk of the last actions")).to_be_visible()
        driver.kill()
