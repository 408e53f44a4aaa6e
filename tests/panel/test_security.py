"""Who gets in, and what hostile text does in the page: nothing."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect

from handrail.server.http.socket_client import call_daemon
from handrail.testing.model_server import ToolCall
from handrail.testing.scripted_agent import ScriptedAgent
from tests.panel.browser import PanelSandbox
from tests.panel.watched_run import GOAL, action, agent_in, bash, open_run, row

pytestmark = pytest.mark.slow

IMAGE = '<img src=x onerror="window.hacked=1">'
SCRIPT = "</script><script>window.hacked=1</script>"
LINK = "[click](javascript:window.hacked=1) javascript:window.hacked=1"
CONTROLS = "\x1b[31mred\x1b]8;;javascript:alert(1)\x07 \u202egnp.exe\u202c \x00\x08"
HOSTILE = f"{IMAGE} {SCRIPT} {LINK} {CONTROLS}"
LONG = "a" * 1_000_000
ADDED = "[...document.scripts].filter((each) => !each.src).length"
HANDLERS = "document.querySelectorAll('[onerror], [onclick], a[href^=\"javascript:\" i]').length"


@pytest.fixture
def stranger(browser: Browser) -> Iterator[Page]:
    """A browser that nobody has logged in."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def log_in(page: Page, code: str) -> None:
    page.get_by_label("Or paste the code").fill(code)
    page.get_by_role("button", name="Log in").click()


def test_without_a_login_every_page_leads_to_it_and_then_back(
    stranger: Page, place: PanelSandbox, agent: ScriptedAgent
) -> None:
    stranger.goto(f"{place.address}/incidents")
    expect(stranger.get_by_role("button", name="Log in")).to_be_visible()
    assert GOAL not in stranger.content()
    log_in(stranger, place.link().partition("#")[2])
    expect(stranger.get_by_text("Handrail has stopped no run.")).to_be_visible()
    assert stranger.url == f"{place.address}/incidents"


@pytest.mark.parametrize("given", ["aaaabbbbccccddddeeeeffff22", "x" * 43], ids=["code", "token"])
def test_a_wrong_code_or_token_opens_nothing(
    stranger: Page, place: PanelSandbox, given: str
) -> None:
    stranger.goto(f"{place.address}/login")
    log_in(stranger, given)
    expect(stranger.get_by_role("alert")).to_contain_text("not right, or it has expired")


def test_the_read_only_token_opens_a_panel_that_only_looks(
    stranger: Page, place: PanelSandbox
) -> None:
    token = call_daemon(place.home, "POST", "/panel/token", {})["token"]
    stranger.goto(f"{place.address}/login")
    log_in(stranger, str(token))
    expect(stranger.get_by_text("read only", exact=True)).to_be_visible()


def test_a_link_works_once_and_leaves_no_code_in_the_address(
    stranger: Page, place: PanelSandbox, browser: Browser
) -> None:
    link = place.link()
    stranger.goto(link)
    expect(stranger.get_by_role("navigation", name="Pages")).to_be_visible()
    assert link.partition("#")[2] not in stranger.url
    context = browser.new_context()
    second = context.new_page()
    second.goto(link)
    expect(second.get_by_role("alert")).to_contain_text("not right, or it has expired")
    context.close()


def test_a_phone_is_paired_by_typing_the_code_from_the_terminal(
    place: PanelSandbox, browser: Browser, agent: ScriptedAgent
) -> None:
    code = place.link().partition("#")[2]
    typed = f"  {code[:5].upper()} {code[5:13]}-{code[13:]} "
    context = browser.new_context(viewport={"width": 390, "height": 780}, has_touch=True)
    phone = context.new_page()
    phone.goto(place.address)
    log_in(phone, typed)
    expect(phone.get_by_text(GOAL).first).to_be_visible()
    phone.reload()
    expect(phone.get_by_text(GOAL).first).to_be_visible()
    context.close()


def test_after_some_wrong_codes_the_page_says_how_long_to_wait(
    stranger: Page, place: PanelSandbox
) -> None:
    stranger.goto(f"{place.address}/login")
    for number in range(6):
        log_in(stranger, f"wrong-{number}")
        expect(stranger.get_by_role("button", name="Log in")).to_be_enabled()
        expect(stranger.get_by_role("alert")).to_be_visible()
    expect(stranger.get_by_role("alert")).to_contain_text("Wait")


def test_an_address_of_no_page_says_so_and_leads_on(page: Page, place: PanelSandbox) -> None:
    page.goto(f"{place.address}/runz/last")
    expect(page.get_by_text("There is no such page.")).to_be_visible()
    page.goto(f"{place.address}/runs/none")
    expect(page.get_by_text("There is no run “none”.")).to_be_visible()
    expect(page.locator(".notice")).to_have_count(0)
    page.get_by_role("link", name="Show all runs").click()
    expect(page.get_by_role("heading", name="Runs", level=1)).to_be_visible()


def test_scripts_cannot_read_the_cookie(page: Page) -> None:
    assert page.evaluate("document.cookie") == ""


def test_hostile_text_stays_text(page: Page, place: PanelSandbox) -> None:
    dialogs: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    scripts = page.evaluate(ADDED)
    with agent_in(place, prompt=f"{HOSTILE} goal") as agent:
        expect(page.get_by_text(IMAGE).first).to_be_visible()
        agent.do(bash(f"printf '%s' '{IMAGE}{SCRIPT}'"))
        name = str(place.project / f"{IMAGE.replace('/', '')}.md")
        agent.do(ToolCall("Write", {"file_path": name, "content": f"{HOSTILE}\n{LONG}\n"}))
        agent.do(bash(f"ls # {HOSTILE}"))
        open_run(page, place)
        expect(page.locator(".run-goal-line")).to_contain_text(IMAGE)
        row(page, "printf").click()
        shown = action(page, 1)
        expect(shown).to_contain_text(IMAGE)
        shown.get_by_role("button", name="Show the output").click()
        expect(shown).to_contain_text(SCRIPT)
        expect(shown).not_to_contain_text("\x1b")
        row(page, ".md").click()
        expect(action(page, 2)).to_contain_text(SCRIPT)
        expect(row(page, "ls #")).to_contain_text(f"{IMAGE} {SCRIPT} {LINK}")
    assert page.evaluate("window.hacked") is None
    assert page.evaluate(ADDED) == scripts
    assert page.evaluate(HANDLERS) == 0
    assert dialogs == []
