"""Every key does what it says, and nothing else does anything."""

from functools import partial

import pytest
from textual.events import Paste

from handrail.model.control import ControlCommand, Standing
from handrail.model.event import ControlAsked
from handrail.tui.sending.commands import BY_KEY
from handrail.tui.sending.port import SendingStage
from tests.tui.sample_log import API, SHOP, SampleLog
from tests.tui.screen_user import FakeControls, ScreenUser, at_screen

pytestmark = pytest.mark.slow

RUNNING, PAUSED = Standing.RUNNING, Standing.PAUSED


def test_a_command_asks_for_a_reason_and_is_sent(book: SampleLog) -> None:
    plain = {
        "p": ControlCommand.PAUSE,
        "c": ControlCommand.CHECKPOINT,
        "f": ControlCommand.FREEZE,
        "i": ControlCommand.INTERRUPT,
    }

    async def work(stand: ScreenUser) -> None:
        await stand.choose("shop")
        for key, command in plain.items():
            await stand.press(key)
            assert "reason (may be empty):" in stand.last
            await stand.type("because")
            await stand.until_answered()
            assert stand.controls.sent.pop() == (command, SHOP, "because", "", RUNNING)

    at_screen(book, work)


def test_a_command_with_a_text_asks_for_that_first(book: SampleLog) -> None:
    asking = {
        "s": (ControlCommand.STEER, "tell the agent:"),
        "d": (ControlCommand.REDIRECT, "the new goal:"),
        "e": (ControlCommand.ESCALATE, "the model, such as opus:"),
    }

    async def work(stand: ScreenUser) -> None:
        await stand.choose("shop")
        for key, (command, question) in asking.items():
            await stand.press(key)
            assert question in stand.last
            await stand.type("opus")
            assert "reason (may be empty):" in stand.last
            await stand.press("enter")
            await stand.until_answered()
            assert stand.controls.sent.pop() == (command, SHOP, "", "opus", RUNNING)

    at_screen(book, work)


def test_a_text_that_is_needed_cannot_be_empty(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.choose("shop")
        await stand.press("s", "space", "enter")
        assert "tell the agent:" in stand.last
        assert stand.controls.sent == []

    at_screen(book, work)


def test_resume_is_for_a_run_that_is_held(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.choose("api")
        await stand.press("r", "enter")
        await stand.until_answered()
        assert stand.controls.sent == [(ControlCommand.RESUME, API, "", "", PAUSED)]

    at_screen(book, work)


def test_a_grave_command_says_what_will_happen_and_asks_once(book: SampleLog) -> None:
    grave = {
        "x": (ControlCommand.STOP, "", "ends all its processes"),
        "K": (ControlCommand.CANCEL, "", "You cannot resume it"),
        "u": (ControlCommand.ROLLBACK, "c7", "before rm -rf build notes/"),
    }

    async def work(stand: ScreenUser) -> None:
        await stand.choose("shop")
        for key, (command, text, says) in grave.items():
            await stand.press(key)
            assert says in " ".join(stand.text.split())
            assert f"⏎ {command.word} it   Esc send nothing" in stand.last
            assert stand.controls.sent == []
            await stand.type("done with it")
            await stand.until_answered()
            assert stand.controls.sent.pop() == (command, SHOP, "done with it", text, RUNNING)

    at_screen(book, work)


def test_esc_sends_nothing(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.choose("shop")
        for key in BY_KEY:
            if key != "r":
                await stand.press(key, "x", "escape")
                assert "nothing was sent" in stand.last
                await stand.press("enter")  # opens or closes details, and sends nothing
        assert stand.controls.sent == []

    at_screen(book, work)


def test_what_is_typed_into_a_question_is_no_command(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.choose("shop")
        chosen = stand.app.watching.chosen
        await stand.press("p", *"qxKrjk?/gG", "up", "tab", "pagedown")
        assert stand.app.watching.chosen == chosen
        assert "qxKrjk?/gG" in stand.last
        await stand.press("enter")
        await stand.until_answered()
        assert [sent[2] for sent in stand.controls.sent] == ["qxKrjk?/gG"]

    at_screen(book, work)


def test_what_is_pasted_is_text_in_a_question_and_else_nothing(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.choose("shop")
        before = stand.text
        stand.app.post_message(Paste("xxx\ny\nq"))
        await stand.pilot.pause()
        assert stand.text == before
        await stand.press("p")
        stand.app.post_message(Paste("one\ntwo"))
        await stand.until_shows("reason (may be empty): one two")
        await stand.press("enter")
        await stand.until_answered()
        assert [sent[2] for sent in stand.controls.sent] == ["one two"]

    at_screen(book, work)


def test_what_cannot_be_done_says_why(book: SampleLog) -> None:
    impossible = (
        ("shop", "r", "shop-3f2a is running; there is nothing to resume"),
        ("api", "p", "api-77d0 is paused; press r to resume it"),
        ("old", "p", "old-0b5e has ended: nothing to pause"),
        ("notes", "e", "notes-a001 was not started by handrail run"),
        ("notes", "u", "no checkpoint of notes-a001 yet"),
        ("docs", "r", "handrail incident show 2026-11-15-docs"),
    )

    async def work(stand: ScreenUser) -> None:
        for name, key, says in impossible:
            await stand.choose(name)
            await stand.press(key)
            await stand.until(partial(stand.says, says))
            assert not stand.app.watching.prompt

    at_screen(book, work, size=(120, 40))


def test_every_stage_of_a_command_is_shown_when_it_comes(book: SampleLog) -> None:
    controls = FakeControls(SendingStage("starting"), *FakeControls().stages)

    async def work(stand: ScreenUser) -> None:
        await stand.choose("api")
        controls.go_on.clear()
        await stand.press("f", "enter")
        assert stand.last == "freeze"
        controls.go_on.set()
        await stand.until_answered()
        assert stand.last == (
            "freeze starting the daemon … → requested → acknowledged"
            " → confirmed (held before: Bash pytest -q)"
        )

    at_screen(book, work, size=(120, 40), controls=controls)


def test_a_failure_is_shown_with_its_reason(book: SampleLog) -> None:
    failed = SendingStage("failed", "The run is paused, no longer running", "invalid_state")
    controls = FakeControls(SendingStage("requested"), SendingStage("acknowledged"), failed)

    async def work(stand: ScreenUser) -> None:
        await stand.choose("shop")
        await stand.press("p", "enter")
        await stand.until_shows("failed: The run is paused, no longer running")

    at_screen(book, work, size=(120, 40), controls=controls)


def test_controls_that_break_do_not_take_the_screen_along(book: SampleLog) -> None:
    class Broken(FakeControls):
        def send(self, *args: object, **more: object) -> None:  # type: ignore[override]
            raise ZeroDivisionError("oh no")

    async def work(stand: ScreenUser) -> None:
        await stand.choose("shop")
        await stand.press("p", "enter")
        await stand.until_shows("failed: ZeroDivisionError: oh no")

    at_screen(book, work, controls=Broken())


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
def test_a_key_leaves(book: SampleLog, key: str) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.press(key)
        await stand.until(lambda: not stand.app.is_running)
        assert stand.controls.sent == []

    at_screen(book, work)


def test_ctrl_c_in_a_question_only_ends_the_question(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.choose("shop")
        await stand.press("x", "ctrl+c")
        assert not stand.app.watching.prompt
        assert stand.app.is_running
        assert stand.controls.sent == []

    at_screen(book, work)


def test_keys_without_a_meaning_do_nothing(book: SampleLog) -> None:
    meant = {*BY_KEY, *"ajkgGqz?/"}

    async def work(stand: ScreenUser) -> None:
        before = stand.text
        await stand.press(*(chr(code) for code in range(33, 127) if chr(code) not in meant))
        assert stand.text == before

    at_screen(book, work)


def test_a_run_that_stands_otherwise_since_is_asked_for_as_it_was_seen(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.choose("shop")
        await stand.press("p")
        pausing = Standing.PAUSING
        book.note(SHOP, lambda at: ControlAsked(at, "q9", ControlCommand.PAUSE, pausing, "eve"))
        await stand.until_shows("pausing by eve")
        await stand.press("enter")
        await stand.until_answered()
        assert stand.controls.sent[0][4] == RUNNING

    at_screen(book, work)


def test_the_screen_can_be_left_while_a_command_is_under_way(book: SampleLog) -> None:
    controls = FakeControls()

    async def work(stand: ScreenUser) -> None:
        await stand.choose("shop")
        controls.go_on.clear()
        await stand.press("p", "enter", "q")
        await stand.until(lambda: not stand.app.is_running)

    at_screen(book, work, controls=controls)
