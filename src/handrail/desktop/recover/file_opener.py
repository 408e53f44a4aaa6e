"""Opening a file in an editor: the port, and the keys that do it in the editors we know."""

from collections.abc import Callable, Sequence
from typing import Protocol

from handrail.desktop.errors import RecoveryError
from handrail.desktop.recover.actions import OpenFile, PressKeys, TypeText, WaitSeconds
from handrail.desktop.recover.editor_windows import (
    PATH,
    AwaitDialog,
    find_editor,
    keys_that_open,
)
from handrail.desktop.recover.input_device import InputDevice
from handrail.desktop.screen_reading import ScreenReading
from handrail.desktop.sense.screen_facts import WindowFacts
from handrail.model.desktop import ScreenStatus

_DIALOG_SECONDS = 30.0
_LOOKS = 300


class FileOpener(Protocol):
    """Opens files in the editor by its own means."""

    def open(self, path: str) -> None:
        """Open a file and give it the focus; raises DesktopError."""


class KeyboardFileOpener:
    """Opens a file as a person does: quick open, or the file dialog."""

    def __init__(
        self,
        device: InputDevice,
        list_windows: Callable[[], Sequence[WindowFacts]],
        sense: Callable[[], ScreenReading],
        wait: Callable[[float], bool],
    ) -> None:
        """`list_windows` has the lowest first; `wait` returns True if all shall stop."""
        self._device = device
        self._list_windows = list_windows
        self._sense = sense
        self._wait = wait

    def open(self, path: str) -> None:
        """Open a file and give it the focus; raises NoWindowError or RecoveryError."""
        action = OpenFile(path).text
        shown = find_editor(self._list_windows(), path)
        if not (steps := keys_that_open(shown)):
            raise RecoveryError(action, "nobody knows how this editor opens files")
        self._device.focus_window(shown.window)
        if self._sense().status is ScreenStatus.DIALOG:
            raise RecoveryError(action, "a dialog is open, and would take the keys")
        for step in steps:
            match step:
                case PressKeys():
                    self._device.press(step.keys)
                case TypeText():
                    self._device.type_text(path if step is PATH else step.content)
                case WaitSeconds():
                    self._pause(action, step.seconds)
                case AwaitDialog():
                    self._await_dialog(action)

    def _await_dialog(self, action: str) -> None:
        for _ in range(_LOOKS):
            if self._sense().status is ScreenStatus.DIALOG:
                return
            self._pause(action, _DIALOG_SECONDS / _LOOKS)
        problem = f"the editor showed no file dialog within {_DIALOG_SECONDS:g} s"
        raise RecoveryError(action, problem)

    def _pause(self, action: str, seconds: float) -> None:
        if self._wait(seconds):
            raise RecoveryError(action, "the watch was stopped")
