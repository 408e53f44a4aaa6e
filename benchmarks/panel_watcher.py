"""A real browser that is open: watches the panel until its standard input ends, then says how."""

import json
import sys
from pathlib import Path

from playwright.sync_api import Page

_COUNT = """() => {
  window.frames_seen = [];
  let last = performance.now();
  requestAnimationFrame(function next(now) {
    window.frames_seen.push(now - last);
    last = now;
    requestAnimationFrame(next);
  });
}"""
_SHOWN = "(runs) => document.querySelectorAll('.run-item').length >= runs"
_SETTLE = 1000
"""Milliseconds until the browser has done what it does at its start."""


def _watch(page: Page, link: str, runs: int) -> dict[str, int]:
    page.goto(link)
    page.wait_for_function(_SHOWN, arg=runs)
    page.wait_for_timeout(_SETTLE)
    page.evaluate(_COUNT)
    print("ready", flush=True)
    sys.stdin.read()
    frames = page.evaluate("() => window.frames_seen")
    return {"drawn": len(frames), "long": sum(frame > 50 for frame in frames)}


def main() -> None:
    """Open the panel by a link that logs in, and wait until it shows so many runs."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    from tests.panel.browser import PATIENCE, started_browser  # noqa: PLC0415 - after the path

    with started_browser() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(PATIENCE)
        print(json.dumps(_watch(page, sys.argv[1], int(sys.argv[2]))))


if __name__ == "__main__":
    main()
