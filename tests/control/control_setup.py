"""A desk with a clock that stands still and acts that only write down what is asked of them."""

import json
from collections.abc import Callable
from typing import cast

from handrail.control import timestamp
from handrail.control.command_actions import CommandOutcome, Finished
from handrail.control.handler import ControlHandler
from handrail.control.message import Result
from handrail.control.response_log import ResponseLog, TakenRequest
from handrail.control.topic_inbox import TopicInbox
from handrail.control.topics import CONTROL, CURRENT
from handrail.model.action import Action, Outcome
from handrail.model.control import ControlCommand
from handrail.model.event import ControlAsked, LoopBegun, RunStarted
from handrail.model.review import Verdict
from handrail.store.journal import Journal
from handrail.store.memory import MemoryStore
from handrail.store.port import NewEntry, Store
from handrail.supervise.decision.decision_progress import DecisionProgress, Ready
from handrail.supervise.followup.breach import EndedCall
from handrail.supervise.runs.project import Projects
from handrail.supervise.runs.run_registry import RunRegistry, load_state
from handrail.supervise.state.control_state import ControlState
from handrail.supervise.state.run_state import RunState
from handrail.supervise.supervisor import Supervisor

Json = dict[str, object]
NEEDED: dict[str, dict[str, str]] = {
    "steer": {"message": "use the other file"},
    "redirect": {"goal": "do that instead"},
    "escalate": {"model": "opus"},
    "reassign": {"task": "other"},
    "rollback": {"checkpoint": "cp-1"},
}
"""What a command cannot do without."""


_BEGUN = {
    ControlCommand.CANCEL: "stop",
    ControlCommand.ESCALATE: "switch_model",
    ControlCommand.ROLLBACK: "roll_back",
}
"""What is written down where it is not the name of the command."""


class ControlClock:
    """Tells the time that it was set to."""

    def __init__(self, now: float = 1_735_380_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class RecordedActs:
    """What was begun, in order; the test says what comes of it."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, str, str]] = []
        self.reminders: dict[str, tuple[float, Callable[[], None]]] = {}
        """By run, in how many seconds it is looked at again, and by what."""
        self.cannot: dict[ControlCommand, str] = {}
        self.stumbles: list[Exception] = []
        """What happens next instead of what is asked for."""

    def can(
        self, supervisor: Supervisor, command: ControlCommand, text: str = "", choice: str = ""
    ) -> str:
        if self.stumbles:
            raise self.stumbles.pop()
        return self.cannot.get(command, "")

    def remind(self, run: str, seconds: float, function: Callable[[], None]) -> None:
        self.reminders[run] = seconds, function

    def _note(self, what: str, supervisor: Supervisor, asked: ControlAsked) -> None:
        if self.stumbles:
            raise self.stumbles.pop()
        self.begun.append((what, supervisor.state.run, asked.request))

    def begin(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        self._note(_BEGUN.get(asked.command, asked.command.value), supervisor, asked)

    def thaw(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        self._note("thaw", supervisor, asked)


class ControlSetup:
    """One daemon's worth of control, without the daemon; a second one on the same store is a
    restart."""

    def __init__(
        self, store: Store | None = None, clock: ControlClock | None = None, *, opens: bool = True
    ) -> None:
        self.clock = clock or ControlClock()
        self.store = store or MemoryStore(clock=self.clock)
        self.actions = RecordedActs()
        self._number = 0
        self._work: list[Callable[[], None]] = []
        self.heard: list[Result] = []
        responses = ResponseLog(
            self.store, later=self._work.append, listen=self.heard.append, clock=self.clock
        )
        self.runs = RunRegistry(
            Journal(self.store),
            Projects({}),
            delivered=responses.delivered,
            clock=self.clock,
        )
        self.desk = ControlHandler(self.runs, self.actions, responses)
        self.runs.bus.subscribe(self.desk.on_event)
        self.inbox = TopicInbox(self.desk, self.store, self.clock)
        if opens:
            self.desk.open()

    def loop(self, run: str, *, iteration: int = 1, model: str = "haiku") -> Supervisor:
        """A run that Handrail drives."""
        supervisor = self.runs.get(run, "/")
        supervisor.record(RunStarted(self.clock.now, "claude", "/", "startup"))
        supervisor.record(LoopBegun(self.clock.now, "do it", 10, "issue", model))
        state = supervisor.state
        assert state.loop is not None
        state.loop.iteration = iteration
        return supervisor

    def ask(self, request: Json | bytes) -> TakenRequest:
        """A request that comes by HTTP."""
        return self.desk.submit(request if isinstance(request, bytes) else as_bytes(request))

    def request(self, command: str, run: str = "run-1", **given: str) -> Json:
        """A request that is made now, with an id of its own."""
        self._number += 1
        return make(command, run, f"r-{self._number}", self.clock.now, **given)

    def do(self, command: str, run: str = "run-1", **given: str) -> str:
        """Ask for something, and let it begin; the id of the request."""
        request = self.request(command, run, **given)
        self.ask(request)
        self.go_on()
        return str(request["request_id"])

    def confirm(self, command: str, run: str = "run-1", **given: str) -> str:
        """Have something done; the id of the request."""
        request = self.do(command, run, **given)
        self.came(run, request)
        return request

    def hand(self, run: str = "run-1") -> ControlState:
        """The hand on a run, as the log tells it."""
        return self.state(run).hand

    def state(self, run: str = "run-1") -> RunState:
        """A run, as the log tells it."""
        return load_state(Journal(self.store), run)

    def begin_action(
        self, id_: str, run: str = "run-1", *, agent: str = "", command: str = "ls"
    ) -> DecisionProgress[Verdict]:
        """An agent wants to do something, and is let if nothing stands in the way."""
        action = Action("Bash", {"command": command}, "/", id=id_)
        return self.runs.get(run, "/").decide(action, agent=agent)

    def act(self, id_: str, run: str = "run-1", *, agent: str = "", command: str = "ls") -> Verdict:
        """An agent does something that nothing stands in the way of."""
        progress = self.begin_action(id_, run, agent=agent, command=command)
        assert isinstance(progress, Ready)
        return progress.wait()

    def end_action(self, id_: str, run: str = "run-1", *, command: str = "ls") -> Verdict:
        """It has done it."""
        action = Action("Bash", {"command": command}, "/", id=id_)
        return self.runs.get(run, "/").take_in(EndedCall(action, Outcome(ok=True))).wait()

    def go_on(self) -> None:
        """Do what was put off until the acknowledgment is on the disk."""
        while self._work:
            self._work.pop(0)()

    @property
    def waits(self) -> bool:
        """Whether anything was put off."""
        return bool(self._work)

    def put(self, body: bytes) -> None:
        """A request that another program writes into the topic."""
        self.store.append([NewEntry(CONTROL, body)]).result()

    def read_rows(self) -> None:
        """The daemon looks into the topic."""
        self.inbox.poll()

    def came(self, run: str, request: str, came: CommandOutcome = CommandOutcome()) -> None:  # noqa: B008 - it is frozen
        """What was begun is done."""
        self.desk.runner.command_finished(run, request, came)

    def kinds(self, request: str) -> list[str]:
        """What was written about a request, in order: `ACK`, `success`, or why not."""
        rows = [row for row in self.control() if row["request_id"] == request]
        return [_kind(row) for row in rows]

    def control(self) -> list[Json]:
        """The rows of `loop:control`."""
        return self._rows(CONTROL)

    def current(self) -> list[Json]:
        """The rows of `loop:current`."""
        return self._rows(CURRENT)

    def _rows(self, topic: str) -> list[Json]:
        return [cast("Json", json.loads(row.body)) for row in self.store.read(topic, 0, 100_000)]


def make(command: str, run: str, request: str, moment: float, /, **given: str) -> Json:
    """A request."""
    return {
        "schema": 0,
        "type": "REQUEST",
        "request_id": request,
        "command": command,
        "target": {"run_id": run},
        "timestamp": timestamp.format_timestamp(moment),
        "payload": {**NEEDED.get(command, {}), **given},
    }


def as_bytes(value: object) -> bytes:
    """A message as another program writes it."""
    return json.dumps(value).encode()


def _kind(row: Json) -> str:
    payload = cast("Json", row["payload"])
    return str(row["type"] if row["type"] != "RESULT" else payload.get("code", payload["status"]))
