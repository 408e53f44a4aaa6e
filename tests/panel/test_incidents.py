"""A run was stopped in an emergency: a person reads why, and decides how it goes on."""

import pytest
from playwright.sync_api import Page, expect

from handrail.model.event import IncidentResolved, StopConfirmed
from handrail.testing.scripted_agent import ScriptedAgent
from tests.panel.browser import PanelSandbox
from tests.panel.watched_run import RUN, bash
from tests.project_settings import write_confirmed
from tests.run_controller import RunController

pytestmark = pytest.mark.slow

AT_ONCE = """\
interventions:
  intervention_cooldown_seconds: 0
  strategy: {escalation_delay_seconds: 0, escalation_delay_actions: 1}
"""
FAILING = "echo spoilt > cart.txt; echo 'cannot open cart.txt' >&2; exit 3"
MOST_CALLS = 30


@pytest.fixture
def place(place: PanelSandbox) -> PanelSandbox:
    """A place where trouble is answered without delay."""
    write_confirmed(place.project, AT_ONCE, place.environ)
    (place.project / "cart.txt").write_text("three apples\n")
    return place


def fail_until_stopped(agent: ScriptedAgent, ann: RunController) -> None:
    for _ in range(MOST_CALLS):
        agent.do(bash(FAILING))
        if ann.state(RUN).course.stopped:
            break
    # The stop is confirmed once no process is left, which takes longer than a few refused calls.
    ann.when(RUN, lambda state: any(isinstance(each, StopConfirmed) for each in ann.events(RUN)))


def test_a_person_lets_a_stopped_run_go_back_and_try_again(
    page: Page, place: PanelSandbox, agent: ScriptedAgent, ann: RunController
) -> None:
    fail_until_stopped(agent, ann)
    page.get_by_role("link", name="Decide").first.click()
    main = page.get_by_role("main")
    expect(main).to_contain_text("waits for your decision")
    ways = page.get_by_role("region", name="How it can go on").get_by_role("button")
    expect(ways).to_have_count(4)
    ways.nth(1).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("A note for the agent").fill("Leave the cart alone.")
    assert not [each for each in ann.events(RUN) if isinstance(each, IncidentResolved)]
    dialog.get_by_role("button", name="Yes: ").click()
    expect(main).to_contain_text("decided: rollback_and_retry")
    assert (place.project / "cart.txt").read_text() == "three apples\n"
    (decided,) = [each for each in ann.events(RUN) if isinstance(each, IncidentResolved)]
    assert (decided.option, decided.note) == ("rollback_and_retry", "Leave the cart alone.")
