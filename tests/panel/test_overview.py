"""The first look: every run with its state, live."""

import pytest
from playwright.sync_api import Page, expect

from tests.panel.browser import PanelSandbox

pytestmark = pytest.mark.slow


def test_a_run_appears_while_one_looks(page: Page, place: PanelSandbox) -> None:
    place.tell("SessionStart", source="startup")
    place.tell("UserPromptSubmit", prompt="fix the cart total")
    expect(page.get_by_text("fix the cart total").first).to_be_visible()


def test_a_run_leads_to_its_timeline(page: Page, place: PanelSandbox) -> None:
    place.tell("SessionStart", source="startup")
    place.tell("UserPromptSubmit", prompt="fix the cart total")
    page.get_by_role("link").filter(has_text="fix the cart total").first.click()
    place.before("rm -rf / --no-preserve-root")
    expect(page.get_by_text("rm -rf / --no-preserve-root").first).to_be_visible()
    expect(page.get_by_text("stopped").first).to_be_visible()
