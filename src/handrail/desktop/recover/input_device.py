"""The port of keyboard, mouse and windows."""

from typing import Protocol


class InputDevice(Protocol):
    """Keyboard, mouse and windows of a display; used from one thread at a time.

    Every method raises RecoveryError if the display did not take it.
    """

    def press(self, keys: str) -> None:
        """Press a key or a combination: `Escape`, `ctrl+shift+p`."""

    def type_text(self, text: str) -> None:
        """Put a text where the focus is, all of it, in any language."""

    def click(self, x: int, y: int) -> None:
        """Click with the left button, in pixels of the screen."""

    def focus_window(self, window: int) -> None:
        """Raise a window and give it the focus; returns when it has it."""

    def press_button(self, name: str) -> None:
        """Press the button of the open dialog with this name."""

    def close(self) -> None:
        """Close the connection to the display."""
