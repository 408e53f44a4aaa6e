"""Opening a file in an editor: the port, and the keys that do it in the editors we know."""

from collections.abc import Callable, Sequence
from typing import Protocol

from handrail.desktop.errors import RecoveryError
from handrail.desktop.recover.actions import OpenFile, PressKeys, TypeText, WaitSeconds
from handrail.desktop.recover.editor_windows import PATH, find_editor, keys_that_open
from handrail.desktop.recover.input_device import InputDevice
from handrail.desktop.sense.screen_facts import WindowFacts


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
        wait: Callable[[float], bool],
    ) -> None:
        """`list_windows` has the lowest first; `wait` returns True if all shall stop."""
        self._device = device
        self._list_windows = list_windows
        self._wait = wait

    def open(self, path: str) -> None:
        """Open a file and give it the focus; raises NoWindowError or RecoveryError."""
        shown = find_editor(self._list_windows(), path)
        if not (steps := keys_that_open(shown)):
            raise RecoveryError(OpenFile(path).text, "nobody knows how this editor opens files")
        self._device.focus_window(shown.window)
        for step in steps:
            match step:
                case PressKeys():
                    self._device.press(step.keys)
                case TypeText():
                    self._device.type_text(path if step is PATH else step.content)
                case WaitSeconds():
                    if self._wait(step.seconds):
                        raise RecoveryError(OpenFile(path).text, "the watch was stopped")
