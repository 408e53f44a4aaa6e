"""Hands on a real desktop, with real editors."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from threading import Timer

import pytest
from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from handrail.desktop.errors import RecoveryError
from handrail.desktop.recover.clipboard import CHUNK
from handrail.desktop.recover.xtest_device import XTestDevice
from handrail.desktop.sense.dialog_buttons import DialogButtons
from tests.desktop.desktop_bed import DesktopBed
from tests.desktop.recover.clipboard_owner import clipboard_owner, read_clipboard

pytestmark = pytest.mark.slow
_HARD = "plain\tü € ß 漢字 👩‍👩‍👧 𝄞 é e\u0301 \u202e«»  spaces  \n    indented (\n[{'\"\n"


def _no_button(name: str) -> None:
    raise RecoveryError(f"click {name}", "no dialog is open")


@pytest.fixture
def device(desktop: DesktopBed) -> Iterator[XTestDevice]:
    device = XTestDevice(_no_button, desktop.name)
    yield device
    device.close()


@pytest.mark.parametrize("editor", ["mousepad", "geany"])
def test_a_text_arrives_exactly_in_a_real_editor(
    desktop: DesktopBed, device: XTestDevice, editor: str, tmp_path: Path
) -> None:
    file = tmp_path / "pasted.txt"
    file.touch()
    program = getattr(desktop, editor)(file)
    device.type_text(_HARD)
    device.press("ctrl+s")
    desktop.until(lambda: file.stat().st_size > 0, "the saved file")
    desktop.until(lambda: not desktop.title(program.window).startswith("*"), "the end of saving")
    assert file.read_text() == _HARD


@pytest.mark.parametrize("size", [CHUNK, CHUNK + 1, 5 * CHUNK])
def test_a_long_text_arrives_exactly(
    desktop: DesktopBed, device: XTestDevice, size: int, tmp_path: Path
) -> None:
    line = "línea 漢\n"
    text = line * (size // len(line.encode()) - 1)
    text += "x" * (size - len(text.encode()) - 1) + "\n"
    assert len(text.encode()) == size
    file = tmp_path / "long.txt"
    file.touch()
    desktop.mousepad(file)
    device.type_text(text)
    device.press("ctrl+s")
    desktop.until(lambda: file.stat().st_size >= size, "the saved file")
    assert file.read_text() == text


_PAGE = """<!doctype html><meta charset=utf-8><title>loading</title>
<textarea onfocus="document.title = 'ready'"
  oninput="document.title = this.value.length + ' ' + this.value.slice(0, 100)"></textarea>
<script>document.querySelector("textarea").focus()</script>
"""


def test_a_browser_that_reads_twice_gets_every_text(
    desktop: DesktopBed, device: XTestDevice, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    page.write_text(_PAGE)
    window = desktop.chromium(page).window
    desktop.until(lambda: desktop.title(window) == "ready", "the page")
    device.type_text("ü € 漢字 ")
    desktop.until(lambda: desktop.title(window) == "7 ü € 漢字", "the first text")
    device.type_text("y" * 300_000)
    device.type_text("end")
    desktop.until(lambda: desktop.title(window).startswith("300010 ü"), "all texts")
    assert read_clipboard(desktop, "UTF8_STRING") is None


def test_the_clipboard_has_afterwards_what_it_had_before(
    desktop: DesktopBed, device: XTestDevice
) -> None:
    desktop.mousepad()
    with clipboard_owner(desktop, {"UTF8_STRING": "mine ü".encode(), "text/html": b"<b>mine</b>"}):
        device.type_text("first")
        device.type_text("second")
    assert read_clipboard(desktop, "UTF8_STRING") == "mine ü".encode()
    assert read_clipboard(desktop, "text/html") == b"<b>mine</b>"


def test_an_empty_clipboard_is_empty_again(desktop: DesktopBed, device: XTestDevice) -> None:
    desktop.mousepad()
    device.type_text("gone")
    assert read_clipboard(desktop, "UTF8_STRING") is None


def test_a_text_that_nobody_takes_is_an_error(desktop: DesktopBed) -> None:
    desktop.xterm("/bin/cat")
    with (
        closing(XTestDevice(_no_button, desktop.name, paste_seconds=0.2)) as device,
        pytest.raises(RecoveryError, match="did not take the paste"),
    ):
        device.type_text("not for a terminal")


def test_a_program_that_is_busy_gets_a_text_once(desktop: DesktopBed, tmp_path: Path) -> None:
    file = tmp_path / "late.txt"
    file.touch()
    process = desktop.mousepad(file).process
    goes_on = Timer(1, os.kill, (process.pid, signal.SIGCONT))
    with closing(XTestDevice(_no_button, desktop.name, paste_seconds=0.5)) as device:
        process.send_signal(signal.SIGSTOP)
        goes_on.start()
        device.type_text("once")
        device.press("ctrl+s")
        desktop.until(lambda: file.stat().st_size > 0, "the saved file")
    goes_on.join()
    assert file.read_text() == "once"


@pytest.mark.parametrize(("text", "says"), [("a\0b", "NUL"), ("\ud800", "Unicode")])
def test_a_text_that_cannot_arrive_whole_is_refused(
    device: XTestDevice, text: str, says: str
) -> None:
    with pytest.raises(RecoveryError, match=says):
        device.type_text(text)


def _typed(desktop: DesktopBed, device: XTestDevice, file: Path, *keys: str) -> str:
    """What a terminal reads as a line after some keys."""
    terminal = desktop.xterm("/bin/sh", "-c", f'IFS= read -r word; printf %s "$word" > {file}')
    for key in (*keys, "Return"):
        device.press(key)
    desktop.until(lambda: terminal.process.poll() is not None, "the end of the shell")
    return file.read_text()


@pytest.mark.parametrize("keys", ["a", "A", "shift+a", "+", "/", "?", "space", "7", "%"])
def test_a_key_arrives(desktop: DesktopBed, device: XTestDevice, keys: str, tmp_path: Path) -> None:
    expected = {"shift+a": "A", "space": " "}.get(keys, keys)
    assert _typed(desktop, device, tmp_path / "typed", keys) == expected


@pytest.mark.parametrize("letter", ["ü", "€", "я"])
def test_a_key_that_the_keyboard_lacks_arrives(
    desktop: DesktopBed, device: XTestDevice, letter: str, tmp_path: Path
) -> None:
    assert _typed(desktop, device, tmp_path / "typed", "a", letter, letter, "z") == (
        f"a{letter}{letter}z"
    )


def test_keys_that_were_lent_go_back(desktop: DesktopBed) -> None:
    def rows() -> list[tuple[int, ...]]:
        return [tuple(row) for row in watcher.get_keyboard_mapping(8, 248)]

    watcher = Display(desktop.name)
    before = rows()
    device = XTestDevice(_no_button, desktop.name)
    device.press("漢")
    assert rows() != before
    device.close()
    assert rows() == before
    watcher.close()


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ("NoSuchKey", "no key called 'NoSuchKey'"),
        ("", "no key called ''"),
        ("a+b", "'a' cannot be held"),
        ("ctrl+NoSuchKey", "no key called"),
        ("ctrl+", "no key called ''"),
    ],
)
def test_a_key_that_nobody_knows_is_an_error(device: XTestDevice, keys: str, says: str) -> None:
    with pytest.raises(RecoveryError, match=says):
        device.press(keys)


def test_a_modifier_that_somebody_left_pressed_is_released(
    desktop: DesktopBed, device: XTestDevice, tmp_path: Path
) -> None:
    control = desktop.x.keysym_to_keycode(0xFFE3)
    xtest.fake_input(desktop.x, X.KeyPress, control)
    desktop.x.sync()
    assert _typed(desktop, device, tmp_path / "typed", "b") == "b"


def test_a_dialog_closes_with_escape(
    desktop: DesktopBed, device: XTestDevice, tmp_path: Path
) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("notes\n")
    editor = desktop.mousepad(file)
    device.type_text("more")
    device.press("ctrl+q")
    desktop.until(lambda: desktop.active() not in {0, editor.window}, "the dialog")
    device.press("Escape")
    desktop.until(lambda: desktop.active() == editor.window, "the editor")


def test_a_window_gets_the_focus(desktop: DesktopBed, device: XTestDevice) -> None:
    first, second = desktop.xterm(), desktop.xterm()
    for program in (first, second, first):
        device.focus_window(program.window)
        assert desktop.active() == program.window


def test_a_window_behind_its_dialog_counts_as_focused(
    desktop: DesktopBed, device: XTestDevice
) -> None:
    editor = desktop.mousepad()
    device.type_text("unsaved")
    device.press("ctrl+q")
    desktop.until(lambda: desktop.active() not in {0, editor.window}, "the dialog")
    dialog = desktop.active()
    desktop.xterm()
    device.focus_window(editor.window)
    assert desktop.active() == dialog


def test_a_window_that_is_gone_is_an_error(desktop: DesktopBed, device: XTestDevice) -> None:
    window = desktop.xterm().window
    desktop.end_programs()
    with pytest.raises(RecoveryError, match="not there any more"):
        device.focus_window(window)


def test_a_click_reaches_the_window_below(desktop: DesktopBed, device: XTestDevice) -> None:
    first, second = desktop.xterm(), desktop.xterm()
    assert desktop.active() == second.window
    shown = desktop.x.create_resource_object("window", first.window)
    shown.configure(x=1200, y=600)
    desktop.until(lambda: desktop.corner(first.window)[0] >= 1200, "the move")
    x, y = desktop.corner(first.window)
    device.click(x + 20, y + 20)
    desktop.until(lambda: desktop.active() == first.window, "the focus")


@pytest.mark.parametrize(("x", "y"), [(-1, 0), (0, -1), (1920, 0), (0, 1080)])
def test_a_click_outside_of_the_screen_is_an_error(device: XTestDevice, x: int, y: int) -> None:
    with pytest.raises(RecoveryError, match="1920×1080"):
        device.click(x, y)


def test_without_a_window_manager_a_window_gets_the_focus_too(tmp_path: Path) -> None:
    with DesktopBed(tmp_path, manager=False) as bed:
        made = bed.root.create_window(0, 0, 50, 50, 0, X.CopyFromParent)
        made.map()
        bed.x.sync()
        device = XTestDevice(_no_button, bed.name)
        device.focus_window(made.id)
        assert bed.x.get_input_focus().focus == made
        device.close()


def test_after_a_lost_display_the_next_one_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = XTestDevice(_no_button)
    with DesktopBed(tmp_path / "one", accessible=False) as bed:
        monkeypatch.setenv("DISPLAY", bed.name)
        bed.mousepad()
        device.type_text("before")
        bed.lose_display()
        acts: tuple[Callable[[], None], ...] = (
            lambda: device.press("Escape"),
            lambda: device.type_text("lost"),
            lambda: device.click(1, 1),
            lambda: device.focus_window(1),
        )
        for act in acts:
            with pytest.raises(RecoveryError, match="cannot be opened"):
                act()
    with DesktopBed(tmp_path / "two", accessible=False) as bed:
        monkeypatch.setenv("DISPLAY", bed.name)
        bed.mousepad()
        device.type_text("after")
        device.close()


def test_no_display_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    with pytest.raises(RecoveryError, match="DISPLAY is not set"):
        XTestDevice(_no_button).press("Escape")


@pytest.mark.parametrize("editor", ["mousepad", "geany"])
def test_a_named_button_of_a_real_dialog_is_pressed(
    desktop: DesktopBed, editor: str, tmp_path: Path
) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("before\n")
    with (
        closing(DialogButtons(desktop.environment)) as buttons,
        closing(XTestDevice(buttons.press, desktop.name)) as device,
    ):
        program = getattr(desktop, editor)(file)
        device.type_text("more")
        device.press("ctrl+q")
        desktop.until(lambda: desktop.active() not in {0, program.window}, "the dialog")
        with pytest.raises(RecoveryError, match="no dialog"):
            device.press_button("No Such Button")
        device.press_button("Cancel")
        desktop.until(lambda: desktop.active() == program.window, "the editor")
        device.press("ctrl+q")
        desktop.until(lambda: desktop.active() not in {0, program.window}, "the dialog again")
        device.press_button("Don't Save")
        desktop.until(lambda: program.process.poll() is not None, "the end of the editor")
    assert file.read_text() == "before\n"
