"""A reading of the screen: what local sensing and the model return alike."""

from typing import Protocol

import msgspec

from handrail.desktop.capture.screenshot import CaptureTarget, Screenshot
from handrail.model.desktop import ScreenStatus


class ScreenQuestion(msgspec.Struct, frozen=True):
    """A screen to read, with what is known about the work."""

    screenshot: Screenshot
    target: CaptureTarget = CaptureTarget()
    expected_file: str = ""
    """The path or name of the file that should be open; empty: any."""
    context: str = ""
    """What the worker is doing, in its own words."""


class ScreenReading(msgspec.Struct, frozen=True):
    """The state of a screen."""

    status: ScreenStatus
    confidence: float = 0.0
    description: str = ""
    recovery_actions: tuple[str, ...] = ()
    """What would help, in order, in the vocabulary of `recover/`; empty: nothing, or unknown."""
    expected_file: str = ""
    actual_file: str = ""
    raw_response: str = ""
    source: str = ""
    """`local` or `vision`."""
    symptom: str = ""
    """Equal for the same trouble at the next look: the status and the dialog's or file's name."""
    buttons: tuple[str, ...] = ()
    """The names of the buttons of the dialog that was sensed."""
    window: int = 0
    """The X id of the window with the focus; 0: unknown."""
    window_title: str = ""
    is_terminal: bool = False
    """Whether keys would reach a terminal."""
    cost_usd: float = 0.0


class ScreenReader(Protocol):
    """Reads screens: local sensing, and the model."""

    def read(self, question: ScreenQuestion) -> ScreenReading:
        """Return the state of the screen; raises DesktopError."""

    def close(self) -> None:
        """Close its connections."""
