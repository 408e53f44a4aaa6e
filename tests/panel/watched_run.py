"""A scripted agent whose run somebody watches in the browser."""

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from handrail.testing.model_server import ToolCall
from handrail.testing.scripted_agent import ScriptedAgent
from tests.panel.browser import PanelSandbox

RUN = "7c41d2aa-5ce7-4f0e-9d52-2c6c5d0b3a11"
GOAL = "fix the cart total"


def agent_in(
    place: PanelSandbox, run: str = RUN, prompt: str = GOAL, folder: Path | None = None
) -> ScriptedAgent:
    """An agent in the project of this place, or in another folder."""
    where = str(folder or place.project)
    return ScriptedAgent(
        place.home.socket, where, session=run, environ=place.environ, prompt=prompt
    )


def bash(command: str, call: str = "") -> ToolCall:
    """A call of the shell."""
    return ToolCall("Bash", {"command": command}, id=call)


def waits_for(name: str, call: str) -> ToolCall:
    """A command that is under way until there is a file, and says that it has begun."""
    return bash(f"touch {call}-began; while [ ! -e {name} ]; do sleep 0.01; done", call)


def open_run(page: Page, place: PanelSandbox, run: str = RUN) -> None:
    """Show the page of a run."""
    page.goto(f"{place.address}/runs/{run}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("shop-")


def timeline(page: Page) -> Locator:
    """The list of what has happened."""
    return page.get_by_role("region", name="Timeline")


def row(page: Page, text: str) -> Locator:
    """The row of the timeline about an action."""
    return timeline(page).get_by_role("button").filter(has_text=text).last


def action(page: Page, step: int) -> Locator:
    """Everything about the chosen action."""
    return page.get_by_role("region", name=f"Action {step}", exact=True)
