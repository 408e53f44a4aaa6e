"""Takes a picture of a screen or window, ready to keep and to send."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from handrail.desktop.capture.choose_backend import AUTO, open_backend
from handrail.desktop.capture.screenshot import CaptureBackend, CaptureTarget, Screenshot
from handrail.desktop.packages import load

if TYPE_CHECKING:
    from PIL.Image import Image

_ENCODE = "handrail.desktop.capture.encode"
_SCREEN = CaptureTarget()


class ScreenCapture:
    """Takes pictures with one backend; used from one thread at a time."""

    def __init__(self, backend: CaptureBackend, clock: Callable[[], float] = time.time) -> None:
        self.backend = backend
        self._clock = clock
        self._encode: Callable[[Image, float], Screenshot] = load(_ENCODE).encode_screenshot

    def take(self, target: CaptureTarget = _SCREEN) -> Screenshot:
        """Return a picture; raises NoDisplayError, NoWindowError or CaptureError."""
        at = self._clock()
        return self._encode(self.backend.grab(target), at)

    def close(self) -> None:
        """Close the connection to the display."""
        self.backend.close()


def open_capture(backend: str = AUTO, display: str = "") -> ScreenCapture:
    """Choose a backend for a display, by default that of DISPLAY; raises MissingPackageError."""
    return ScreenCapture(open_backend(backend, display))
