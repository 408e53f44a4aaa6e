"""Hands that do not write into a terminal."""

from collections.abc import Callable

from handrail.desktop.errors import RecoveryError
from handrail.desktop.recover.input_device import InputDevice
from handrail.desktop.screen_reading import ScreenReading
from handrail.model.desktop import ScreenStatus

_RUNS = ("Return",)


class GuardedDevice:
    """An InputDevice that looks once more before it types or presses Return.

    The focus may have moved since the recovery was proposed; in a terminal, a text is a command.
    """

    def __init__(self, device: InputDevice, sense: Callable[[], ScreenReading]) -> None:
        """`sense` is a quick look by local sensing."""
        self._device = device
        self._sense = sense

    def press(self, keys: str) -> None:
        """Press a key or a combination; Return not in a terminal."""
        if keys.rpartition("+")[2] in _RUNS:
            self._check_focus(f"press {keys}")
        self._device.press(keys)

    def type_text(self, text: str) -> None:
        """Put a text where the focus is, unless that is a terminal."""
        self._check_focus(f"type {text}")
        self._device.type_text(text)

    def click(self, x: int, y: int) -> None:
        """Click with the left button, in pixels of the screen."""
        self._device.click(x, y)

    def focus_window(self, window: int) -> None:
        """Raise a window and give it the focus."""
        self._device.focus_window(window)

    def press_button(self, name: str) -> None:
        """Press the button of the open dialog with this name."""
        self._device.press_button(name)

    def close(self) -> None:
        """Close the connection to the display."""
        self._device.close()

    def _check_focus(self, action: str) -> None:
        reading = self._sense()
        if reading.is_terminal or reading.status is ScreenStatus.TERMINAL:
            raise RecoveryError(action, "a terminal has the focus and would run it")
