"""`handrail watch`: handle keys, draw frames, read the log and send commands in threads."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from time import time
from typing import ClassVar, Protocol

from textual.app import App, ComposeResult
from textual.events import Key, Paste

from handrail.tui.canvas import Canvas, wants_colour
from handrail.tui.panes.frame import screen_lines
from handrail.tui.sending.commands import BY_KEY
from handrail.tui.sending.port import CommandSender, SendingStage
from handrail.tui.sending.questions import CommandOrder
from handrail.tui.state.log_view import LogView
from handrail.tui.state.screen_state import ScreenState
from handrail.tui.text import flat

_PAUSE = 0.25
"""Seconds between two reads of the log."""


class LogViewSource(Protocol):
    """The source of views; both methods may read from disk."""

    def poll(self, chosen: str) -> LogView:
        """Return the current view."""
        ...

    def close(self) -> None:
        """Close the log."""
        ...


AnswerApproval = Callable[[str, str, str], str]
"""Answers an approval: run, approval, `approve` or `deny`; returns what was done, in a sentence."""


def _nobody_answers(run: str, approval: str, decision: str) -> str:
    return f"handrail {decision} {approval} answers it"


class WatchApp(App[Exception]):
    """The screen. It returns the error that ended it, if any."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { background: ansi_default; color: ansi_default; }
    Canvas { height: 1fr; background: ansi_default; }
    """

    def __init__(
        self,
        open_source: Callable[[], LogViewSource],
        controls: CommandSender,
        *,
        answer: AnswerApproval = _nobody_answers,
        clock: Callable[[], float] = time,
        pause: float = _PAUSE,
    ) -> None:
        """`open_source` runs in a thread after the first frame, so it may be slow.

        `answer`: approves or denies an action that waits, in a thread.
        """
        colour = wants_colour()
        super().__init__(ansi_color=True)
        self.watching = ScreenState(clock)
        self._canvas = Canvas(colour=colour)
        self._open_source = open_source
        self._controls = controls
        self._answer = answer
        self._pause = pause
        self._wake = asyncio.Event()

    def compose(self) -> ComposeResult:
        """Use one widget, so that all keys arrive in one place, in order."""
        yield self._canvas

    def on_mount(self) -> None:
        """Start to read the log."""
        self._canvas.focus()
        self.run_worker(self._read(), exit_on_error=False)

    # What is drawn

    def draw(self) -> None:
        """Draw the current state."""
        size = self._canvas.size
        if size.width and size.height:
            self._canvas.show(screen_lines(self.watching, size.width, size.height))

    def on_canvas_resized(self) -> None:
        """Draw again in the new size."""
        self.draw()

    # What comes in

    async def _read(self) -> None:
        """Read the log for ever."""
        try:
            source = await asyncio.to_thread(self._open_source)
            try:
                while True:
                    view = await asyncio.to_thread(source.poll, self.watching.chosen)
                    self.watching.show_view(view)
                    self.draw()
                    await self._rest(view)
            finally:
                source.close()
        except Exception as error:  # noqa: BLE001 - told by the command, on a screen that is whole
            self.exit(error)

    async def _rest(self, view: LogView) -> None:
        """Wait a moment, unless the screen still misses something."""
        is_missing = view.loading or self.watching.chosen != view.run
        if is_missing and not view.problem:
            return
        self._wake.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), self._pause)

    async def _send(self, order: CommandOrder) -> None:
        """Send a command, and show its progress."""
        sent = self.watching.send(order)
        self.draw()
        try:
            async for stage in self._controls.send(
                order.command,
                order.run,
                reason=order.reason,
                text=order.text,
                expects=order.expects,
            ):
                sent.stages.append(stage)
                self._wake.set()
                self.draw()
        except Exception as error:  # noqa: BLE001 - the screen stays; it says what went wrong
            sent.stages.append(
                SendingStage("failed", f"{type(error).__name__}: {error}", "internal")
            )
            self.draw()

    def _decide(self, decision: str) -> None:
        """Approve or deny the action that the chosen run waits with."""
        run = self.watching.run
        if run is None or not run.approval:
            self.watching.notice = "nothing here waits for an approval"
            return
        self.watching.notice = f"{decision}: {flat(run.wants)} …"
        self.run_worker(self._send_answer(run.id, run.approval, decision), exit_on_error=False)

    async def _send_answer(self, run: str, approval: str, decision: str) -> None:
        try:
            said = await asyncio.to_thread(self._answer, run, approval, decision)
        except Exception as error:  # noqa: BLE001 - the screen stays; it says what went wrong
            said = f"not answered: {error}"
        self.watching.notice = flat(said)
        self._wake.set()
        self.draw()

    # Keys

    def on_key(self, event: Key) -> None:
        """Handle a key: as part of an answer while a question is open, else as a command."""
        event.stop()
        event.prevent_default()
        typed = event.character if event.is_printable and event.character else ""
        if self.watching.prompt:
            self._type(event.key, typed)
        else:
            self._command(typed or event.key)
        self._wake.set()
        self.draw()

    def on_paste(self, event: Paste) -> None:
        """Insert pasted text into the answer; it is never a command."""
        event.stop()
        if self.watching.prompt:
            self.watching.typed = self.watching.typed.insert(event.text)
            self.draw()

    def _type(self, key: str, typed: str) -> None:
        if key in ("escape", "ctrl+c"):
            self.watching.close()
        elif key == "enter":
            order = self.watching.answer()
            if order is not None:
                self.run_worker(self._send(order), exit_on_error=False)
        else:
            before = self.watching.typed
            self.watching.typed = before.insert(typed) if typed else before.press(key)

    def _command(self, key: str) -> None:
        self.watching.settle()
        if key in self._KEYS:
            self.watching.notice = ""
            self._KEYS[key](self)
        elif key in BY_KEY and not self.watching.helping:
            self.watching.press(BY_KEY[key])

    def _leave(self) -> None:
        self.exit()

    _KEYS: ClassVar[dict[str, Callable[["WatchApp"], None]]] = {
        "up": lambda app: app.watching.move(-1),
        "k": lambda app: app.watching.move(-1),
        "down": lambda app: app.watching.move(1),
        "j": lambda app: app.watching.move(1),
        "pageup": lambda app: app.watching.page(-1),
        "pagedown": lambda app: app.watching.page(1),
        "home": lambda app: app.watching.first(),
        "g": lambda app: app.watching.first(),
        "end": lambda app: app.watching.newest(),
        "G": lambda app: app.watching.newest(),
        "tab": lambda app: app.watching.switch(),
        "shift+tab": lambda app: app.watching.switch(),
        "left": lambda app: app.watching.switch("runs"),
        "right": lambda app: app.watching.switch("timeline"),
        "enter": lambda app: app.watching.toggle_detail(),
        "escape": lambda app: app.watching.close(),
        "?": lambda app: app.watching.toggle_help(),
        "/": lambda app: app.watching.seek(),
        "Y": lambda app: app._decide("approve"),
        "N": lambda app: app._decide("deny"),
        "q": _leave,
        "ctrl+c": _leave,
    }
