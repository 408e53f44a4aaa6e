"""Reads the windows of an X display over a kept connection."""

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from Xlib.display import Display
from Xlib.error import XError

from handrail.desktop.errors import NoDisplayError
from handrail.desktop.sense.screen_facts import DesktopFacts, WindowFacts
from handrail.desktop.sense.x11_requests import find_popups, get_properties
from handrail.desktop.windows import Area
from handrail.desktop.x_display import LOST, ask_for_life, close_display, open_display

Result = TypeVar("Result")

MOST_WINDOWS = 200
_TYPE = "_NET_WM_WINDOW_TYPE"
_ROOT = ("_NET_SUPPORTING_WM_CHECK", "_NET_CLIENT_LIST_STACKING", "_NET_ACTIVE_WINDOW")
_WINDOW = (
    "_NET_WM_NAME", "WM_NAME", "WM_CLASS", "_NET_WM_PID", "_NET_WM_STATE", "WM_TRANSIENT_FOR", _TYPE
)  # fmt: skip
_MENUS = ("_NET_WM_WINDOW_TYPE_POPUP_MENU", "_NET_WM_WINDOW_TYPE_DROPDOWN_MENU")
_BACKGROUND = ("_NET_WM_WINDOW_TYPE_DESKTOP", "_NET_WM_WINDOW_TYPE_DOCK")


class X11Windows:
    """The windows of one display; used from one thread at a time."""

    def __init__(self, display: str) -> None:
        self._name = display
        self._display: Display | None = None

    def read(self) -> DesktopFacts:
        """Return all windows; raises NoDisplayError."""
        return self._on_display(self._read)

    def find_area(self, window: int) -> Area | None:
        """Return the place of a window, or None if it is gone."""
        return self._on_display(lambda display: self._area(display, window))

    def close(self) -> None:
        """Close the connection."""
        display, self._display = self._display, None
        if display is not None:
            close_display(display)

    def _on_display(self, read: Callable[[Display], Result]) -> Result:
        """Read from a kept connection, once more from a new one if it was lost in between."""
        kept = self._display is not None
        try:
            return read(self._connect())
        except (NoDisplayError, *LOST) as problem:
            self.close()
            if isinstance(problem, NoDisplayError) and not kept:
                raise
            if not kept:
                raise NoDisplayError(self._name, str(problem)) from problem
        return self._on_display(read)

    def _connect(self) -> Display:
        if self._display is None:
            if not self._name:
                raise NoDisplayError("")
            self._display = open_display(self._name)
            self._display.set_error_handler(_ignore_error)
        else:
            ask_for_life(self._display)
            # Nobody asked for events, but each change of the keyboard is told to everybody.
            while self._display.pending_events():
                self._display.next_event()
        return self._display

    def _read(self, display: Display) -> DesktopFacts:
        root = display.screen().root
        children = [int(child.id) for child in root.query_tree().children]
        managed, popups = find_popups(display, children)
        (told,) = get_properties(display, [root.id], _ROOT)
        if told.numbers("_NET_SUPPORTING_WM_CHECK"):
            managed = told.numbers("_NET_CLIENT_LIST_STACKING")
            active = told.number("_NET_ACTIVE_WINDOW")
        else:
            active = self._focused_top(display, managed)
        menus = {display.intern_atom(name) for name in _MENUS}
        return DesktopFacts(
            active,
            self._windows(display, managed[-MOST_WINDOWS:]),
            any(
                menus & set(one.numbers(_TYPE)) for one in get_properties(display, popups, (_TYPE,))
            ),
        )

    def _windows(self, display: Display, managed: list[int]) -> tuple[WindowFacts, ...]:
        modal = display.intern_atom("_NET_WM_STATE_MODAL")
        dialog = display.intern_atom("_NET_WM_WINDOW_TYPE_DIALOG")
        background = {display.intern_atom(name) for name in _BACKGROUND}
        found = zip(managed, get_properties(display, managed, _WINDOW), strict=True)
        return tuple(
            WindowFacts(
                window,
                title=(told.text("_NET_WM_NAME") or told.text("WM_NAME")).strip(),
                program=told.text("WM_CLASS").rstrip("\0").rpartition("\0")[2].casefold(),
                pid=told.number("_NET_WM_PID"),
                modal=modal in told.numbers("_NET_WM_STATE"),
                dialog=dialog in told.numbers(_TYPE),
                transient_for=told.number("WM_TRANSIENT_FOR"),
            )
            for window, told in found
            if not background & set(told.numbers(_TYPE))
        )

    def _focused_top(self, display: Display, tops: list[int]) -> int:
        """Return which of these windows has the focus, where no window manager tells."""
        focus = display.get_input_focus().focus
        with suppress(XError):
            while not isinstance(focus, int) and focus.id not in tops:
                focus = focus.query_tree().parent
        return 0 if isinstance(focus, int) else int(focus.id)

    def _area(self, display: Display, window: int) -> Area | None:
        shown = display.create_resource_object("window", window)
        try:
            size = shown.get_geometry()
            place = display.screen().root.translate_coords(shown, 0, 0)
        except XError:
            return None
        return Area(place.x, place.y, size.width, size.height)


def _ignore_error(error: XError, request: object) -> None:
    """Stay silent about a window that closed meanwhile."""
