"""Recoveries on a real desktop: proposed, allowed, carried out, and looked at again."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Event

import pytest

from handrail.desktop.capture.screenshot import Screenshot
from handrail.desktop.recover.actions import RecoveryAction, parse_actions
from handrail.desktop.recover.executor import RecoveryExecutor
from handrail.desktop.recover.policy import allow_actions
from handrail.desktop.recover.xtest_device import XTestDevice
from handrail.desktop.screen_reading import ScreenQuestion, ScreenReading
from handrail.desktop.sense.dialog_buttons import DialogButtons
from handrail.desktop.sense.local_sensor import LocalSensor
from handrail.desktop.sense.x11_windows import X11Windows
from handrail.model.desktop import RecoveryStep, ScreenStatus
from tests.desktop.desktop_bed import DesktopBed, need

pytestmark = pytest.mark.slow
NO_PICTURE = Screenshot(b"", 0, 0, at=0.0)


class Rescuer:
    """Eyes and hands on a desktop."""

    def __init__(self, desktop: DesktopBed, closing: ExitStack) -> None:
        self.sensor = LocalSensor(desktop.environment)
        buttons = DialogButtons(desktop.environment)
        windows = X11Windows(desktop.name)
        device = XTestDevice(buttons.press, desktop.name)
        for opened in (self.sensor, buttons, windows, device):
            closing.callback(opened.close)
        self.expected = ""
        self.executor = RecoveryExecutor(
            device, lambda: windows.read().windows, self.look, Event().wait
        )

    def look(self) -> ScreenReading:
        return self.sensor.read(ScreenQuestion(NO_PICTURE, expected_file=self.expected))

    def recover(self, *proposed: str, proposer: str = "local") -> tuple[RecoveryStep, ...]:
        reading = self.look()
        actions = parse_actions(proposed or reading.recovery_actions)
        allowed = allow_actions(actions, reading, self.expected, proposer)
        return self.executor.carry_out(allowed, agree, self.expected)


def agree(_: RecoveryAction) -> str:
    return ""


@pytest.fixture
def rescuer(desktop: DesktopBed) -> Iterator[Rescuer]:
    with ExitStack() as closing:
        yield Rescuer(desktop, closing)


def sees(rescuer: Rescuer, status: ScreenStatus) -> Callable[[], bool]:
    return lambda: rescuer.look().status is status


@pytest.mark.parametrize("program", ["mousepad --disable-server", "geany -im", "featherpad"])
def test_the_expected_file_is_opened_in_place_of_the_wrong_one(
    desktop: DesktopBed, rescuer: Rescuer, program: str, tmp_path: Path
) -> None:
    command = program.split()
    need(command[0])
    wrong, right = tmp_path / "wrong.py", tmp_path / "expécted file.py"
    for file in (wrong, right):
        file.write_text("x = 1\n")
    desktop.start(*command, str(wrong))
    rescuer.expected = str(right)
    desktop.until(lambda: rescuer.look().actual_file.endswith("wrong.py"), "the wrong file")
    steps = rescuer.recover()
    assert [step.error for step in steps] == [""], rescuer.look()
    desktop.until(sees(rescuer, ScreenStatus.NORMAL), "the expected file")
    assert (wrong.read_text(), right.read_text()) == ("x = 1\n", "x = 1\n")


def test_a_model_cancels_a_dialog_that_sensing_sees(
    desktop: DesktopBed, rescuer: Rescuer, tmp_path: Path
) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("one\n")
    desktop.mousepad(file)
    desktop.press("x")
    rescuer.expected = str(file)
    desktop.until(lambda: desktop.title(desktop.active()).startswith("*"), "the change")
    desktop.press("ctrl+q")
    desktop.until(lambda: "Cancel" in rescuer.look().buttons, "the dialog")
    assert rescuer.recover("click Cancel", proposer="vision") == (RecoveryStep("click Cancel"),)
    desktop.until(sees(rescuer, ScreenStatus.NORMAL), "the editor")
    assert file.read_text() == "one\n"


def test_nothing_is_typed_into_a_real_terminal_and_the_editor_gets_the_focus_back(
    desktop: DesktopBed, rescuer: Rescuer, tmp_path: Path
) -> None:
    file, typed = tmp_path / "main.py", tmp_path / "typed"
    file.write_text("x = 1\n")
    editor = desktop.mousepad(file)
    rescuer.expected = str(file)
    desktop.xterm("/bin/sh", "-c", f"cat > {typed}")
    desktop.until(sees(rescuer, ScreenStatus.TERMINAL), "the terminal")
    for unchecked in ("type main.py", "press Return"):
        [step] = rescuer.executor.carry_out(parse_actions([unchecked]), agree)
        assert "a terminal has the focus" in step.error
    assert rescuer.recover("focus", proposer="vision") == (RecoveryStep("focus"),)
    desktop.until(sees(rescuer, ScreenStatus.NORMAL), "the editor")
    assert desktop.active() == editor.window
    assert typed.read_bytes() == b""
