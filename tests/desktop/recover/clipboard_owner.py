"""Another program that has something in the clipboard, and one that looks into it."""

import select
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Event as Flag
from threading import Thread

from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.protocol import event

from tests.desktop.desktop_bed import PATIENCE, DesktopBed


@contextmanager
def clipboard_owner(bed: DesktopBed, content: Mapping[str, bytes]) -> Iterator[None]:
    """Own the clipboard in a thread, until the end of the block."""
    ended = Flag()
    display = Display(bed.name)
    window = display.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
    data = {display.intern_atom(name): value for name, value in content.items()}
    window.set_selection_owner(display.intern_atom("CLIPBOARD"), X.CurrentTime)
    display.sync()
    thread = Thread(target=_serve, args=(display, data, ended))
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        display.close()


def _serve(display: Display, data: Mapping[int, bytes], ended: Flag) -> None:
    targets = display.intern_atom("TARGETS")
    while not ended.is_set():
        select.select([display.fileno()], [], [], 0.02)
        while display.pending_events():
            asked = display.next_event()
            if asked.type != X.SelectionRequest:
                continue
            if asked.target == targets:
                asked.requestor.change_property(asked.property, Xatom.ATOM, 32, list(data))
            elif asked.target in data:
                asked.requestor.change_property(asked.property, asked.target, 8, data[asked.target])
            answer = event.SelectionNotify(
                time=asked.time,
                requestor=asked.requestor,
                selection=asked.selection,
                target=asked.target,
                property=asked.property if asked.target in {targets, *data} else X.NONE,
            )
            asked.requestor.send_event(answer)
            display.flush()


def read_clipboard(bed: DesktopBed, target: str) -> bytes | None:
    """Return what the clipboard has; None: nobody owns it, or not in this form."""
    display = Display(bed.name)
    try:
        window = display.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
        clipboard = display.intern_atom("CLIPBOARD")
        place = display.intern_atom("TEST")
        window.convert_selection(clipboard, display.intern_atom(target), place, X.CurrentTime)
        display.flush()
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            select.select([display.fileno()], [], [], 0.02)
            while display.pending_events():
                answer = display.next_event()
                if answer.type == X.SelectionNotify:
                    got = window.get_full_property(place, X.AnyPropertyType)
                    return None if got is None else bytes(got.value)
        raise AssertionError("nobody answered")
    finally:
        display.close()
