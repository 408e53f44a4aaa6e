"""The screen without a terminal: keys in, text out, commands to a fake."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from time import monotonic

from blockbuster import blockbuster_ctx
from textual.geometry import Region
from textual.pilot import Pilot
from textual.strip import Strip

from handrail.model.control import ControlCommand, Standing
from handrail.store.port import Store
from handrail.store.sqlite import SqliteStore
from handrail.tui.app import WatchApp
from handrail.tui.sending.decisions import DecisionChoice, OpenDecision
from handrail.tui.sending.port import SendingStage
from handrail.tui.sending.task_commands import TaskOrder
from handrail.views.log_feed import LogFeed
from handrail.views.run_overview import RunOverview
from tests.tui.sample_log import NOON, SampleLog

PATIENCE = 60.0
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
        self.choices: list[str] = []
        self.stages = stages or GOES_WELL
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def send(
        self,
        command: ControlCommand,
        run: str,
        *,
        reason: str,
        text: str,
        expects: Standing,
        choice: str = "",
    ) -> AsyncIterator[SendingStage]:
        """Waits before each stage until it may go on."""
        self.sent.append((command, run, reason, text, expects))
        self.choices.append(choice)
        for stage in self.stages:
            await self.go_on.wait()
            yield stage


class FakeDecisions:
    """Offers two choices for every emergency stop, and remembers what was decided."""

    def __init__(self) -> None:
        self.decided: list[tuple[str, str, str]] = []

    def find(self, run: RunOverview) -> OpenDecision | None:
        """A decision for an emergency stop."""
        choices = tuple(
            DecisionChoice(each, each, f"It is {each}.") for each in ("resume", "abort")
        )
        if not run.incident:
            return None
        return OpenDecision(
            run.id, run.name, f"{run.name} stopped", "why?", "incident", "inc-1", choices
        )

    def decide(self, decision: OpenDecision, choice: str, note: str) -> SendingStage:
        """Remember it."""
        self.decided.append((decision.run, choice, note))
        return SendingStage("confirmed", f"{choice} it is")


class FakeTasks:
    """Remembers the commands about tasks."""

    def __init__(self) -> None:
        self.sent: list[TaskOrder] = []

    def send(self, order: TaskOrder) -> SendingStage:
        """Remember it."""
        self.sent.append(order)
        return SendingStage("confirmed")

    def talk(self, order: TaskOrder) -> SendingStage:
        """Remember it; there is no terminal here."""
        return self.send(order)


class ScreenUser:
    """Somebody who sits at the screen."""

    def __init__(
        self,
        app: WatchApp,
        pilot: Pilot[Exception],
        controls: FakeControls,
        decisions: FakeDecisions,
        tasks: FakeTasks,
    ) -> None:
        self.app = app
        self.tasks = tasks
        self.decisions = decisions
        self.pilot = pilot
        self.controls = controls

    @property
    def lines(self) -> list[str]:
        """What stands on the screen, without scroll bars: they depend on when rows came."""
        return [strip.text.rstrip() for strip in self._strips()]

    def _strips(self, *left_out: Region) -> list[Strip]:
        strips = self.app.screen._compositor.render_strips(self.app.size)
        widgets = self.app.screen.query("*")
        bars = (each.vertical_scrollbar.region for each in widgets if each.show_vertical_scrollbar)
        for region in (*bars, *left_out):
            strips = _without(strips, region)
        return strips

    def text_without(self, region: Region) -> str:
        """The screen, with blanks in a part of it."""
        return "\n".join(strip.text.rstrip() for strip in self._strips(region))

    @property
    def text(self) -> str:
        """The same in one piece."""
        return "\n".join(self.lines)

    def shown_in(self, pane: str) -> str:
        """What stands in a part of the screen."""
        region = self.app.screen.query_one(f"#{pane}").region
        strips = self._strips()[region.y : region.bottom]
        return "\n".join(strip.crop(region.x, region.right).text.strip() for strip in strips)

    @property
    def last(self) -> str:
        """What stands above the keys: what is heard of the last command, and the question."""
        return f"{self.shown_in('sent')}\n{self.shown_in('prompt')}".strip()

    def says(self, text: str) -> bool:
        """Whether a text stands above the keys."""
        return text in self.last

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
        await self.until(lambda: all(sent.is_over for sent in self.app.watching.sent))
        await self.until(lambda: "confirmed" in self.last or "failed" in self.last)

    async def choose(self, name: str) -> None:
        """Go to a run."""
        await self.press("left", "g")
        names = [run.name for run in self.app.watching.runs]
        at = next(at for at, each in enumerate(names) if each.startswith(name))
        await self.press(*["j"] * at)
        await self.until(lambda: self.app.watching.view.run == self.app.watching.chosen)


def _without(strips: list[Strip], bar: Region) -> list[Strip]:
    """The lines with blanks in a part of the screen."""
    return [
        Strip.join([strip.crop(0, bar.x), Strip.blank(bar.width), strip.crop(bar.right)])
        if bar.y <= y < bar.bottom
        else strip
        for y, strip in enumerate(strips)
    ]


@asynccontextmanager
async def standing_at(
    store: Store, *, size: tuple[int, int] = (80, 24), controls: FakeControls | None = None
) -> AsyncIterator[ScreenUser]:
    """The screen over a log, once it was read."""
    fake = controls or FakeControls()
    path = store.path if isinstance(store, SqliteStore) else ""

    def open_feed() -> LogFeed:
        return LogFeed(SqliteStore(path, read_only=True), clock=lambda: NOON)

    decisions, tasks = FakeDecisions(), FakeTasks()
    app = WatchApp(
        open_feed, fake, lambda: decisions, lambda: tasks, clock=lambda: NOON, pause=_PAUSE
    )
    async with app.run_test(size=size) as pilot:
        stand = ScreenUser(app, pilot, fake, decisions, tasks)
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
