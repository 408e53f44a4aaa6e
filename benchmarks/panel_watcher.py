"""A real browser that is open: watches the panel until its standard input ends, then says how."""

import ctypes
import json
import os
import sys
from pathlib import Path

from playwright.sync_api import Page

_COUNT = """() => {
  window.seen = { drawn: 0, long: 0 };
  let last = 0;
  const changes = new MutationObserver(() => {
    const now = document.timeline.currentTime;
    window.seen.drawn += now > last;
    last = now;
  });
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  changes.observe(document.body, all);
  const long = new PerformanceObserver((list) => (window.seen.long += list.getEntries().length));
  long.observe({ type: "long-animation-frame" });
}"""
"""Count what the panel draws, and the frames that take more than 50 ms. A loop that counts would
make the browser draw sixty times a second."""
_SHOWN = "(runs) => document.querySelectorAll('.run-item').length >= runs"
_SETTLE = 1000
"""Milliseconds until the browser has done what it does at its start."""
_DROP_RIGHT, _RAISE_PRIORITY = 24, 23
"""PR_CAPBSET_DROP and CAP_SYS_NICE."""


def _watch(page: Page, link: str, runs: int) -> dict[str, int]:
    page.goto(link)
    page.wait_for_function(_SHOWN, arg=runs)
    page.wait_for_timeout(_SETTLE)
    page.evaluate(_COUNT)
    print("ready", flush=True)
    sys.stdin.read()
    seen = page.evaluate("() => window.seen")
    return {"drawn": seen["drawn"], "long": seen["long"]}


def _have_a_persons_priority() -> None:
    """Let root's Chromium raise its priority as little as that of anybody else."""
    if os.geteuid() == 0 and sys.platform == "linux":
        dropped = ctypes.CDLL(None, use_errno=True).prctl(_DROP_RIGHT, _RAISE_PRIORITY, 0, 0, 0)
        if dropped != 0:
            raise OSError(ctypes.get_errno(), "the browser would go before the agents")


def main() -> None:
    """Open the panel by a link that logs in, and wait until it shows so many runs."""
    _have_a_persons_priority()
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    from tests.panel.browser import PATIENCE, started_browser  # noqa: PLC0415 - after the path

    with started_browser() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(PATIENCE)
        print(json.dumps(_watch(page, sys.argv[1], int(sys.argv[2]))))


if __name__ == "__main__":
    main()
