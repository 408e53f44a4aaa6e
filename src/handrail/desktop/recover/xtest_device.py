"""Keyboard, mouse and windows through the X server's own test extension."""

import select
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.error import XError
from Xlib.ext import xtest
from Xlib.protocol.event import ClientMessage

from handrail.desktop.errors import NoDisplayError, RecoveryError
from handrail.desktop.recover.clipboard import Clipboard
from handrail.desktop.recover.key_receipt import receipt_of_keys
from handrail.desktop.recover.keyboard import Keyboard
from handrail.desktop.x_display import LOST, close_display, limited, open_display

_FOCUS_SECONDS = 30.0
_PASTE_SECONDS = 5.0
_BUSY_SECONDS = 60.0
"""For a program to take the keys of a paste: sent twice, it would paste twice."""
_MOST_SECONDS = 90.0
"""For a whole action: after that, the display stands still."""
_QUIET_SECONDS = 0.2
_LOOK_AGAIN = 0.05
_OTHER_READER_SECONDS = 1.0
"""A clipboard manager may read a text before the editor does."""
_PASTE = "ctrl+v"
_FROM_A_PAGER = 2
_ROOT_EVENTS = X.PropertyChangeMask


class XTestDevice:
    """Keeps one connection; after a loss it connects anew. Holds the clipboard until `close`."""

    def __init__(
        self,
        press_button: Callable[[str], None],
        display: str = "",
        *,
        paste_seconds: float = _PASTE_SECONDS,
    ) -> None:
        """Set up hands for a display, by default that of DISPLAY.

        `press_button` presses a button by its name; `paste_seconds` is the time that a program has
        to ask for a text after it took the keys.
        """
        self._paste_seconds = paste_seconds
        self._press_button = press_button
        self._name = display
        self._display: Display | None = None
        self._keyboard: Keyboard | None = None
        self._clipboard: Clipboard | None = None
        self._refused: list[XError] = []

    def press(self, keys: str) -> None:
        """Press a key or a combination: `Escape`, `ctrl+shift+p`."""
        with self._connected(f"press {keys}") as display:
            if self._keyboard is None:
                self._keyboard = Keyboard(display)
            self._keyboard.press(keys)

    def type_text(self, text: str) -> None:
        """Paste a text where the focus is: an editor changes what is typed key by key."""
        if not text:
            return
        if problem := _unfit(text):
            raise RecoveryError("type", problem)
        with self._connected("type") as display:
            if self._clipboard is None:
                self._clipboard = Clipboard(self._name)
            self._clipboard.offer(text)
            try:
                self.press(_PASTE)
                self._wait_for_paste(display, self._clipboard)
                self._clipboard.wait_until_quiet(_QUIET_SECONDS)
            finally:
                if self._clipboard is not None:
                    self._clipboard.put_back()

    def click(self, x: int, y: int) -> None:
        """Click with the left button, in pixels of the screen."""
        action = f"click {x},{y}"
        with self._connected(action) as display:
            size = display.screen().root.get_geometry()
            if not (0 <= x < size.width and 0 <= y < size.height):
                raise RecoveryError(action, f"the screen has {size.width}×{size.height} pixels")
            xtest.fake_input(display, X.MotionNotify, x=x, y=y)
            xtest.fake_input(display, X.ButtonPress, X.Button1)
            xtest.fake_input(display, X.ButtonRelease, X.Button1)

    def focus_window(self, window: int) -> None:
        """Raise a window and give it the focus; returns when it, or a dialog of it, has it."""
        action = f"focus {window:#x}"
        with self._connected(action) as display:
            root = display.screen().root
            wanted = display.create_resource_object("window", window)
            try:
                wanted.get_attributes()
            except XError as error:
                raise RecoveryError(action, "this window is not there any more") from error
            if not _number(display, root.id, "_NET_SUPPORTING_WM_CHECK"):
                wanted.configure(stack_mode=X.Above)
                wanted.set_input_focus(X.RevertToParent, X.CurrentTime)
                return
            kind = display.intern_atom("_NET_ACTIVE_WINDOW")
            asks = ClientMessage(
                window=wanted, client_type=kind, data=(32, [_FROM_A_PAGER, 0, 0, 0, 0])
            )
            root.send_event(asks, X.SubstructureRedirectMask | X.SubstructureNotifyMask)
            if not _wait_for_focus(display, window):
                raise RecoveryError(action, f"it did not get the focus in {_FOCUS_SECONDS:g} s")

    def press_button(self, name: str) -> None:
        """Press the button of the open dialog with this name."""
        self._press_button(name)

    def close(self) -> None:
        """Close the connections; spare keys lose the meanings that they were given."""
        clipboard, self._clipboard = self._clipboard, None
        if clipboard is not None:
            clipboard.close()
        keyboard, self._keyboard = self._keyboard, None
        if keyboard is not None:
            with suppress(*LOST):
                keyboard.give_back()
        display, self._display = self._display, None
        if display is not None:
            close_display(display)

    @contextmanager
    def _connected(self, action: str) -> Iterator[Display]:
        """Return when the display has taken everything; raises RecoveryError if it did not."""
        self._refused.clear()
        try:
            display = self._connect()
            with limited(display, _MOST_SECONDS):
                _read_events(display)
                yield display
                display.sync()
        except NoDisplayError as error:
            self.close()
            raise RecoveryError(action, str(error)) from error
        except XError as error:
            raise RecoveryError(action, f"the display refused it: {error}") from error
        if self._refused:
            raise RecoveryError(action, f"the display refused it: {self._refused[0]}")

    def _connect(self) -> Display:
        if self._display is None:
            display = open_display(self._name)
            if not display.has_extension("XTEST"):
                close_display(display)
                raise NoDisplayError(display.get_display_name(), "it lacks the extension XTEST")
            display.set_error_handler(lambda error, _: self._refused.append(error))
            display.screen().root.change_attributes(event_mask=_ROOT_EVENTS)
            self._display = display
        return self._display

    def _wait_for_paste(self, display: Display, clipboard: Clipboard) -> None:
        """Return when the program with the focus has read the text, or another one alone has."""
        mask = ~int(display.display.info.resource_id_mask)
        focus = display.get_input_focus().focus
        program = getattr(focus, "id", 0) & mask
        front = _number(display, display.screen().root.id, "_NET_ACTIVE_WINDOW")
        seconds, since = self._paste_seconds, time.monotonic()
        read_before = False
        with receipt_of_keys(display, front, _ROOT_EVENTS) as keys:
            while True:
                limit = _BUSY_SECONDS if keys.is_awaited else seconds
                left = max(since, clipboard.asked_at) + limit - time.monotonic()
                if left <= 0:
                    break
                reader = clipboard.wait_for_reader(min(left, _LOOK_AGAIN))
                if keys.look():
                    since = time.monotonic()
                if reader is None:
                    continue
                if reader.window & mask != program:
                    seconds = min(seconds, _OTHER_READER_SECONDS)
                elif read_before or not reader.by_chromium:
                    return
                else:
                    # The page gets the text that its browser reads the second time.
                    read_before = True
        if not clipboard.was_read:
            raise RecoveryError("type", "the program with the focus did not take the paste")


def _unfit(text: str) -> str:
    """Return why a text cannot be pasted, or ""."""
    if "\0" in text:
        return "programs end a text at its first NUL character"
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        return "the text is not valid Unicode"
    return ""


def _wait_for_focus(display: Display, window: int) -> bool:
    """Wait until a window has the focus; the window manager writes that onto the screen."""
    end = time.monotonic() + _FOCUS_SECONDS
    while window not in _focused(display):
        left = end - time.monotonic()
        if left <= 0:
            return False
        if not display.pending_events():
            select.select([display.fileno()], [], [], left)
        _read_events(display)
    return True


def _focused(display: Display) -> set[int]:
    """The window with the focus, and those whose dialog it is."""
    found: set[int] = set()
    window = _number(display, display.screen().root.id, "_NET_ACTIVE_WINDOW")
    while window and window not in found:
        found.add(window)
        window = _number(display, window, "WM_TRANSIENT_FOR")
    return found


def _number(display: Display, window: int, name: str) -> int:
    shown = display.create_resource_object("window", window)
    with suppress(XError):
        got = shown.get_full_property(display.intern_atom(name), Xatom.WINDOW)
        return int(got.value[0]) if got and got.value else 0
    return 0


def _read_events(display: Display) -> None:
    while display.pending_events():
        happened = display.next_event()
        if happened.type == X.MappingNotify:
            display.refresh_keyboard_mapping(happened)
