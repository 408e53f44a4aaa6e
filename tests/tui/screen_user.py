"""The screen without a terminal: keys in, text out, commands to a fake."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from time import monotonic

from blockbuster import blockbuster_ctx
from textual.pilot import Pilot

from handrail.model.control import ControlCommand, Standing
from handrail.store.port import Store
from handrail.store.sqlite import SqliteStore
from handrail.tui.app import WatchApp
from handrail.tui.sending.port import SendingStage
from handrail.tui.state.log_feed import LogFeed
from tests.tui.sample_log import NOON, SampleLog

PATIENCE = 30.0
_PAUSE = 0.2
"""The pilot waits after each key until the program is idle: it must come to that."""
GOES_WELL = (
    SendingStage("requested"),
    SendingStage("acknowledged"),
    SendingStage("confirmed", "so it is"),
)


class FakeControls:
    """Remembers what was sent, and answers as it was told to."""

    def __init__(self, *stages: SendingStage) -> None:
        self.sent: list[tuple[ControlCommand, str, str, str, Standing]] = []
        self.stages = stages or GOES_WELL
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def send(
        self, command: ControlCommand, run: str, *, reason: str, text: str, expects: Standing
    ) -> AsyncIterator[SendingStage]:
        """Waits before each stage until it may go on."""
        self.sent.append((command, run, reason, text, expects))
        for stage in self.stages:
            await self.go_on.wait()
            yield stage


class ScreenUser:
    """Somebody who sits at the screen."""

    def __init__(self, app: WatchApp, pilot: Pilot[Exception], controls: FakeControls) -> None:
        self.app = app
        self.pilot = pilot
        self.controls = controls

    @property
    def lines(self) -> list[str]:
        """What stands on the screen."""
        strips = self.app.screen._compositor.render_strips(self.app.size)
        return [strip.text.rstrip() for strip in strips]

    @property
    def text(self) -> str:
        """The same in one piece."""
        return "\n".join(self.lines)

    @property
    def last(self) -> str:
        """What stands below the keys: the question, or what is heard of the last command."""
        bar = max(at for at, line in enumerate(self.lines) if line.startswith("──"))
        below = self.lines[bar + 1 :]
        keys = [at for at, line in enumerate(below) if "? help" in line]
        return "\n".join(below[keys[-1] + 1 :] if keys else below)

    def has_lines(self, number: int) -> bool:
        """Whether the screen is that high."""
        return len(self.lines) == number

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Type a text, and send it off."""
        await self.press(*text, "enter")

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds."""
        deadline = monotonic() + PATIENCE
        while not holds():
            assert monotonic() < deadline, f"it never came to that:\n{self.text}"
            await self.pilot.pause(0.01)

    async def until_shows(self, text: str) -> None:
        """Wait until a text stands on the screen."""
        await self.until(lambda: text in self.text)

    async def until_answered(self) -> None:
        """Wait until the last command was confirmed or has failed."""
        await self.until(lambda: "confirmed" in self.last or "failed" in self.last)

    async def choose(self, name: str) -> None:
        """Go to a run."""
        await self.press("left", "g")
        names = [run.name for run in self.app.watching.runs]
        at = next(at for at, each in enumerate(names) if each.startswith(name))
        await self.press(*["j"] * at)
        await self.until(lambda: self.app.watching.view.run == self.app.watching.chosen)


@asynccontextmanager
async def standing_at(
    store: Store, *, size: tuple[int, int] = (80, 24), controls: FakeControls | None = None
) -> AsyncIterator[ScreenUser]:
    """The screen over a log, once it was read."""
    fake = controls or FakeControls()
    path = store.path if isinstance(store, SqliteStore) else ""

    def open_feed() -> LogFeed:
        return LogFeed(SqliteStore(path, read_only=True), clock=lambda: NOON)

    app = WatchApp(open_feed, fake, FakeDecisions, clock=lambda: NOON, pause=_PAUSE)
    async with app.run_test(size=size) as pilot:
        stand = ScreenUser(app, pilot, fake)
        await stand.until(lambda: not app.watching.view.is_first and not app.watching.view.loading)
        await stand.until(lambda: app.watching.view.run == app.watching.chosen)
        await stand.pilot.pause()
        yield stand
    assert app.return_value is None, f"it ended by itself: {app.return_value!r}"


def at_screen(
    book: SampleLog,
    work: Callable[[ScreenUser], Awaitable[None]],
    *,
    size: tuple[int, int] = (80, 24),
    controls: FakeControls | None = None,
) -> None:
    """Do something at the screen, which must never be kept waiting by a disk."""

    async def visit() -> None:
        async with standing_at(book.store, size=size, controls=controls) as stand:
            await work(stand)

    with blockbuster_ctx("handrail.tui"):
        asyncio.run(visit())
