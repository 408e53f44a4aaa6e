"""A fleet is paused and resumed from the browser; only a fleet waits for the end of iterations."""

import re

import pytest
from playwright.sync_api import Page, expect

from handrail.control.message import Request
from handrail.model.control import ControlCommand, Standing
from handrail.testing.scripted_agent import ScriptedAgent
from tests.panel.browser import PanelSandbox
from tests.panel.test_controls import command, dialog, press
from tests.panel.watched_run import RUN, open_run
from tests.panel.working_fleet import FLEET_RUN, WorkingFleet
from tests.run_controller import RunController

pytestmark = pytest.mark.slow

NO_AGENT = re.compile("stands for a fleet; choose the run of a task")


@pytest.fixture
def fleet(place: PanelSandbox) -> WorkingFleet:
    """A fleet that has begun, with nobody at work yet."""
    fleet = WorkingFleet(place)
    fleet.begin()
    return fleet


def last_request(ann: RunController) -> Request:
    return [each for each in ann.messages() if isinstance(each, Request)][-1]


def test_a_run_of_its_own_pauses_before_its_next_action_and_is_not_asked_when(
    page: Page, place: PanelSandbox, agent: ScriptedAgent, ann: RunController
) -> None:
    open_run(page, place)
    press(page, "Pause")
    asked = dialog(page, "Pause")
    expect(asked.get_by_text("finishes its current action, then waits")).to_be_visible()
    expect(asked.get_by_role("radio")).to_have_count(0)
    asked.get_by_role("button", name="Pause").click()
    expect(command(page)).to_contain_text("confirmed")
    assert ann.state(RUN).hand.standing is Standing.PAUSED


def test_the_run_of_a_fleet_can_pause_after_its_iteration(
    page: Page, place: PanelSandbox, fleet: WorkingFleet, ann: RunController
) -> None:
    open_run(page, place, FLEET_RUN)
    press(page, "Pause")
    asked = dialog(page, "Pause")
    expect(asked.get_by_label("before its next action")).to_be_checked()
    asked.get_by_label("after this iteration").check()
    asked.get_by_role("button", name="Pause").click()
    expect(command(page)).to_contain_text("confirmed")
    sent = last_request(ann)
    assert (sent.target.run_id, sent.payload["at"]) == (FLEET_RUN, "iteration")
    assert fleet.engine.state().closed


def test_a_command_for_an_agent_is_grey_on_the_page_of_a_fleet_and_says_why(
    page: Page, place: PanelSandbox, fleet: WorkingFleet
) -> None:
    open_run(page, place, FLEET_RUN)
    for label in ("Steer", "Stop", "Freeze"):
        grey = page.locator(".controls").get_by_text(label, exact=True)
        expect(grey).to_have_attribute("aria-disabled", "true")
        expect(grey).to_have_attribute("title", NO_AGENT)
    expect(page.get_by_title("Pause (p)")).not_to_have_attribute("aria-disabled", "true")


def test_all_fleets_pause_after_their_iteration_if_a_person_wants_that(
    page: Page, place: PanelSandbox, fleet: WorkingFleet, ann: RunController
) -> None:
    page.goto(f"{place.address}/fleets")
    page.get_by_role("button", name="Pause all runs").click()
    asked = dialog(page, "Pause all runs")
    asked.get_by_label("after this iteration").check()
    asked.get_by_role("button", name="Pause all runs").click()
    expect(asked.get_by_role("status")).to_contain_text("1 of 1 run confirmed.")
    sent = last_request(ann)
    assert (sent.target.run_id, sent.payload["at"]) == (FLEET_RUN, "iteration")


def test_a_paused_fleet_resumes_with_all_runs(
    page: Page, place: PanelSandbox, fleet: WorkingFleet, ann: RunController
) -> None:
    ann.do(ControlCommand.PAUSE, FLEET_RUN)
    assert fleet.engine.state().closed
    page.goto(f"{place.address}/fleets")
    page.get_by_role("button", name="Resume all runs").click()
    asked = dialog(page, "Resume all runs")
    asked.get_by_role("button", name="Resume all runs").click()
    expect(asked.get_by_role("status")).to_contain_text("1 of 1 run confirmed.")
    assert ann.state(FLEET_RUN).hand.standing is Standing.RUNNING
    assert not fleet.engine.state().closed


def test_a_paused_fleet_resumes_from_the_page_of_its_run(
    page: Page, place: PanelSandbox, fleet: WorkingFleet, ann: RunController
) -> None:
    ann.do(ControlCommand.PAUSE, FLEET_RUN)
    open_run(page, place, FLEET_RUN)
    press(page, "Resume")
    expect(command(page)).to_contain_text("confirmed")
    assert not fleet.engine.state().closed
