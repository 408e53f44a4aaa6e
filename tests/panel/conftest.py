"""One browser for all tests of a process; a daemon and a page for each test."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.panel.browser import PanelSandbox, started_browser


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
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
