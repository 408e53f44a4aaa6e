"""Keys that move about, open and close, and filter."""

import pytest

from handrail.model.control import ControlCommand
from tests.tui.sample_log import SHOP, SampleLog
from tests.tui.screen_user import ScreenUser, at_screen

pytestmark = pytest.mark.slow


def test_arrows_and_letters_move_in_the_list(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        seen = []
        for key in ("g", "down", "j", "up", "k", "end", "home", "G"):
            await stand.press(key)
            seen.append(stand.app.watching.runs[0].id == stand.app.watching.chosen)
        assert seen == [True, False, False, False, True, False, True, False]

    at_screen(book, work)


def test_a_timeline_is_followed_until_one_goes_up_in_it(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.choose("shop")
        await stand.press("tab", "up", "up")
        looked_at = stand.app.panes.timeline.entry
        book.end(SHOP)
        book.do(SHOP, "Bash", "ls -la")
        await stand.until_shows("3 newer (G)")
        assert stand.app.panes.timeline.entry == looked_at
        assert "ls -la" not in stand.text
        await stand.press("G")
        assert "ls -la" in stand.text
        book.do(SHOP, "Bash", "ls -lb")
        await stand.until_shows("ls -lb")

    at_screen(book, work)


def test_pages_move_in_the_timeline(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.choose("shop")
        await stand.press("right", *["pageup"] * 9)
        await stand.until_shows("session began")
        await stand.press(*["pagedown"] * 9)
        assert stand.app.panes.timeline.newer == 0

    at_screen(book, work)


def test_enter_opens_details_of_what_has_the_keys_and_closes_them(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.choose("shop")
        await stand.press("enter")
        assert "Verify    pytest -q" in stand.text
        await stand.press("right", "up", "up", "up")
        assert "not verified" in stand.text
        assert "1 failed, 11 passed" in stand.text
        await stand.press("enter")
        assert "Iteration" not in stand.text
        await stand.press("enter", "escape")
        assert "Iteration" not in stand.text

    at_screen(book, work)


def test_long_details_can_be_paged(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        book.end(SHOP)
        book.ask(SHOP, "Bash", "\n".join(f"echo {number}" for number in range(40)))
        await stand.choose("shop")
        await stand.press("right")
        await stand.until_shows("echo 0")
        await stand.press("enter", "tab")
        assert "Command" in stand.shown_in("detail")
        await stand.press(*["pagedown"] * 5)
        await stand.until(lambda: "Folder" in stand.shown_in("detail"))
        await stand.press(*["pageup"] * 5)
        await stand.until(lambda: "Command" in stand.shown_in("detail"))

    at_screen(book, work)


def test_a_text_filters_the_runs(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.press("/")
        await stand.type("CART")
        assert [run.id for run in stand.app.watching.runs] == [SHOP]
        assert stand.app.watching.chosen == SHOP
        assert "/CART" in stand.shown_in("runs")
        await stand.press("escape")
        assert len(stand.app.watching.runs) == 5

    at_screen(book, work)


def test_a_text_filters_the_timeline(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.choose("shop")
        await stand.press("right", "/")
        await stand.type("rm -rf")
        shown = stand.shown_in("timeline")
        assert "/rm -rf" in shown
        assert shown.count("rm -rf ./data") == 1
        assert "pytest" not in shown
        await stand.press("escape")
        assert "pytest" in stand.text

    at_screen(book, work)


def test_a_filter_that_nothing_passes_says_so(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.press("/")
        await stand.type("nowhere")
        assert "no run has that in it" in stand.text
        await stand.press("p")
        assert "there is no run" in stand.last

    at_screen(book, work)


def test_help_lists_every_key_and_hides_commands(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.press("?")
        for command in ControlCommand:
            assert f" {command.spec.on_screen.key}  {command.word} " in stand.text
        await stand.press("p")
        assert not stand.app.watching.prompt
        await stand.press("?")
        assert "Keys and signs" not in stand.text

    at_screen(book, work)
