"""The clipboard of a display: offers a text for one paste, and puts back what was there before.

Under X, the program that offers something hands it out itself, whenever another one asks. So a
thread with a connection of its own serves for as long as this process has the clipboard.
"""

import os
import select
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import NamedTuple

from Xlib import X, Xatom
from Xlib.error import XError
from Xlib.protocol import event
from Xlib.protocol.request import SetSelectionOwner
from Xlib.protocol.rq import Event
from Xlib.xobject.drawable import Window

from handrail.desktop.x_display import LOST, close_display, open_display

CHUNK = 128 * 1024
"""Bytes that go at once: more than this goes in pieces, since a request has a limit of 256 KB."""
_TEXT = ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "TEXT")
_KEPT = (*_TEXT[:2], "text/html", "text/uri-list", "image/png", "x-special/gnome-copied-files")
"""What is put back of the content before, if its owner has it."""
_CHROMIUM = "CHROME_SELECTION"
"""Where Chromium, and every editor made of it, lets a text be put."""
_WORDS = ("CLIPBOARD", "TARGETS", "INCR", "HANDRAIL_CLIPBOARD", _CHROMIUM)
_MOST_KEPT = 16_000_000
_FETCH_SECONDS = 5.0
_JOB_SECONDS = 60.0
_END_SECONDS = 2.0
_ALL = 0x7FFFFFFF


class ClipboardReading(NamedTuple):
    """A program has read all of the offered text."""

    window: int
    by_chromium: bool


class _Delivery:
    """A content on its way to a window in pieces."""

    def __init__(self, window: Window, prop: int, kind: int, data: bytes) -> None:
        self.window = window
        self.prop = prop
        self.kind = kind
        self.rest = memoryview(data)
        self.in_pieces = len(data) > CHUNK


class Clipboard:
    """Owns the clipboard while a text is pasted."""

    def __init__(self, display: str = "") -> None:
        self._display = open_display(display)
        screen = self._display.screen()
        self._window = screen.root.create_window(
            -1, -1, 1, 1, 0, X.CopyFromParent, event_mask=X.PropertyChangeMask
        )
        self._display.set_error_handler(_ignore)
        self._atoms = {name: self._display.intern_atom(name) for name in (*_TEXT, *_KEPT, *_WORDS)}
        self._content: dict[int, bytes] = {}
        self._before: dict[int, bytes] = {}
        self._ours = False
        self.was_read = False
        """Whether anybody has read the text that is offered."""
        self._deliveries: dict[tuple[int, int], _Delivery] = {}
        self.asked_at = 0.0
        """When a program asked for the content, or read a piece of it, for the last time."""
        self._taken: SimpleQueue[ClipboardReading] = SimpleQueue()
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._woken, self._wake = os.pipe()
        self._thread = Thread(target=self._serve, name="clipboard", daemon=True)
        self._thread.start()

    def offer(self, text: str) -> None:
        """Take the clipboard over with a text; remember what it had."""
        data = text.encode()
        self._ask(lambda: self._take_over({self._atoms[name]: data for name in _TEXT}))

    def put_back(self) -> None:
        """Offer what was there before, unless somebody has copied something since."""
        self._ask(self._restore)

    def wait_for_reader(self, seconds: float) -> ClipboardReading | None:
        """Return who has read all of the offered text; None: nobody has in time."""
        with suppress(Empty):
            return self._taken.get(timeout=seconds)
        return None

    def wait_until_quiet(self, seconds: float) -> None:
        """Return when nobody has asked for so long."""
        while (left := self.asked_at + seconds - time.monotonic()) > 0:
            self.wait_for_reader(left)

    def close(self) -> None:
        """Give the clipboard up."""
        self._jobs.put(None)
        os.write(self._wake, b"x")
        self._thread.join(timeout=_END_SECONDS)
        os.close(self._woken)
        os.close(self._wake)
        close_display(self._display)

    def _ask(self, job: Callable[[], None]) -> None:
        """Run something in the thread that owns the connection; raises what it raises."""
        done: Future[None] = Future()

        def run() -> None:
            try:
                job()
                done.set_result(None)
            except (XError, *LOST) as error:
                done.set_exception(error)

        self._jobs.put(run)
        os.write(self._wake, b"x")
        done.result(timeout=_JOB_SECONDS)

    # In the thread

    def _serve(self) -> None:
        watched = [self._woken, self._display.fileno()]
        while True:
            try:
                self._handle_events()
            except LOST:
                # The next job says so.
                watched = [self._woken]
            ready, _, _ = select.select(watched, [], [])
            if self._woken in ready:
                os.read(self._woken, 1)
                job = self._jobs.get()
                if job is None:
                    return
                job()

    def _handle_events(self) -> None:
        """Handle all of them: the socket does not tell of those that Xlib has read already."""
        while self._display.pending_events():
            self._handle(self._display.next_event())

    def _handle(self, happened: Event) -> None:
        if happened.type == X.SelectionRequest:
            self._hand_out(happened)
        elif happened.type == X.SelectionClear:
            self._ours = False
        elif happened.type == X.PropertyNotify and happened.state == X.PropertyDelete:
            self._go_on(happened)

    def _take_over(self, content: dict[int, bytes]) -> None:
        self._before = self._content if self._ours else self._fetch_all()
        while not self._taken.empty():
            self._taken.get()
        self.was_read = False
        self._deliveries.clear()
        self._own(content)

    def _restore(self) -> None:
        self._handle_events()
        if self._ours:
            self._own(self._before)

    def _own(self, content: dict[int, bytes]) -> None:
        self._content = content
        SetSelectionOwner(
            display=self._display.display,
            onerror=None,
            window=self._window if content else X.NONE,
            selection=self._atoms["CLIPBOARD"],
            time=X.CurrentTime,
        )
        self._display.sync()
        self._ours = bool(content)

    def _hand_out(self, asked: Event) -> None:
        """Answer a program that wants the content in some form."""
        self.asked_at = time.monotonic()
        # Old programs leave the property out.
        prop = asked.property or asked.target
        window = asked.requestor
        window.change_attributes(event_mask=X.PropertyChangeMask)
        if asked.target == self._atoms["TARGETS"]:
            offered = [self._atoms["TARGETS"], *self._content]
            window.change_property(prop, Xatom.ATOM, 32, offered)
        elif asked.target in self._content:
            self._begin(window, prop, asked.target)
        else:
            prop = X.NONE
        answer = event.SelectionNotify(
            time=asked.time,
            requestor=window,
            selection=asked.selection,
            target=asked.target,
            property=prop,
        )
        window.send_event(answer)
        self._display.flush()

    def _begin(self, window: Window, prop: int, target: int) -> None:
        kind = self._atoms["UTF8_STRING"] if target == self._atoms["TEXT"] else target
        delivery = _Delivery(window, prop, kind, self._content[target])
        self._deliveries[window.id, prop] = delivery
        if delivery.in_pieces:
            window.change_property(prop, self._atoms["INCR"], 32, [len(delivery.rest)])
        else:
            window.change_property(prop, kind, 8, bytes(delivery.rest))
            delivery.rest = delivery.rest[:0]

    def _go_on(self, deleted: Event) -> None:
        """A program has read a piece: give it the next one. An empty one is the last."""
        delivery = self._deliveries.get((deleted.window.id, deleted.atom))
        if delivery is None:
            return
        self.asked_at = time.monotonic()
        if delivery.in_pieces:
            piece, delivery.rest = delivery.rest[:CHUNK], delivery.rest[CHUNK:]
            delivery.window.change_property(delivery.prop, delivery.kind, 8, bytes(piece))
            delivery.in_pieces = len(piece) > 0
        else:
            del self._deliveries[deleted.window.id, deleted.atom]
            self.was_read = True
            by_chromium = delivery.prop == self._atoms[_CHROMIUM]
            self._taken.put(ClipboardReading(delivery.window.id, by_chromium))

    # What was there before

    def _fetch_all(self) -> dict[int, bytes]:
        """Ask the owner for its content in the forms that are worth keeping."""
        clipboard = self._atoms["CLIPBOARD"]
        if self._display.get_selection_owner(clipboard) == X.NONE:
            return {}
        found: dict[int, bytes] = {}
        room = _MOST_KEPT
        for target in self._offered():
            data = self._fetch(target)
            if data and len(data) <= room:
                found[target] = data
                room -= len(data)
        return found

    def _offered(self) -> list[int]:
        kept = list(dict.fromkeys(self._atoms[name] for name in _KEPT))
        data = self._fetch(self._atoms["TARGETS"]) or b""
        there = set(memoryview(data).cast("I")) if data else set()
        return [target for target in kept if target in there]

    def _fetch(self, target: int) -> bytes | None:
        end = time.monotonic() + _FETCH_SECONDS
        prop = self._atoms["HANDRAIL_CLIPBOARD"]
        self._window.delete_property(prop)
        self._window.convert_selection(self._atoms["CLIPBOARD"], target, prop, X.CurrentTime)
        answer = self._next(end, lambda each: each.type == X.SelectionNotify)
        if answer is None or answer.property == X.NONE:
            return None
        kind, data = self._read_property(prop)
        if kind != self._atoms["INCR"]:
            return data
        pieces: list[bytes] = []
        while self._next(end, lambda each: _is_new(each, prop)) is not None:
            _, piece = self._read_property(prop)
            if not piece:
                return b"".join(pieces)
            pieces.append(piece)
        return None

    def _read_property(self, prop: int) -> tuple[int, bytes]:
        got = self._window.get_property(prop, X.AnyPropertyType, 0, _ALL // 4, delete=True)
        if got is None:
            return X.NONE, b""
        value = got.value
        return got.property_type, value if isinstance(value, bytes) else value.tobytes()

    def _next(self, end: float, wanted: Callable[[Event], bool]) -> Event | None:
        """Return the next event of this kind in time; serves others meanwhile."""
        while True:
            while self._display.pending_events():
                happened = self._display.next_event()
                if wanted(happened):
                    return happened
                self._handle(happened)
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._display.fileno()], [], [], left)[0]:
                return None


def _is_new(happened: Event, prop: int) -> bool:
    is_change = happened.type == X.PropertyNotify and happened.state == X.PropertyNewValue
    return bool(is_change and happened.atom == prop)


def _ignore(*_: object) -> None:
    """A program that asked for the content may end before it gets it."""
