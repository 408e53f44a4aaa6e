"""A daemon without sockets in this process, and operations of the API that use its parts."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from blockbuster import blockbuster_ctx

from handrail.model.event import Event
from handrail.server.api.api_routes import ApiComponent
from handrail.server.api.live_log import LiveLog
from handrail.server.daemon import Daemon
from handrail.server.http.socket_client import DaemonError
from handrail.server.launcher import stop_daemon
from handrail.supervise.supervisor import Supervisor
from tests.server.api.api_client import InProcessApi as ApiClient
from tests.server.asgi import AsgiResponse
from tests.server.daemon_sandbox import DaemonSandbox

MakeOperations = Callable[["InProcessDaemon"], ApiComponent]


class InProcessDaemon:
    """A context: the daemon ends with it, and its folder is gone."""

    def __init__(self, *operations: MakeOperations) -> None:
        self.place = DaemonSandbox()
        self._runner = asyncio.Runner()
        self._operations = operations

    def __enter__(self) -> Self:
        self.place.home.client()
        self.daemon = Daemon(self.place.home, self.place.environ, self._runner.get_loop())
        self.live = LiveLog(self.daemon.store, self.place.home)
        self._client = ApiClient([make(self) for make in self._operations])
        return self

    def __exit__(self, *_: object) -> None:
        self.live.close()
        self._runner.close()
        self.daemon.close()
        with suppress(DaemonError):
            stop_daemon(self.place.home)
        self.place.__exit__()

    @property
    def project(self) -> Path:
        return self.place.project

    def ask(self, method: str, path: str, **body: Any) -> AsgiResponse:
        """One request to an operation, in an event loop that must never be kept waiting."""

        async def whole() -> AsgiResponse:
            answer = await self._client.ask(method, path, body or None)
            await self.daemon.supervision.call(lambda: None)  # what nobody waited for is done, too
            return answer

        with blockbuster_ctx():
            return self._runner.run(whole())

    def get(self, path: str) -> Any:
        """What an operation answers without a problem."""
        answer = self.ask("GET", path)
        assert answer.status == 200, answer.body
        return answer.json

    def post(self, path: str, **body: Any) -> Any:
        """What an operation answers without a problem."""
        answer = self.ask("POST", path, **body)
        assert answer.status in (200, 202), answer.body
        return answer.json

    def record(self, run: str, *events: Event) -> Supervisor:
        """Record events of a run in the project."""
        supervisor = self.daemon.runs.get(run, str(self.project))
        for event in events:
            supervisor.record(event).wait(60)
        return supervisor
