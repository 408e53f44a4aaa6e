"""A call of an agent waits for a person, who reads it in the browser and answers there."""

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing

import pytest
from playwright.sync_api import Browser, Page, expect

from handrail.testing.scripted_agent import ScriptedAgent
from tests.message_box import mailbox
from tests.panel.browser import PanelSandbox
from tests.panel.held_calls import (
    HELD,
    REFUSED,
    SOON_OVER,
    answer,
    answers,
    asks,
    decided,
    hold_refusals,
    published,
    question,
)
from tests.panel.watched_run import RUN, agent_in, bash
from tests.project_settings import write_confirmed
from tests.run_controller import RunController

pytestmark = pytest.mark.slow


@pytest.fixture
def place(place: PanelSandbox) -> PanelSandbox:
    """A project whose refusals wait for a person, and a registry of its own."""
    hold_refusals(place)
    return place


def test_a_held_call_runs_exactly_once_after_a_person_has_approved_it(
    page: Page,
    place: PanelSandbox,
    agent: ScriptedAgent,
    ann: RunController,
    pool: ThreadPoolExecutor,
) -> None:
    held = asks(page, place, pool, agent, REFUSED)
    expect(question(page).locator(".approval-command")).to_have_text(REFUSED)
    assert (held.done(), published(place.project)) == (False, [])
    answer(page, "Approve").click()
    expect(question(page)).to_contain_text("✓ Approved by")
    assert held.result().ok
    assert published(place.project) == ["publish --access public"]
    again = asks(page, place, pool, agent, REFUSED)
    assert (again.done(), published(place.project)) == (False, ["publish --access public"])
    answer(page, "Deny").click()
    page.get_by_role("dialog").get_by_role("button", name="Deny it").click()
    assert again.result().refused
    assert [each.approved for each in decided(ann)] == [True, False]
    assert published(place.project) == ["publish --access public"]


def test_the_link_in_a_message_leads_over_the_login_to_its_question_and_changes_nothing(
    place: PanelSandbox, browser: Browser, ann: RunController, pool: ThreadPoolExecutor
) -> None:
    with ExitStack() as stack:
        address, letters = stack.enter_context(mailbox())
        text = f"{HELD}notify: {{approvals: ['{address}']}}\n"
        write_confirmed(place.project, text, place.environ)
        agent = stack.enter_context(agent_in(place))
        held = pool.submit(agent.do, bash(REFUSED))
        link = re.search(r"Open: (http://[0-9.:]+/approvals/\w+)", letters.get(timeout=60))
        assert link
        phone = stack.enter_context(closing(browser.new_context())).new_page()
        phone.goto(link[1])
        expect(phone.get_by_role("button", name="Log in")).to_be_visible()
        phone.get_by_label("Or paste the code").fill(place.link().partition("#")[2])
        phone.get_by_role("button", name="Log in").click()
        expect(question(phone).locator(".approval-command")).to_have_text(REFUSED)
        assert phone.url == link[1]
        assert (held.done(), decided(ann), published(place.project)) == (False, [], [])
        answer(phone, "Approve").click()
        assert held.result().ok


def test_the_agent_reads_why_a_person_denied_its_call(
    page: Page,
    place: PanelSandbox,
    agent: ScriptedAgent,
    ann: RunController,
    pool: ThreadPoolExecutor,
) -> None:
    held = asks(page, place, pool, agent, REFUSED)
    page.keyboard.press("n")
    dialog = page.get_by_role("dialog", name="Deny")
    dialog.get_by_label("Reason").fill("not on a Friday")
    assert decided(ann) == []
    dialog.get_by_role("button", name="Deny it").click()
    assert "not on a Friday" in held.result().said("permissionDecisionReason")
    expect(question(page)).to_contain_text("✗ Denied by")
    expect(question(page)).to_contain_text("“not on a Friday”")
    expect(answers(page)).to_have_count(0)
    assert published(place.project) == []


def test_a_question_that_somebody_answered_elsewhere_is_closed_here(
    page: Page,
    place: PanelSandbox,
    agent: ScriptedAgent,
    ann: RunController,
    pool: ThreadPoolExecutor,
) -> None:
    held = asks(page, place, pool, agent, REFUSED)
    (waiting,) = ann.state(RUN).approvals.kept.values()
    done = place.run("deny", waiting.id, "--reason", "from the terminal")
    assert done.returncode == 0, done.stderr
    assert held.result().refused
    expect(question(page)).to_contain_text("“from the terminal”")
    expect(answers(page)).to_have_count(0)


def test_a_question_that_nobody_answered_in_time_cannot_be_answered_any_more(
    page: Page, place: PanelSandbox
) -> None:
    write_confirmed(place.project, SOON_OVER, place.environ)
    with agent_in(place) as agent:
        assert agent.do(bash(REFUSED)).refused
    page.goto(f"{place.address}/approvals")
    page.get_by_role("link").filter(has_text=REFUSED).click()
    expect(question(page)).to_contain_text("Expired: nobody answered in time.")
    expect(answers(page)).to_have_count(0)


def test_a_hostile_command_is_shown_whole_and_as_text(
    page: Page, place: PanelSandbox, agent: ScriptedAgent, pool: ThreadPoolExecutor
) -> None:
    hostile = "<img src=x onerror=\"document.title='owned'\"><script>alert(1)</script>"
    command = f"{REFUSED} --tag '{hostile}' {'--verbose ' * 200}--last"
    held = asks(page, place, pool, agent, command)
    shown = question(page).locator(".approval-command")
    expect(shown).to_have_text(command)
    expect(page.locator("main img, main script")).to_have_count(0)
    assert "owned" not in page.title()
    answer(page, "Deny").click()
    dialog = page.get_by_role("dialog", name="Deny")
    expect(dialog).to_contain_text(hostile)
    expect(dialog.locator("img, script")).to_have_count(0)
    dialog.get_by_role("button", name="Deny it").click()
    assert held.result().refused
