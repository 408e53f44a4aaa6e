"""A past run as one file: saved from the panel, opened from the disk, replayed step by step."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from handrail.testing.scripted_agent import ScriptedAgent
from tests.panel.browser import PATIENCE, PanelSandbox
from tests.panel.test_security import HOSTILE, IMAGE
from tests.panel.watched_run import GOAL, RUN, bash, open_run

pytestmark = pytest.mark.slow

SECRET = "hunter2-hunter2-hunter2"


@pytest.fixture
def past(place: PanelSandbox, agent: ScriptedAgent) -> None:
    """A run with something harmless, something hostile, something secret and something refused."""
    (place.project / ".env").write_text(f"API_KEY={SECRET}\n")
    agent.do(bash("echo first"))
    agent.do(bash(f"printf '%s' '{IMAGE}' # {HOSTILE}"))
    agent.do(bash(f"echo {SECRET}"))
    agent.do(bash("rm -rf / --no-preserve-root"))


@pytest.fixture
def saved(past: None, place: PanelSandbox, page: Page, tmp_path: Path) -> Path:
    """The file that the button of the run's page saves."""
    open_run(page, place)
    page.locator("summary").get_by_text("More", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Export as a page").click()
    file = tmp_path / "run.html"
    download.value.save_as(file)
    return file


@pytest.fixture
def reader(browser: Browser) -> Iterator[Page]:
    """Somebody with the file alone: no network, no login."""
    context = browser.new_context(offline=True)
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def test_the_saved_file_replays_the_run_step_by_step_without_a_network(
    saved: Path, reader: Page
) -> None:
    asked: list[str] = []
    faults: list[str] = []
    reader.on("request", lambda request: asked.append(request.url))
    reader.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    reader.goto(saved.as_uri())
    expect(reader.locator("#about")).to_contain_text(GOAL)
    step = reader.get_by_role("article", name="Step")
    for _ in range(40):
        if "echo first" in step.inner_text():
            break
        reader.keyboard.press("ArrowRight")
    expect(step).to_contain_text("echo first")
    reader.get_by_label("only changed, stopped and findings").check()
    reader.keyboard.press("Tab")
    reader.keyboard.press("End")
    expect(step).to_contain_text("rm -rf /")
    expect(step.get_by_role("heading", name="Why")).to_be_visible()
    assert (asked, faults) == ([saved.as_uri()], [])


def test_nothing_hostile_runs_in_it_and_no_secret_is_in_it(saved: Path, reader: Page) -> None:
    assert SECRET not in saved.read_text()
    reader.goto(saved.as_uri())
    reader.get_by_role("button").filter(has_text="printf").click()
    expect(reader.get_by_role("article", name="Step")).to_contain_text(IMAGE)
    assert reader.evaluate("window.hacked") is None
    assert reader.locator("img").count() == 0


def test_the_command_line_writes_the_same_page(
    past: None, place: PanelSandbox, reader: Page, tmp_path: Path
) -> None:
    file = tmp_path / "shop.html"
    done = place.run("export", RUN, "--output", str(file))
    assert done.returncode == 0, done.stderr
    reader.goto(file.as_uri())
    expect(reader.locator("#list li").filter(has_text="echo first")).to_have_count(1)
    assert SECRET not in file.read_text()
