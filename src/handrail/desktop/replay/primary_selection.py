"""What is selected on an X display: a program shows so which text has its keyboard."""

import select
import time
from contextlib import suppress

from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.error import XError
from Xlib.protocol.event import SelectionNotify

from handrail.desktop.x_display import close_display, open_display

_PROPERTY = "HANDRAIL_SELECTION"


class PrimarySelection:
    """Reads the primary selection; used from one thread."""

    def __init__(self, display: str = "") -> None:
        self._name = display
        self._display: Display | None = None

    def claim(self) -> None:
        """Take the selection over: whatever is read afterwards was selected since."""
        display = self._connect()
        self._window.set_selection_owner(Xatom.PRIMARY, X.CurrentTime)
        display.sync()

    def read(self, seconds: float) -> str | None:
        """Return what somebody else has selected, as soon as there is something; None: nothing.

        A text that is too large for one answer is given as "".
        """
        display = self._connect()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            owner = display.get_selection_owner(Xatom.PRIMARY)
            if owner not in (X.NONE, self._window):
                return self._fetch(display, end)
            # Nobody tells when it changes, without an extension.
            select.select([], [], [], 0.01)
        return None

    def close(self) -> None:
        """Close the connection."""
        display, self._display = self._display, None
        if display is not None:
            close_display(display)

    def _connect(self) -> Display:
        if self._display is None:
            self._display = open_display(self._name)
            screen = self._display.screen()
            self._window = screen.root.create_window(-1, -1, 1, 1, 0, X.CopyFromParent)
        return self._display

    def _fetch(self, display: Display, end: float) -> str | None:
        kind = display.intern_atom("UTF8_STRING")
        prop = display.intern_atom(_PROPERTY)
        self._window.convert_selection(Xatom.PRIMARY, kind, prop, X.CurrentTime)
        display.flush()
        while (left := end - time.monotonic()) > 0:
            if not display.pending_events():
                select.select([display.fileno()], [], [], left)
                continue
            happened = display.next_event()
            if isinstance(happened, SelectionNotify):
                break
        else:
            return None
        with suppress(XError):
            got = self._window.get_full_property(prop, X.AnyPropertyType)
            self._window.delete_property(prop)
            if got is not None:
                value = got.value
                text = value if isinstance(value, str) else bytes(value).decode(errors="replace")
                return text if got.property_type == kind else ""
        return None
