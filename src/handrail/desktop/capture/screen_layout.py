"""Where on the screen a target lies; the backends take that part."""

from Xlib.display import Display
from Xlib.error import XError

from handrail.desktop.capture.screenshot import CaptureTarget
from handrail.desktop.errors import CaptureError, NoDisplayError
from handrail.desktop.windows import Area, find_window, monitor_area, screen_area, window_area
from handrail.desktop.x_display import close_display, limited, open_display


class ScreenLayout:
    """Knows the windows and monitors of a display; after a loss it connects anew."""

    def __init__(self, display: str = "") -> None:
        self._name = display
        self._display: Display | None = None
        self.screen = Area(0, 0, 0, 0)
        """The whole screen at the last question."""

    def area(self, target: CaptureTarget) -> Area:
        """Return its place; raises NoDisplayError, NoWindowError or CaptureError."""
        kept = self._display is not None
        try:
            return self._look(target)
        except NoDisplayError:
            self.close()
            if not kept:
                raise
        # A display that was started anew has the same name.
        return self.area(target)

    def _look(self, target: CaptureTarget) -> Area:
        if self._display is None:
            self._display = open_display(self._name)
        display = self._display
        try:
            with limited(display):
                self.screen = screen_area(display)
                if target.window:
                    return window_area(display, find_window(display, target.window))
                if target.screen:
                    return monitor_area(display, target.screen).inside(self.screen)
        except XError as error:
            raise CaptureError(f"the display does not tell where windows are: {error}") from error
        return self.screen

    def close(self) -> None:
        """Close the connection."""
        if self._display is not None:
            close_display(self._display)
        self._display = None
