"""A connection to an X display, which says clearly when there is none."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from socket import SHUT_RDWR, socket
from threading import Event, Thread, Timer
from traceback import walk_tb

from Xlib import xauth
from Xlib.display import Display
from Xlib.error import ConnectionClosedError, DisplayError, xerror_class

from handrail.desktop.errors import NoDisplayError

PATIENCE = 10.0
"""Seconds that a display has to answer."""
_TAKEN_BY_RANDR = (0, 1, 2)
LOST = (ConnectionClosedError, OSError)
"""What python-xlib raises when the display has gone."""


def _warn(*words: object) -> None:
    sys.stderr.write(" ".join(map(str, words)) + "\n")


# Xlib prints its warnings into the output of whoever uses it. To redirect that while a display is
# opened would move what other threads print meanwhile.
vars(xauth)["print"] = _warn


def open_display(name: str = "", seconds: float = PATIENCE) -> Display:
    """Connect to a display, by default to that of DISPLAY; raises NoDisplayError."""
    wanted = name or os.environ.get("DISPLAY", "")
    if not wanted:
        raise NoDisplayError("")
    # A server that stands still accepts the connection and then says nothing.
    opened: SimpleQueue[Display | str] = SimpleQueue()
    late = Event()
    Thread(target=_open, args=(wanted, opened, late), name="open-display", daemon=True).start()
    try:
        display = opened.get(timeout=seconds)
    except Empty:
        late.set()
        raise NoDisplayError(wanted, _too_slow(seconds)) from None
    if isinstance(display, str):
        raise NoDisplayError(wanted, display)
    return display


@contextmanager
def limited(display: Display, seconds: float = PATIENCE) -> Iterator[None]:
    """Give a display so long for what is asked of it; raises NoDisplayError if it is lost.

    Xlib itself waits forever. Afterwards, a connection that was too slow is closed.
    """
    late = Event()
    timer = Timer(seconds, _give_up, (display, late))
    timer.daemon = True
    timer.start()
    try:
        yield
    except NoDisplayError:
        raise
    except LOST as error:
        problem = _too_slow(seconds) if late.is_set() else _problem(error)
        raise NoDisplayError(str(display.get_display_name()), problem) from error
    finally:
        timer.cancel()


def ask_for_life(display: Display, seconds: float = PATIENCE) -> None:
    """Return if a display answers; raises NoDisplayError."""
    with limited(display, seconds):
        display.sync()


def _give_up(display: Display, late: Event) -> None:
    late.set()
    with suppress(OSError):
        display.display.socket.shutdown(SHUT_RDWR)


def close_display(display: Display) -> None:
    """Close a connection, whatever became of the display."""
    with suppress(*LOST):
        display.close()
    # Xlib leaves it open if the display has gone.
    display.display.socket.close()


def _open(name: str, opened: "SimpleQueue[Display | str]", late: Event) -> None:
    display = _connect(name)
    if not late.is_set():
        opened.put(display)
    elif isinstance(display, Display):
        close_display(display)


def _connect(name: str) -> Display | str:
    """Return the connection, or what the problem is."""
    try:
        display = Display(name)
        _repair(display)
        return display
    except (DisplayError, OverflowError, ValueError, *LOST) as error:
        _close_sockets(error)
        return _problem(error)


def _close_sockets(error: BaseException) -> None:
    """Close what a failed connection left open: Xlib forgets it, and only these frames know it."""
    for frame, _ in walk_tb(error.__traceback__):
        for local in frame.f_locals.values():
            # Not by getattr: a display that is half made looks for it without an end.
            held = getattr(local, "__dict__", {}).get("socket", local)
            if isinstance(held, socket):
                held.close()
    if error.__context__ is not None:
        _close_sockets(error.__context__)


def _repair(display: Display) -> None:
    """Give the core errors their classes back: Xlib's RandR takes the numbers 0 to 2 for its own.

    These lack all that Xlib needs of an error, so a BadValue would make it spin forever.
    """
    classes = display.display.error_classes
    for code in _TAKEN_BY_RANDR:
        classes.pop(code, None)
        if code in xerror_class:
            classes[code] = xerror_class[code]


def _too_slow(seconds: float) -> str:
    return f"it does not answer within {seconds:g} s"


def _problem(error: Exception) -> str:
    if isinstance(error, ConnectionClosedError):
        return "it has ended"
    return " ".join(str(error).split())
