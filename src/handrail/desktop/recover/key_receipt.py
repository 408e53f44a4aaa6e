"""Tells when a program has taken the keys that were sent to it.

Window managers ask a program so whether it hangs: it answers (`_NET_WM_PING`) in the order in which
it takes its events, so after the keys before it.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count

from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.error import XError
from Xlib.protocol.event import ClientMessage

_NUMBERS = count(0x48_00_00_00)
"""Far from those of a window manager, which hears the answers, too."""


class KeyReceipt:
    """A question to the program of a window, and whether its answer is there."""

    def __init__(self, display: Display, window: int) -> None:
        """Ask, if this program answers at all."""
        self._display = display
        self._kind = display.intern_atom("WM_PROTOCOLS")
        self._number = next(_NUMBERS)
        self.is_awaited = self._ask(window)
        """Whether the program has not taken all keys yet, as far as it tells."""

    def look(self) -> bool:
        """Return whether the answer came just now."""
        while self._display.pending_events():
            happened = self._display.next_event()
            if (
                self.is_awaited
                and happened.type == X.ClientMessage
                and happened.client_type == self._kind
                and happened.data[1][1] == self._number
            ):
                self.is_awaited = False
                return True
        return False

    def _ask(self, window: int) -> bool:
        ping = self._display.intern_atom("_NET_WM_PING")
        asked = self._display.create_resource_object("window", window)
        with suppress(XError):
            known = asked.get_full_property(self._kind, Xatom.ATOM) if window else None
            if known is None or ping not in known.value:
                return False
            data = (32, [ping, self._number, window, 0, 0])
            asked.send_event(ClientMessage(window=asked, client_type=self._kind, data=data))
            self._display.flush()
            return True
        return False


@contextmanager
def receipt_of_keys(display: Display, window: int, usual_mask: int) -> Iterator[KeyReceipt]:
    """Ask the program of a window; `usual_mask`: what the root window tells us otherwise."""
    root = display.screen().root
    root.change_attributes(event_mask=usual_mask | X.SubstructureNotifyMask)
    try:
        yield KeyReceipt(display, window)
    finally:
        root.change_attributes(event_mask=usual_mask)
