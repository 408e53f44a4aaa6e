"""Pictures by mss: the fastest way, through memory that is shared with the X server."""

from contextlib import suppress

from mss import MSS, ScreenShotError
from PIL import Image

from handrail.desktop.capture.screen_layout import ScreenLayout
from handrail.desktop.capture.screenshot import CaptureTarget
from handrail.desktop.errors import CaptureError
from handrail.desktop.windows import Area


class MssBackend:
    """Keeps its connection to the display; after a loss it connects anew."""

    name = "mss"

    def __init__(self, display: str = "") -> None:
        self._display = display
        self._layout = ScreenLayout(display)
        self._mss: MSS | None = None
        self._screen = Area(0, 0, 0, 0)

    def grab(self, target: CaptureTarget) -> Image.Image:
        """Return the pixels; raises NoDisplayError, NoWindowError or CaptureError."""
        area = self._layout.area(target)
        try:
            taken = self._connection().grab(
                {"left": area.x, "top": area.y, "width": area.width, "height": area.height}
            )
        except ScreenShotError as error:
            self._disconnect()
            # It says so if the display was lost in between.
            self._layout.area(CaptureTarget())
            raise CaptureError(f"mss cannot take a picture: {error}") from error
        return Image.frombytes("RGB", (area.width, area.height), taken.raw, "raw", "BGRX")

    def close(self) -> None:
        """Close its connections."""
        self._disconnect()
        self._layout.close()

    def _connection(self) -> MSS:
        # mss shares as much memory as the screen needed when it connected.
        if self._layout.screen != self._screen:
            self._disconnect()
        if self._mss is None:
            self._mss = MSS(display=self._display or None)
            self._screen = self._layout.screen
        return self._mss

    def _disconnect(self) -> None:
        if self._mss is not None:
            with suppress(ScreenShotError):
                self._mss.close()
        self._mss = None
