"""The settings in force in the browser: their values, where each comes from, and no secret."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from handrail.testing.scripted_agent import ScriptedAgent
from tests.panel.browser import PanelSandbox
from tests.panel.watched_run import agent_in

pytestmark = pytest.mark.slow

KEY = "sk-ant-api03-" + "a1B2c3D4e5" * 9
OTHER = "8d41d2aa-5ce7-4f0e-9d52-2c6c5d0b3a11"


def setting(page: Page, key: str) -> Locator:
    code = page.locator("code").get_by_text(key, exact=True)
    return page.get_by_role("row").filter(has=code)


def test_each_setting_says_where_it_comes_from_and_what_waits_for_trust(
    page: Page, place: PanelSandbox, agent: ScriptedAgent
) -> None:
    (place.project / "handrail.yaml").write_text(
        f"goal: deploy with {KEY}\nscope: ['src/**']\nstep_reviewer: {{enabled: false}}\n"
    )
    page.goto(f"{place.address}/settings")
    expect(setting(page, "scope")).to_contain_text("handrail.yaml")
    expect(setting(page, "scope")).to_contain_text("src/**")
    expect(setting(page, "on_fault")).to_contain_text("default")
    expect(page.get_by_text("These count only after")).to_be_visible()
    expect(setting(page, "goal")).to_contain_text("deploy with")
    assert KEY not in page.content()


def test_a_search_finds_settings_by_any_of_their_words(
    page: Page, place: PanelSandbox, agent: ScriptedAgent
) -> None:
    page.goto(f"{place.address}/settings")
    search = page.get_by_label("Search the settings")
    search.fill("keep_days")
    expect(setting(page, "log.keep_days")).to_be_visible()
    expect(setting(page, "on_fault")).to_have_count(0)
    search.fill("no such setting")
    expect(page.get_by_text("No setting has these words.")).to_be_visible()


def test_each_folder_has_settings_of_its_own(
    page: Page, place: PanelSandbox, agent: ScriptedAgent
) -> None:
    folder = Path(place.project.parent, "docs")
    (folder / ".git").mkdir(parents=True)
    (folder / "handrail.yaml").write_text("scope: ['only-docs/**']\n")
    with agent_in(place, OTHER, folder=folder):
        page.goto(f"{place.address}/settings?folder={place.project}")
        expect(setting(page, "scope")).to_contain_text("none")
        page.get_by_label("Folder").select_option(str(folder))
        expect(setting(page, "scope")).to_contain_text("only-docs/**")
