"""The screen is a Textual program: the mouse, the command palette, themes, one pane alone."""

import pytest
from textual.events import Key

from handrail.model.control import ControlCommand
from handrail.tui.panes.runs_table import RunsTable
from tests.tui.sample_log import API, DOCS, SHOP, SampleLog
from tests.tui.screen_user import ScreenUser, at_screen

pytestmark = pytest.mark.slow
WIDE = (140, 45)


def test_a_click_chooses_a_run(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        row = next(at for at, line in enumerate(stand.lines) if "api-77d0" in line)
        await stand.pilot.click(offset=(10, row))
        await stand.until(lambda: stand.app.watching.chosen == API)

    at_screen(book, work, size=WIDE)


def test_a_heading_cannot_be_chosen(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        row = next(at for at, line in enumerate(stand.lines) if "NEEDS YOU" in line)
        await stand.pilot.click(offset=(5, row))
        await stand.pilot.pause()
        assert stand.app.watching.chosen == DOCS
        chosen = set()
        for _ in range(8):
            await stand.press("down")
            chosen.add(stand.app.watching.chosen)
        assert len(chosen) == 4
        await stand.press("g", "up", "up")
        assert stand.app.watching.chosen == DOCS

    at_screen(book, work, size=WIDE)


def test_runs_are_grouped_with_those_that_need_somebody_first(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        shown = stand.shown_in("runs")
        groups = ["NEEDS YOU", "WORKING", "WAITING", "HELD", "OVER"]
        places = [shown.index(group) for group in groups]
        assert places == sorted(places)
        assert "$0.42" in shown
        assert "42k" in shown
        assert "▁▁█▁█▁▁▁" in shown, "the risk of its actions"

    at_screen(book, work, size=WIDE)


def test_a_click_on_an_entry_shows_its_details(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.choose("shop")
        await stand.until_shows("rm -rf ./data/*")
        row = next(at for at, line in enumerate(stand.lines) if "rm -rf ./data/*" in line)
        await stand.pilot.click(offset=(10, row))
        await stand.until(lambda: "✗ BLOCK" in stand.shown_in("detail"))

    at_screen(book, work, size=WIDE)


def test_the_palette_offers_the_commands_of_the_chosen_run(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.choose("shop")
        await stand.press("ctrl+p", *"freeze")
        await stand.until_shows("Freeze shop-3f2a")
        await stand.press("enter")
        await stand.until(lambda: "reason (may be empty):" in stand.last)
        await stand.type("look")
        await stand.until_answered()
        assert [sent[:3] for sent in stand.controls.sent] == [(ControlCommand.FREEZE, SHOP, "look")]

    at_screen(book, work)


def test_a_theme_can_be_chosen(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        assert len(stand.app.available_themes) > 5
        stand.app.theme = "textual-light"
        await stand.until_shows("docs-91bc")

    at_screen(book, work)


def test_one_pane_can_be_seen_alone(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.choose("shop")
        await stand.press("right", "z")
        await stand.until_shows("README.md")
        assert "notes-a001" not in stand.text
        await stand.press("z")
        await stand.until_shows("notes-a001")

    at_screen(book, work)


def test_keys_typed_at_once_reach_what_they_were_typed_for(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        app = stand.app
        assert isinstance(app.focused, RunsTable)
        for key in ("j", "x", "q", "y", "backspace", "z", "enter"):  # none waits for the one before
            app.post_message(Key(key, key if len(key) == 1 else None))
        await stand.until_answered()
        assert [sent[:3] for sent in stand.controls.sent] == [(ControlCommand.STOP, SHOP, "qz")]

    at_screen(book, work)
