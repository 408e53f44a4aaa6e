"""The daemon's endpoints over a desk: everything but the network and the disk."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from time import time
from typing import Any, Self, TypeVar

from blockbuster import blockbuster_ctx

from handrail.checkpoint import Checkpoints
from handrail.config.checkpoints import Checkpoints as Settings
from handrail.server.app import Face
from handrail.server.brain import Brain
from handrail.server.metrics import Metrics
from handrail.server.opinions import Opinions
from handrail.server.recoveries import Recoveries
from handrail.server.restores import Restores
from handrail.store.memory import MemoryStore
from handrail.store.port import Store
from handrail.store.reopening import ReopeningStore
from handrail.supervise.first import SavedFirst, SaveFirst
from tests.hosts.desk import SESSION, Desk, Json
from tests.server.asgi import Answer, ask

T = TypeVar("T")

WHO = {"version": "9", "pid": 7}


class _NoShelf:
    """A shelf on which there is nothing."""

    def __init__(self) -> None:
        self.restoring: set[str] = set()

    def checkpoints(self, folder: str, settings: Settings | None = None) -> Checkpoints:
        return Checkpoints("/nowhere", folder)

    def worked(self, folder: str) -> tuple[str, ...]:
        return ()

    def count(self, folder: str, checkpoints: Checkpoints) -> None:
        pass

    def do(self, folder: str, work: Callable[[], T]) -> Awaitable[T]:
        return asyncio.to_thread(work)


async def _not_saved(first: SaveFirst) -> SavedFirst:
    return SavedFirst(problem="nobody is there")


class Office:
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
        self.desk = Desk(store=self.store, environ=environ, observers=[self.metrics.on_event])
        self.brain = Brain(think=think, write=write)
        secrets = secrets or (lambda: environ)
        self.opinions = Opinions(self.brain, self.desk.hooks, secrets, lambda: 1.0)
        self.app = Face(
            self.brain,
            self.desk.hooks,
            self.metrics,
            self.opinions,
            Recoveries(self.brain, self.desk.runs, lambda: None, "/nowhere", lambda: 1.0),
            Restores(self.brain, self.desk.runs, _NoShelf(), time),
            _not_saved,
            WHO,
            self._state,
            lambda: 1.0,
        ).app()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.brain.close()

    def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run something in an event loop that must never be kept waiting."""
        with blockbuster_ctx():
            return asyncio.run(work())

    def post(self, body: bytes, **headers: str) -> Answer:
        """One hook message."""
        return self.run(lambda: self.hook(body, **headers))

    async def hook(self, body: bytes, **headers: str) -> Answer:
        """One hook message, inside an event loop."""
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return await ask(self.app, "POST", "/hooks/claude", body, names)

    def get(self, path: str) -> Answer:
        """Look at something."""
        return self.run(lambda: ask(self.app, "GET", path))

    def metric(self, name: str) -> float:
        """One of the numbers for Prometheus, as it is written there."""
        for line in self.get("/metrics").body.decode().splitlines():
            if line.startswith(f"{name} "):
                return float(line.rpartition(" ")[2])
        raise LookupError(name)

    def _state(self) -> Json:
        return {"ok": not self.store.problem, "problem": self.store.problem}


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
