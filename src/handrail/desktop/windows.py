"""The windows and monitors of an X display: which there are, and where."""

import re
from contextlib import suppress

import msgspec
from Xlib import X
from Xlib.display import Display
from Xlib.error import XError
from Xlib.xobject.drawable import Window

from handrail.desktop.errors import CaptureError, NoWindowError

_ID = re.compile(r"0[xX][0-9a-fA-F]+|\d+")
_WORDS = 4096
"""Four bytes each: room for any title, and for any list of windows."""
_LARGEST_ID = 2**29 - 1
_LISTS = ("_NET_CLIENT_LIST_STACKING", "_NET_CLIENT_LIST")


class Area(msgspec.Struct, frozen=True):
    """A rectangle of the screen, in pixels."""

    x: int
    y: int
    width: int
    height: int

    def inside(self, other: "Area") -> "Area":
        """The part that lies in another one; its sides may be 0 or less."""
        left, top = max(self.x, other.x), max(self.y, other.y)
        right = min(self.x + self.width, other.x + other.width)
        bottom = min(self.y + self.height, other.y + other.height)
        return Area(left, top, right - left, bottom - top)


def screen_area(display: Display) -> Area:
    """The whole screen as it is now: people change its size."""
    now = display.screen().root.get_geometry()
    return Area(0, 0, int(now.width), int(now.height))


def monitor_area(display: Display, number: int) -> Area:
    """A monitor, counted from 1."""
    found = display.screen().root.xrandr_get_monitors().monitors
    if number > len(found):
        raise CaptureError(f"there is no monitor {number}: the screen has {len(found)}")
    monitor = found[number - 1]
    return Area(monitor.x, monitor.y, monitor.width_in_pixels, monitor.height_in_pixels)


def window_area(display: Display, window: int) -> Area:
    """The part of the screen that a window with its frame takes."""
    shown = display.create_resource_object("window", window)
    try:
        viewable = shown.get_attributes().map_state == X.IsViewable
        size = shown.get_geometry()
        corner = display.screen().root.translate_coords(shown, 0, 0)
    except XError as error:
        raise NoWindowError(hex(window), titles(display)) from error
    if not viewable:
        raise CaptureError(f"the window {title(display, window)!r} is minimised or hidden")
    left, right, top, bottom = (_numbers(display, shown, "_NET_FRAME_EXTENTS") or [0] * 4)[:4]
    whole = Area(
        corner.x - left,
        corner.y - top,
        size.width + left + right,
        size.height + top + bottom,
    )
    seen = whole.inside(screen_area(display))
    if seen.width <= 0 or seen.height <= 0:
        raise CaptureError(f"the window {title(display, window)!r} lies outside of the screen")
    return seen


def find_window(display: Display, wanted: str) -> int:
    """The id of the window with this id or part of a title; the uppermost of several."""
    known = window_ids(display)
    if _ID.fullmatch(wanted):
        number = int(wanted, 0) if wanted[:2] in {"0x", "0X"} else int(wanted)
        if number in known or (number <= _LARGEST_ID and _exists(display, number)):
            return number
    for window in reversed(known):
        if wanted.casefold() in title(display, window).casefold():
            return window
    raise NoWindowError(wanted, titles(display))


def window_ids(display: Display) -> tuple[int, ...]:
    """The windows of programs, the uppermost last."""
    root = display.screen().root
    for name in _LISTS:
        if found := _numbers(display, root, name):
            return tuple(found)
    # Without a window manager nobody keeps a list.
    return tuple(int(child.id) for child in root.query_tree().children)


def titles(display: Display) -> tuple[str, ...]:
    """The titles of all windows that have one."""
    return tuple(name for name in (title(display, each) for each in window_ids(display)) if name)


def title(display: Display, window: int) -> str:
    """The title of a window; "" if it has none, or is gone."""
    shown = display.create_resource_object("window", window)
    with suppress(XError):
        for name in ("_NET_WM_NAME", "WM_NAME"):
            # At once: if it became shorter between two requests, the second one would fail.
            got = shown.get_property(display.intern_atom(name), X.AnyPropertyType, 0, _WORDS)
            if got is not None and got.value:
                return bytes(got.value).decode("utf-8", "replace")
    return ""


def _exists(display: Display, window: int) -> bool:
    with suppress(XError):
        display.create_resource_object("window", window).get_geometry()
        return True
    return False


def _numbers(display: Display, window: Window, name: str) -> list[int]:
    with suppress(XError):
        if got := window.get_property(display.intern_atom(name), X.AnyPropertyType, 0, _WORDS):
            return [int(value) for value in got.value]
    return []
