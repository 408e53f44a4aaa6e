"""One browser for all tests here; a daemon, a page and an agent for each test."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Browser, Page, expect

from handrail.testing.scripted_agent import ScriptedAgent
from tests.panel.browser import PATIENCE, PanelSandbox, started_browser
from tests.panel.watched_run import agent_in
from tests.run_controller import RunController


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    # Ends with these tests: while it is there, nothing else in this process can run a loop.
    expect.set_options(timeout=PATIENCE)
    with started_browser() as browser:
        yield browser


@pytest.fixture
def place() -> Iterator[PanelSandbox]:
    with PanelSandbox() as place:
        place.start()
        yield place


@pytest.fixture
def page(place: PanelSandbox, browser: Browser) -> Iterator[Page]:
    with place.logged_in(browser) as page:
        yield page


@pytest.fixture
def agent(place: PanelSandbox) -> Iterator[ScriptedAgent]:
    """An agent that was asked to work."""
    with agent_in(place) as agent:
        yield agent


@pytest.fixture
def ann(place: PanelSandbox) -> RunController:
    """Who reads the log on the disk."""
    return RunController(place.home)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    """For calls of agents that wait while the test goes on."""
    with ThreadPoolExecutor() as pool:
        yield pool
