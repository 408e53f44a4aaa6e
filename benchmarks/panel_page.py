"""How soon the panel's pages are painted, and how 10,000 rows scroll, beside plain HTML."""

import json
import tempfile
from collections.abc import Mapping
from contextlib import closing
from html import escape
from pathlib import Path
from statistics import median

import msgspec
from benchmarks.corpus import Corpus
from benchmarks.hook import FEW, crowds
from benchmarks.load import Door, at_full_speed, on_loop, start_all
from benchmarks.measure import Table, milli
from benchmarks.traffic import Run
from playwright.sync_api import Browser, BrowserContext, Page, StorageState
from tests.panel.browser import PATIENCE, PanelSandbox, missing_part, started_browser

from handrail.server.http.socket_client import call_daemon

_RUNS = 200
_ROWS = 10_000
_TARGET = 0.3
_LONG = 50.0
"""Milliseconds: a frame that takes longer is seen as a jerk."""
_SIZE = {"width": 1280, "height": 800}
_SETTLED = "() => performance.now() > window.inSight + 500"
_NOTE_SIGHT = """
new MutationObserver((_, observer) => {
  if (!document.querySelector(%s)) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => (window.inSight = performance.now())));
}).observe(document, { childList: true, subtree: true });
"""
"""The task after the frame in which there is such an element: by then it is painted."""
_PAINTS = """() => {
  const at = (name) => performance.getEntriesByName(name)[0].startTime;
  return [at("first-paint"), at("first-contentful-paint"), window.inSight];
}"""
_SCROLL = """([selector, step, patience]) => new Promise((done) => {
  const box = document.querySelector(selector);
  const frames = [];
  let last = 0;
  let still = 0;
  requestAnimationFrame(function next(now) {
    if (last) frames.push(now - last);
    last = now;
    const before = box.scrollTop;
    box.scrollTop += step;
    still = box.scrollTop === before ? still + 1 : 0;
    if (still < patience) requestAnimationFrame(next);
    else done([frames.slice(0, -patience), box.scrollHeight]);
  });
})"""
_SCREEN = 600
"""Pixels from one frame to the next: every row is drawn, but for a moment only."""
_STILL = 90
"""Frames at one place after which a list is at its end: older rows may be on their way."""
_ROW_HEIGHT = 30
_PLAIN = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Rows</title>
<style>
body { margin: 0; font: 14px sans-serif; }
ol { height: 100vh; margin: 0; padding: 0; overflow-y: scroll; list-style: none; }
li { display: flex; gap: 12px; height: 30px; white-space: nowrap; overflow: hidden; }
code { flex: 1; overflow: hidden; text-overflow: ellipsis; }
</style>
"""


class _Row(msgspec.Struct, frozen=True):
    at: float
    tool: str = ""
    text: str = ""
    status: str = ""
    mark: str = ""


class _Timeline(msgspec.Struct, frozen=True):
    items: list[_Row]
    first: int


class _Shown(msgspec.Struct, frozen=True):
    """A page, and what tells that it is there."""

    address: str
    item: str
    scroller: str = ""


class _Paint(msgspec.Struct, frozen=True):
    """Milliseconds since somebody asked for a page."""

    first: float
    content: float
    """The first text or picture, which may be the frame around the page."""
    in_sight: float
    """What the page is about."""


class _Scrolled(msgspec.Struct, frozen=True):
    """The frames from one end of a list to the other, in milliseconds each."""

    frames: tuple[float, ...]

    @property
    def long(self) -> int:
        return sum(frame > _LONG for frame in self.frames)


def page_tables(corpus: Corpus, times: int, rounds: int) -> list[Table]:
    """First paints and scrolling, with pages of a real daemon."""
    if missing := missing_part():
        return [Table("The panel's pages", ("page",), note=f"Not measured: {missing} is missing.")]
    with PanelSandbox() as place, tempfile.TemporaryDirectory() as folder:
        place.start()
        run = _fill(place, corpus)
        pages = _pages(place, run, Path(folder))
        with started_browser() as browser:
            state = _login(place, browser)
            paints = _paints(browser, state, pages, times)
            scrolled = _scrolls(browser, state, pages, rounds)
    return [_paint_table(paints, times), _scroll_table(scrolled, rounds)]


def _fill(place: PanelSandbox, corpus: Corpus) -> str:
    """Runs with a few actions each, and one with very many; the name of that one."""
    door = Door(socket=place.home.socket)
    crowd = crowds(place, corpus, saves=False)
    runs: list[Run] = [*next(crowd), *next(crowd)][:_RUNS]
    on_loop(start_all(door, runs))
    on_loop(at_full_speed(door, runs, 0, FEW, FEW))
    on_loop(at_full_speed(door, runs[:1], FEW, _ROWS, 1))
    return runs[0].session


def _pages(place: PanelSandbox, run: str, folder: Path) -> dict[str, _Shown]:
    word, rows = folder / "word.html", folder / "rows.html"
    word.write_text("<!doctype html><title>Word</title><p>Word")
    rows.write_text(_plain_html(place, run))
    return {
        "one word of HTML in a file": _Shown(word.as_uri(), "p"),
        f"**overview, {_RUNS} runs**": _Shown(place.address, ".run-item"),
        f"**run page, {_ROWS:,} actions**": _Shown(
            f"{place.address}/runs/{run}", ".timeline-rows .row", ".timeline-scroll"
        ),
        "the same rows as plain HTML in a file": _Shown(rows.as_uri(), "li", "ol"),
    }


def _plain_html(place: PanelSandbox, run: str) -> str:
    """All rows of a run in one list, as a page without any program would have them."""
    pages: list[list[_Row]] = []
    before = 0
    while True:
        asked = f"/api/v1/runs/{run}/timeline?limit=500" + (f"&before={before}" if before else "")
        page = msgspec.convert(call_daemon(place.home, "GET", asked), _Timeline)
        pages.append(page.items)
        if not (before := page.first):
            break
    items = (row for page in reversed(pages) for row in page)
    return _PLAIN + "<ol>" + "\n".join(map(_plain_row, items)) + "</ol>"


def _plain_row(row: _Row) -> str:
    texts = (f"{row.at:.0f}", row.tool, f"{row.status} {row.mark}")
    at, tool, status = (f"<span>{escape(text)}</span>" for text in texts)
    return f"<li>{at}{tool}<code>{escape(row.text)}</code>{status}</li>"


def _login(place: PanelSandbox, browser: Browser) -> StorageState:
    """Log in once; contexts with this state are logged in, and have nothing in their cache."""
    with place.logged_in(browser) as page:
        return page.context.storage_state()


def _context(browser: Browser, state: StorageState) -> BrowserContext:
    context = browser.new_context(viewport=_SIZE, storage_state=state)  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE)
    return context


def _open(context: BrowserContext, shown: _Shown) -> Page:
    page = context.new_page()
    page.add_init_script(_NOTE_SIGHT % json.dumps(shown.item))
    page.goto(shown.address, wait_until="commit")
    page.wait_for_function(_SETTLED)
    return page


def _paints(
    browser: Browser, state: StorageState, pages: Mapping[str, _Shown], times: int
) -> dict[str, list[_Paint]]:
    """All pages in turns, each time in a new context; the first turn does not count."""
    seen: dict[str, list[_Paint]] = {name: [] for name in pages}
    for _ in range(times + 1):
        for name, shown in pages.items():
            with closing(_context(browser, state)) as context:
                seen[name].append(_Paint(*_open(context, shown).evaluate(_PAINTS)))
    return {name: paints[1:] for name, paints in seen.items()}


def _scrolls(
    browser: Browser, state: StorageState, pages: Mapping[str, _Shown], rounds: int
) -> dict[str, list[_Scrolled]]:
    """Up to the beginning, where the panel loads what is older on the way, and down again."""
    seen: dict[str, list[_Scrolled]] = {}
    for _ in range(rounds):
        for name, shown in pages.items():
            if not shown.scroller:
                continue
            with closing(_context(browser, state)) as context:
                page = _open(context, shown)
                page.evaluate(f"document.querySelector({shown.scroller!r}).scrollTop = 1e9")
                for way, step in (("up", -_SCREEN), ("down", _SCREEN)):
                    seen.setdefault(f"{name}, {way}", []).append(_scroll(page, shown, step))
    return seen


def _scroll(page: Page, shown: _Shown, step: int) -> _Scrolled:
    frames, height = page.evaluate(_SCROLL, [shown.scroller, step, _STILL])
    if height < _ROWS * _ROW_HEIGHT:
        raise RuntimeError(f"{shown.address} has only {height} pixels: some rows did not come")
    return _Scrolled(tuple(frames))


def _paint_table(paints: Mapping[str, list[_Paint]], times: int) -> Table:
    table = Table(
        "First paint of the panel",
        ("page", "target", "first paint", "first content", "in sight", "slowest", "one word = 1"),
        note="Time since the request, on loopback, in Chromium without a screen; median of "
        f"{times}, in turns, each in a new context with an empty cache. *First paint* and *first "
        "content* are the browser's own entries; the panel's first content is the frame around its "
        "page. "
        "*In sight*: the runs, or the newest rows, are painted; *slowest*: of these.",
    )
    floor = median(paint.in_sight for paint in next(iter(paints.values())))
    for name, seen in paints.items():
        first, content, in_sight = (
            median(times)
            for times in zip(*(msgspec.structs.astuple(each) for each in seen), strict=True)
        )
        table.add(
            name,
            f"≤ {milli(_TARGET)}" if name.startswith("**") else "",
            *(milli(each / 1000) for each in (first, content, in_sight)),
            milli(max(each.in_sight for each in seen) / 1000),
            f"{in_sight / floor:.1f}",
        )
    return table


def _scroll_table(scrolled: Mapping[str, list[_Scrolled]], rounds: int) -> Table:
    table = Table(
        f"{_ROWS:,} rows scroll past",
        ("list", "frames", "over 50 ms", "p50", "p99", "longest"),
        note=f"From one end to the other, {_SCREEN} pixels further in each frame, in Chromium "
        f"without a screen. The frames of {rounds} rounds together, in turns; *over 50 ms*: of "
        "these. On the way up the panel loads the older rows, 500 at a time; plain HTML has all "
        "of them from the beginning.",
    )
    for name, seen in scrolled.items():
        frames = sorted(frame for each in seen for frame in each.frames)
        p50, p99, longest = (
            frames[min(len(frames) - 1, int(len(frames) * share))] for share in (0.5, 0.99, 1.0)
        )
        table.add(
            name,
            f"{len(frames):,}",
            str(sum(each.long for each in seen)),
            *(milli(each / 1000) for each in (p50, p99, longest)),
        )
    return table
