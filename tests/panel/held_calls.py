"""Calls of an agent that wait for a person, and what the person sees of them."""

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from handrail.model.event import ApprovalDecided
from handrail.testing.scripted_agent import CallResult, ScriptedAgent
from tests.panel.browser import PanelSandbox
from tests.panel.watched_run import RUN, bash
from tests.project_settings import write_confirmed
from tests.run_controller import RunController

REFUSED = "npm publish --access public"
HELD = "approvals: {hold_refused: true}\n"
SOON_OVER = "approvals: {hold_refused: true, wait_seconds: 0, answer_minutes: 0.01}\n"
_PUBLISHED = "published.txt"
_PUBLISHER = f'#!/bin/sh\necho "$*" >> {_PUBLISHED}\n'


def hold_refusals(place: PanelSandbox) -> None:
    """Let what is refused in the project wait for a person; `npm` only takes a note."""
    write_confirmed(place.project, HELD, place.environ)
    npm = place.root / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text(_PUBLISHER)
    npm.chmod(0o755)
    place.environ["PATH"] = f"{npm.parent}:{place.environ['PATH']}"


def published(folder: Path) -> list[str]:
    """The arguments of each `npm` that ran in a folder."""
    file = folder / _PUBLISHED
    return file.read_text().splitlines() if file.exists() else []


def decided(ann: RunController, run: str = RUN) -> list[ApprovalDecided]:
    """What people have answered."""
    return [each for each in ann.events(run) if isinstance(each, ApprovalDecided)]


def asks(
    page: Page, place: PanelSandbox, pool: ThreadPoolExecutor, agent: ScriptedAgent, command: str
) -> Future[CallResult]:
    """Let the agent make a call that waits, and go to the question."""
    page.goto(f"{place.address}/approvals")
    held = pool.submit(agent.do, bash(command))
    expect(answers(page)).to_be_visible()
    return held


def question(page: Page) -> Locator:
    """What is asked, with everything that is known about it."""
    return page.get_by_role("article")


def answers(page: Page) -> Locator:
    """The buttons of the answers, there while one can be given."""
    return page.get_by_role("group", name="Your answer")


def answer(page: Page, label: str) -> Locator:
    """The button of one answer."""
    return answers(page).get_by_role("button").filter(has_text=label)
