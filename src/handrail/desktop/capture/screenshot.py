"""A picture of a screen or window, and the port of the programs that take one."""

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from PIL.Image import Image

JPEG = "image/jpeg"


class CaptureTarget(msgspec.Struct, frozen=True):
    """What to look at: the whole screen, or one window."""

    window: str = ""
    """An X id (`0x1c00003`) or a part of a title; empty: the screen."""
    screen: int = 0
    """0: all monitors as one picture; 1 and more: that monitor."""


class Screenshot(msgspec.Struct, frozen=True):
    """An encoded picture."""

    data: bytes
    width: int
    height: int
    at: float
    """Seconds since 1970."""
    media_type: str = JPEG
    scale: float = 1.0
    """Its size relative to the screen: smaller than 1 if it was shrunk."""


class CaptureBackend(Protocol):
    """A program or library that takes pictures; used from one thread at a time."""

    name: str

    def grab(self, target: CaptureTarget) -> "Image":
        """Return the pixels; raises NoDisplayError, NoWindowError or CaptureError."""

    def close(self) -> None:
        """Close its connection to the display."""
