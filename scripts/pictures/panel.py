"""Pictures of the panel, taken by a real browser from `handrail demo --panel`."""

import base64
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic, sleep
from typing import Literal, NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from handrail.api.client import ApiClient
from handrail.api.messages.runs import RunRow
from handrail.cli.demonstration.live_show import open_show
from handrail.cli.demonstration.stage import DemoStage, open_stage
from handrail.server.http.api_connection import connect_api
from handrail.server.http.socket_client import call_daemon
from handrail.server.panel.files import is_built
from handrail.server.panel.messages import CODES

_CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    "--force-color-profile=srgb",
)  # fmt: skip
_PATIENCE = 30.0
_PACE = 0.4
_SETTLE = 700.0
"""Milliseconds for fonts, charts and the last frame of the stream."""
_AS_WEBP = """async png => {
    const image = new Image();
    image.src = "data:image/png;base64," + png;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.width;
    canvas.height = image.height;
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.9).split(",")[1];
}"""
_LABELS = """() => [...document.querySelectorAll("h1, h2, h3, nav a, main button")]
    .filter(each => each.checkVisibility())
    .map(each => (each.getAttribute("aria-label") || each.textContent).trim())"""


_VOLATILE = re.compile(r"-[0-9a-f]{4}\b|\s*\d+(?: (?:s|min|h)\b)?")
_BY_COUNT = frozenset({"Show more"})
"""What depends on how many runs have ended by then."""


class PanelScene(NamedTuple):
    """One picture: where to go, and what to press there."""

    open: Callable[[Page, str, ApiClient], None]
    width: int = 1280
    height: int = 800
    scheme: Literal["light", "dark"] = "light"


class PanelPicture(NamedTuple):
    """A picture, and what it says where everything is the same each time."""

    image: bytes
    """WebP."""
    labels: list[str]


def _overview(page: Page, address: str, _api: ApiClient) -> None:
    page.goto(f"{address}/")
    page.get_by_text("publish release 2.1").first.wait_for()


def _run(page: Page, address: str, api: ApiClient) -> None:
    page.goto(f"{address}/runs/{_of(api, 'shop').id}")
    rows = page.get_by_role("region", name="Timeline").get_by_role("button")
    rows.filter(has_text="sh release.sh").last.click()
    page.get_by_role("heading", name="Effects").first.wait_for()


def _approval(page: Page, address: str, api: ApiClient) -> None:
    page.goto(f"{address}/approvals/{_of(api, 'release').approval}")
    page.get_by_text("git push origin --delete v2.0").first.wait_for()


def _incident(page: Page, address: str, api: ApiClient) -> None:
    page.goto(f"{address}/incidents/{_of(api, 'shop').incident}")
    page.get_by_role("heading", name="Recommendations").wait_for()


PANEL_SCENES = {
    "panel-overview": PanelScene(_overview),
    "panel-overview-dark": PanelScene(_overview, scheme="dark"),
    "panel-run": PanelScene(_run),
    "panel-run-dark": PanelScene(_run, scheme="dark"),
    "panel-approval": PanelScene(_approval),
    "panel-incident": PanelScene(_incident),
    "panel-phone": PanelScene(_overview, 390, 780),
}


def missing() -> str:
    """Return what is missing for these pictures, or ""."""
    if _CHROMIUM is None:
        return "Chromium is not there"
    return "" if is_built() else "the panel is not built (make panel)"


def take(names: list[str]) -> Iterator[tuple[str, PanelPicture]]:
    """Take pictures of one demo, once all its runs are in their states."""
    with (
        open_stage() as stage,
        open_show(stage, _PACE),
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=_CHROMIUM, args=list(_ARGUMENTS)) as browser,
    ):
        api = connect_api(stage.handrail)
        _wait_for_states(api)
        for name in names:
            yield name, _take(browser, stage, api, PANEL_SCENES[name])


def _take(browser: Browser, stage: DemoStage, api: ApiClient, scene: PanelScene) -> PanelPicture:
    with _logged_in(browser, stage, scene) as page:
        scene.open(page, f"http://127.0.0.1:{stage.handrail.port}", api)
        page.wait_for_timeout(_SETTLE)
        return PanelPicture(_webp(browser, page.screenshot()), _stable(page.evaluate(_LABELS)))


@contextmanager
def _logged_in(browser: Browser, stage: DemoStage, scene: PanelScene) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": scene.width, "height": scene.height},
        color_scheme=scene.scheme,
        reduced_motion="reduce",
    )
    context.set_default_timeout(_PATIENCE * 1000)
    try:
        page = context.new_page()
        page.goto(str(call_daemon(stage.handrail, "POST", CODES, {})["url"]))
        page.wait_for_url(lambda url: "/login" not in url)
        yield page
    finally:
        context.close()


def _stable(labels: list[str]) -> list[str]:
    """What a page says where it says the same each time: no rows, numbers and names of runs."""
    kept = (_VOLATILE.sub("", label).strip() for label in labels if not label[:1].isdigit())
    return sorted({label for label in kept if label} - _BY_COUNT)


def _webp(browser: Browser, png: bytes) -> bytes:
    """Let the browser compress an image: no other program is needed."""
    page = browser.new_page()
    try:
        return base64.b64decode(page.evaluate(_AS_WEBP, base64.b64encode(png).decode()))
    finally:
        page.close()


def _of(api: ApiClient, project: str) -> RunRow:
    return next(row for row in api.list_runs().items if row.project == project)


def _wait_for_states(api: ApiClient) -> None:
    """Wait until each run of the demo is where its picture shows it."""
    wanted = {("docs", "ended"), ("api", "paused"), ("release", "needs you"), ("shop", "needs you")}
    until = monotonic() + _PATIENCE
    while not wanted <= {(row.project, row.state) for row in api.list_runs().items}:
        if monotonic() > until:
            raise TimeoutError("the runs of the demo are not in their states")
        sleep(0.1)
