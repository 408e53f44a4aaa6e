"""The daemon's endpoints over a desk: everything but the network and the disk."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from time import time
from typing import Any, Self, TypeVar

from blockbuster import blockbuster_ctx

from handrail.api.messages.statistics import FeedbackRequest
from handrail.checkpoint import CheckpointStore
from handrail.config.checkpoints import Checkpoints as Settings
from handrail.control.handler import ControlHandler as ControlDesk
from handrail.control.response_log import ResponseLog
from handrail.control.topic_inbox import TopicInbox
from handrail.hosts.claude.host import HOST
from handrail.server.control.approval_decisions import ApprovalDecisions
from handrail.server.control.driver_sessions import DriverSessions
from handrail.server.control.endpoint import ControlEndpoint, ResultWaiters
from handrail.server.control.feedback_recorder import FeedbackRecorder
from handrail.server.control.pause_waiters import PauseWaiters
from handrail.server.control.unlogged_stop import UnloggedStop
from handrail.server.files.restore_endpoint import RestoreEndpoint
from handrail.server.http.app import make_app
from handrail.server.http.health import HealthEndpoint
from handrail.server.http.hook_endpoint import HookEndpoint
from handrail.server.http.metrics import Metrics
from handrail.server.http.second_opinions import SecondOpinions
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.store.memory import MemoryStore
from handrail.store.port import Store
from handrail.store.reopening import ReopeningStore
from handrail.supervise.state.run_state import RunState
from tests.control.control_setup import RecordedActs
from tests.hosts.claude.desk import SESSION, Desk
from tests.server.asgi import AsgiResponse, ask

T = TypeVar("T")

WHO = {"version": "9", "pid": 7}


class _NoShelf:
    """A shelf on which there is nothing."""

    def __init__(self) -> None:
        self.restoring: set[str] = set()

    def checkpoints(self, folder: str, settings: Settings | None = None) -> CheckpointStore:
        return CheckpointStore("/nowhere", folder)

    def worked(self, folder: str) -> tuple[str, ...]:
        return ()

    def count(self, folder: str, checkpoints: CheckpointStore) -> None:
        pass

    def do(self, folder: str, work: Callable[[], T]) -> Awaitable[T]:
        return asyncio.to_thread(work)


class InProcessApi:
    """A context: its brain ends with it."""

    def __init__(
        self,
        *,
        store: Store | None = None,
        think: float = 10.0,
        write: float = 10.0,
        environ: Mapping[str, str] = {},
        secrets: Callable[[], Mapping[str, str]] | None = None,
    ) -> None:
        self.metrics = Metrics()
        self.store = ReopeningStore(lambda: store or MemoryStore())
        self.desk = Desk(
            store=self.store,
            environ=environ,
            observers=[self.metrics.on_event],
        )
        self.supervision = SupervisionThread(call=think, write=write)
        self.actions = RecordedActs()
        results = ResultWaiters()
        responses = ResponseLog(self.store, later=self.supervision.submit, listen=results.tell)
        self.control = ControlDesk(self.desk.runs, self.actions, responses)
        self.pauses = PauseWaiters(self.supervision)
        self.ended: list[str] = []
        """Runs that were ended although nothing can be written down."""
        self.drivers = DriverSessions(self.supervision, self.desk.runs, time)
        self.desk.runs.delivered = responses.delivered
        self.desk.runs.bus.subscribe(
            self.control.on_event, self.pauses.on_event, self.drivers.on_event
        )
        inbox = TopicInbox(self.control, self.store, time)
        secrets = secrets or (lambda: environ)
        self.opinions = SecondOpinions(self.supervision, secrets, lambda: 1.0)
        runs = self.desk.runs
        hooks = HookEndpoint(
            self.supervision,
            {"claude": (HOST, self.desk.hooks)},
            self.pauses,
            self.opinions,
            self.metrics,
        )
        self.control_endpoint = ControlEndpoint(
            self.supervision,
            self.control,
            inbox,
            results,
            UnloggedStop(self.supervision, runs, self._end),
        )
        self.approvals = ApprovalDecisions(self.supervision, runs, lambda: 1_800_000_100.0, environ)
        self.feedback = FeedbackRecorder(self.supervision, runs, self.metrics, lambda: 1.0)
        components = (
            HealthEndpoint(self.supervision, runs, self.store, self.metrics, WHO),
            RestoreEndpoint(self.supervision, runs, _NoShelf(), time),
            self.control_endpoint,
            self.drivers,
        )
        self.app = make_app(hooks, components)

    def _end(self, state: RunState) -> Callable[[], str]:
        def work() -> str:
            self.ended.append(state.run)
            return "It has ended."

        return work

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.supervision.close()

    def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run something in an event loop that must never be kept waiting."""
        with blockbuster_ctx():
            return asyncio.run(work())

    def post(self, body: bytes, **headers: str) -> AsgiResponse:
        """One hook message."""
        return self.run(lambda: self.hook(body, **headers))

    async def hook(self, body: bytes, **headers: str) -> AsgiResponse:
        """One hook message, inside an event loop."""
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return await ask(self.app, "POST", "/hooks/claude", body, names)

    async def waiting_hook(self, body: bytes) -> AsgiResponse:
        """One hook message of somebody who stays until there is an answer."""
        return await ask(self.app, "POST", "/hooks/claude", body, waits=True)

    def state_of(self, run: str) -> RunState:
        """What is known of a run."""
        return next(state for state in self.desk.runs if state.run == run)

    def judge(self, step: int, *, right: bool, run: str = SESSION) -> None:
        """A person's judgment of a verdict."""
        given = FeedbackRequest(right, step)
        self.run(lambda: self.feedback.record(run, given, "ann"))

    def get(self, path: str) -> AsgiResponse:
        """Look at something."""
        return self.run(lambda: ask(self.app, "GET", path))

    def metric(self, name: str) -> float:
        """One of the numbers for Prometheus, as it is written there."""
        for line in self.get("/metrics").body.decode().splitlines():
            if line.startswith(f"{name} "):
                return float(line.rpartition(" ")[2])
        raise LookupError(name)


def call(command: str, call_id: str = "t1", **fields: object) -> bytes:
    """The message before a shell command."""
    return message(
        "PreToolUse",
        tool_name="Bash",
        tool_input={"command": command},
        tool_use_id=call_id,
        **fields,
    )


def message(event: str, **fields: object) -> bytes:
    """Any message of a session."""
    given = {"session_id": SESSION, "cwd": "/home/dev/project", "hook_event_name": event}
    return json.dumps({**given, **fields}).encode()
