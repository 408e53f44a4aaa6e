"""Saved points: compared, rolled back to, and that taken back."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from handrail.testing.scripted_agent import ScriptedAgent
from tests.panel.browser import PanelSandbox
from tests.panel.watched_run import bash

pytestmark = pytest.mark.slow


def test_a_rollback_says_what_it_changes_restores_it_and_is_taken_back(
    page: Page, place: PanelSandbox, agent: ScriptedAgent
) -> None:
    plan, made = place.project / "plan.md", place.project / "made.txt"
    plan.write_text("by hand\n")
    saved = place.run("checkpoint", "before-it")
    assert saved.returncode == 0, saved.stderr
    agent.do(bash("mv plan.md old.md; touch made.txt"))
    agent.tell("Stop")
    page.goto(f"{place.address}/checkpoints?run=")
    page.get_by_role("link").filter(has_text="before-it").click()
    expect(page.get_by_role("main")).to_contain_text("plan.md")
    page.get_by_role("button", name="Roll back to this").click()
    dialog = page.get_by_role("dialog")
    for name in ("plan.md", "made.txt"):
        expect(dialog).to_contain_text(name)
    confirm(dialog, "Roll back to", lambda: not plan.exists())
    assert (plan.read_text(), made.exists()) == ("by hand\n", False)
    dialog.get_by_role("button", name="Take this back").click()
    expect(dialog).to_contain_text("made.txt")
    confirm(dialog, "Redo", plan.exists)
    assert (plan.exists(), made.exists()) == (False, True)


def test_a_checkpoint_from_a_terminal_appears_without_a_reload(
    page: Page, place: PanelSandbox, agent: ScriptedAgent
) -> None:
    (place.project / "plan.md").write_text("by hand\n")
    agent.do(bash("rm plan.md"))
    page.goto(f"{place.address}/checkpoints")
    rows = page.get_by_role("link").filter(has_text="file")
    expect(rows).not_to_have_count(0)
    chosen = page.get_by_role("heading", level=1).last.inner_text()
    (place.project / "made.txt").touch()
    saved = place.run("checkpoint", "by-hand")
    assert saved.returncode == 0, saved.stderr
    expect(rows.filter(has_text="by-hand")).to_be_visible()
    expect(page.get_by_role("heading", level=1).last).to_have_text(chosen)


def confirm(dialog: Locator, label: str, unchanged: Callable[[], bool]) -> None:
    """Press a button and its second step; nothing changes before that, and it is said after."""
    dialog.get_by_role("button", name=label).click()
    expect(dialog).to_contain_text("Go on?")
    assert unchanged()
    dialog.get_by_role("button", name=f"Yes: {label}").click()
    expect(dialog).not_to_contain_text("Go on?")
    expect(dialog.get_by_role("button", name="Take this back")).to_be_visible()
