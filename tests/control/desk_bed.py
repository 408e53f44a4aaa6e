"""A desk with a clock that stands still and acts that only write down what is asked of them."""

import json
from collections.abc import Callable
from typing import cast

from handrail.control.acts import Came
from handrail.control.desk import Desk, Taken
from handrail.control.inbox import Inbox
from handrail.control.topics import CONTROL, CURRENT
from handrail.model.control import Command
from handrail.model.event import ControlAsked, Event, LoopBegun, RunStarted
from handrail.store.journal import Journal
from handrail.store.memory import MemoryStore
from handrail.store.port import Entry, Receipt, Store
from handrail.supervise.project import Projects
from handrail.supervise.runs import Runs
from handrail.supervise.supervisor import Supervisor

Json = dict[str, object]


class Clock:
    """Tells the time that it was set to."""

    def __init__(self, now: float = 1_735_380_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class WrittenActs:
    """What was begun, in order; the test says what comes of it."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, str, str]] = []
        self.cannot: dict[Command, str] = {}

    def can(self, supervisor: Supervisor, command: Command) -> str:
        return self.cannot.get(command, "")

    def guard(self, supervisor: Supervisor) -> None:
        self.begun.append(("guard", supervisor.state.run, ""))

    def _note(self, what: str, supervisor: Supervisor, asked: ControlAsked) -> None:
        self.begun.append((what, supervisor.state.run, asked.request))

    def freeze(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        self._note("freeze", supervisor, asked)

    def thaw(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        self._note("thaw", supervisor, asked)

    def interrupt(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        self._note("interrupt", supervisor, asked)

    def resume(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        self._note("resume", supervisor, asked)

    def stop(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        self._note("stop", supervisor, asked)

    def switch_model(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        self._note("switch_model", supervisor, asked)

    def checkpoint(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        self._note("checkpoint", supervisor, asked)

    def roll_back(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        self._note("roll_back", supervisor, asked)


class DeskBed:
    """One daemon's worth of control, without the daemon; a second one on the same store is a
    restart."""

    def __init__(self, store: Store | None = None, clock: Clock | None = None) -> None:
        self.clock = clock or Clock()
        self.store = store or MemoryStore(clock=self.clock)
        self.acts = WrittenActs()
        self.runs = Runs(
            Journal(self.store),
            Projects({}),
            tell=self._hear,
            delivered=self._delivered,
            clock=self.clock,
        )
        self._work: list[Callable[[], None]] = []
        self.desk = Desk(self.runs, self.acts, later=self._work.append, clock=self.clock)
        self.inbox = Inbox(self.desk, self.store, self.clock)
        self.desk.open()

    def _hear(self, supervisor: Supervisor, event: Event) -> None:
        self.desk.hear(supervisor, event)

    def _delivered(self, supervisor: Supervisor, asked: ControlAsked) -> Receipt:
        return self.desk.delivered(supervisor, asked)

    def loop(self, run: str, *, iteration: int = 1, model: str = "haiku") -> Supervisor:
        """A run that Handrail drives."""
        supervisor = self.runs.get(run, "/")
        supervisor.record(RunStarted(self.clock.now, "claude", "/", "startup"))
        supervisor.record(LoopBegun(self.clock.now, "do it", 10, "issue", model))
        state = supervisor.state
        assert state.loop is not None
        state.loop.iteration = iteration
        return supervisor

    def ask(self, request: Json | str) -> Taken:
        """A request that comes by HTTP."""
        return self.desk.take(request.encode() if isinstance(request, str) else _bytes(request))

    def go_on(self) -> None:
        """Do what was put off until the acknowledgment is on the disk."""
        while self._work:
            self._work.pop(0)()

    def put(self, body: bytes) -> None:
        """A request that another program writes into the topic."""
        self.store.append([Entry(CONTROL, body)]).result()

    def read_rows(self) -> None:
        """The daemon looks into the topic."""
        self.inbox.look()

    def came(self, run: str, request: str, came: Came = Came()) -> None:  # noqa: B008 - it is frozen
        """What was begun is done."""
        self.desk.came(run, request, came)

    def control(self) -> list[Json]:
        """The rows of `loop:control`."""
        return [cast("Json", json.loads(row.body)) for row in self.store.read(CONTROL)]

    def current(self) -> list[Json]:
        """The rows of `loop:current`."""
        return [cast("Json", json.loads(row.body)) for row in self.store.read(CURRENT)]


def _bytes(value: object) -> bytes:
    return json.dumps(value).encode()
