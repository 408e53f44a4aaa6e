"""Reads the windows of an X display over a kept connection."""

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from Xlib import X
from Xlib.display import Display
from Xlib.error import XError
from Xlib.xobject.drawable import Window

from handrail.desktop.errors import NoDisplayError
from handrail.desktop.sense.screen_facts import DesktopFacts, WindowFacts
from handrail.desktop.windows import Area
from handrail.desktop.x_display import LOST, ask_for_life, close_display, open_display

Result = TypeVar("Result")

MOST_WINDOWS = 200
_WORDS_PER_TITLE = 1024
_MENUS = ("_NET_WM_WINDOW_TYPE_POPUP_MENU", "_NET_WM_WINDOW_TYPE_DROPDOWN_MENU")
_BACKGROUND = ("_NET_WM_WINDOW_TYPE_DESKTOP", "_NET_WM_WINDOW_TYPE_DOCK")


class X11Windows:
    """The windows of one display; used from one thread at a time."""

    def __init__(self, display: str) -> None:
        self._name = display
        self._display: Display | None = None
        self._atoms: dict[str, int] = {}

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
            self._atoms.clear()
            self._display = open_display(self._name)
            self._display.set_error_handler(_ignore_error)
        else:
            ask_for_life(self._display)
        return self._display

    def _read(self, display: Display) -> DesktopFacts:
        root = display.screen().root
        children = root.query_tree().children
        if self._numbers(display, root, "_NET_SUPPORTING_WM_CHECK"):
            managed = self._numbers(display, root, "_NET_CLIENT_LIST_STACKING")
            active = next(iter(self._numbers(display, root, "_NET_ACTIVE_WINDOW")), 0)
        else:
            managed = [child.id for child in children if self._is_managed(child)]
            active = self._focused_top(display, managed)
        windows: list[WindowFacts] = []
        open_menu = False
        for window in managed[-MOST_WINDOWS:]:
            with suppress(XError):
                if facts := self._look_at(display, window):
                    windows.append(facts)
        for child in children:
            with suppress(XError):
                open_menu = open_menu or self._is_menu(display, child)
        return DesktopFacts(active, tuple(windows), open_menu)

    def _look_at(self, display: Display, window: int) -> WindowFacts | None:
        """Return the facts of a window, or None if it is no more than background."""
        shown = display.create_resource_object("window", window)
        kinds = {
            display.get_atom_name(kind)
            for kind in self._numbers(display, shown, "_NET_WM_WINDOW_TYPE")
        }
        names = shown.get_wm_class()
        if kinds & set(_BACKGROUND):
            return None
        states = self._numbers(display, shown, "_NET_WM_STATE")
        return WindowFacts(
            window,
            title=self._title(display, shown),
            program=names[1].casefold() if names else "",
            pid=next(iter(self._numbers(display, shown, "_NET_WM_PID")), 0),
            modal=self._atom(display, "_NET_WM_STATE_MODAL") in states,
            dialog="_NET_WM_WINDOW_TYPE_DIALOG" in kinds,
            transient_for=next(iter(self._numbers(display, shown, "WM_TRANSIENT_FOR")), 0),
        )

    def _is_menu(self, display: Display, child: Window) -> bool:
        """Whether a child of the root is a menu that shows: no window manager knows it."""
        attributes = child.get_attributes()
        if not attributes.override_redirect or attributes.map_state != X.IsViewable:
            return False
        menus = {self._atom(display, name) for name in _MENUS}
        return bool(menus & set(self._numbers(display, child, "_NET_WM_WINDOW_TYPE")))

    def _is_managed(self, child: Window) -> bool:
        """Whether a child of the root is a window that a window manager would take care of."""
        with suppress(XError):
            attributes = child.get_attributes()
            return not attributes.override_redirect and attributes.map_state == X.IsViewable
        return False

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

    def _title(self, display: Display, shown: Window) -> str:
        for name in ("_NET_WM_NAME", "WM_NAME"):
            got = shown.get_property(
                self._atom(display, name), X.AnyPropertyType, 0, _WORDS_PER_TITLE
            )
            if got and got.value:
                value = got.value
                text = value if isinstance(value, str) else bytes(value).decode(errors="replace")
                return text.strip()
        return ""

    def _numbers(self, display: Display, shown: Window, name: str) -> list[int]:
        got = shown.get_property(self._atom(display, name), X.AnyPropertyType, 0, MOST_WINDOWS)
        return [int(one) for one in got.value] if got and got.format == 32 else []

    def _atom(self, display: Display, name: str) -> int:
        if name not in self._atoms:
            self._atoms[name] = display.intern_atom(name)
        return self._atoms[name]


def _ignore_error(error: XError, request: object) -> None:
    """Stay silent about a window that closed meanwhile."""
