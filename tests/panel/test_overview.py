"""The first look: every run with its state, live."""

import pytest
from playwright.sync_api import Page, expect

from handrail.testing.scripted_agent import ScriptedAgent
from tests.panel.browser import PanelSandbox
from tests.panel.watched_run import GOAL, bash, row

pytestmark = pytest.mark.slow


def test_a_run_appears_while_one_looks(page: Page, agent: ScriptedAgent) -> None:
    expect(page.get_by_text(GOAL).first).to_be_visible()


def test_a_run_leads_to_its_timeline(page: Page, place: PanelSandbox, agent: ScriptedAgent) -> None:
    page.get_by_role("listitem").filter(has_text=GOAL).get_by_role("link").first.click()
    agent.do(bash("rm -rf / --no-preserve-root"))
    expect(row(page, "rm -rf / --no-preserve-root")).to_contain_text("✗")
