"""A real daemon, and a real browser that is logged in to its panel."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

from handrail.server.http.socket_client import call_daemon
from tests.server.daemon_sandbox import DaemonSandbox

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
)  # fmt: skip
_BUILT = Path(__file__).parents[2] / "src/handrail/panel_files/index.html"
PATIENCE = 30_000.0
"""Milliseconds that the page has for anything: the machine may be busy."""


def missing_part() -> str:
    """Return what a look at the panel lacks, or ""."""
    return "Chromium" if CHROMIUM is None else "the built panel" if not _BUILT.exists() else ""


@contextmanager
def started_browser() -> Iterator[Browser]:
    """Chromium without a screen; skips, or fails in CI, if there is none."""
    if missing := missing_part():
        says = f"{missing} is missing: make test says how to get it"
        if os.environ.get("CI") == "true":
            pytest.fail(says)
        pytest.skip(says)
    with sync_playwright() as playwright, _launch(playwright) as browser:
        yield browser


def _launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=CHROMIUM, args=list(_ARGUMENTS))


class PanelSandbox(DaemonSandbox):
    """A daemon in a folder of its own, and browsers that look at it."""

    @property
    def address(self) -> str:
        """Where the panel is."""
        return f"http://127.0.0.1:{self.home.port}"

    def link(self, *, read_only: bool = False) -> str:
        """A link that logs one browser in."""
        made = call_daemon(self.home, "POST", "/panel/codes", {"read_only": read_only})
        return str(made["url"])

    @contextmanager
    def logged_in(
        self, browser: Browser, *, read_only: bool = False, width: int = 1280, dark: bool = False
    ) -> Iterator[Page]:
        """A page of a browser with a session of its own; faults of the page fail the test."""
        scheme = "dark" if dark else "light"
        size = {"width": width, "height": 800}
        context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE)
        faults: list[str] = []
        page = _watched(context, faults)
        try:
            page.goto(self.link(read_only=read_only))
            page.wait_for_url(lambda url: "/login" not in url)
            yield page
            assert faults == []
        finally:
            context.close()


def _watched(context: BrowserContext, faults: list[str]) -> Page:
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on(
        "console",
        lambda said: (
            faults.append(said.text)
            if said.type == "error" and "Content Security Policy" in said.text
            else None
        ),
    )
    return page
