"""Presses buttons of the dialog in front by name, without keys or mouse."""

from collections.abc import Mapping

from handrail.desktop.errors import RecoveryError
from handrail.desktop.sense.accessibility_tree import AccessibilityTree, SlowTreeError
from handrail.desktop.sense.bus_connection import BusLostError, NoAnswerError
from handrail.desktop.sense.x11_windows import X11Windows


class DialogButtons:
    """The buttons of dialogs on a display; used from one thread at a time."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._windows = X11Windows(environ.get("DISPLAY", ""))
        self._tree = AccessibilityTree(environ)

    def press(self, name: str) -> None:
        """Press the button of an open dialog of the program in front; raises RecoveryError, and
        NoDisplayError."""
        action = f"click {name}"
        desktop = self._windows.read()
        front = desktop.find(desktop.active)
        if front is None:
            raise RecoveryError(action, "no window has the focus")
        try:
            pressed = self._tree.press_button(front.pid, front.title, name)
        except (BusLostError, NoAnswerError, SlowTreeError) as problem:
            raise RecoveryError(action, str(problem)) from problem
        if not pressed:
            raise RecoveryError(action, f"no dialog of {front.title!r} shows such a button")

    def close(self) -> None:
        """Close the connections."""
        self._windows.close()
        self._tree.close()
