"""Windows in known colours."""

from Xlib import X, Xutil

from tests.desktop.desktop_bed import DesktopBed

RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)
Colour = tuple[int, int, int]


def paint(bed: DesktopBed, colour: Colour, x: int, y: int, width: int, height: int) -> int:
    """Put a rectangle over everything, past the window manager; returns its id."""
    window = bed.root.create_window(
        x, y, width, height, 0, X.CopyFromParent,
        background_pixel=_pixel(bed, colour), override_redirect=True,
    )  # fmt: skip
    window.map()
    bed.x.sync()
    return int(window.id)


def open_window(
    bed: DesktopBed, title: str, colour: Colour, x: int, y: int, width: int, height: int
) -> int:
    """Open a window with a title, as a program does; returns its id."""
    window = bed.root.create_window(
        x, y, width, height, 0, X.CopyFromParent, background_pixel=_pixel(bed, colour)
    )
    window.change_property(
        bed.x.intern_atom("_NET_WM_NAME"), bed.x.intern_atom("UTF8_STRING"), 8, title.encode()
    )
    window.set_wm_normal_hints(flags=Xutil.USPosition | Xutil.PPosition)
    window.map()
    bed.x.sync()
    bed.until(lambda: window.id in bed.windows(), title)
    bed.until(lambda: bed.active() == window.id, f"the focus of {title}")
    return int(window.id)


def clear(bed: DesktopBed, *windows: int) -> None:
    """Remove windows again."""
    for window in windows:
        bed.x.create_resource_object("window", window).destroy()
    bed.x.sync()
    bed.until(lambda: not set(windows) & set(bed.windows()), "the end of the windows")


def _pixel(bed: DesktopBed, colour: Colour) -> int:
    if bed.x.screen().root_depth == 16:
        red, green, blue = colour
        return red >> 3 << 11 | green >> 2 << 5 | blue >> 3
    return int.from_bytes(bytes(colour), "big")
