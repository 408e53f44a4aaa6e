"""The daemon's endpoints for checkpoints, in this process, on the daemon's socket."""

import asyncio
import json
import os
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, TypeVar, cast

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from tests.server.asgi import ask

from handrail.checkpoint import CheckpointStore, checkpoint_folder, work_tree_of
from handrail.config.checkpoints import Checkpoints as Settings
from handrail.server.files.restore_endpoint import RestoreEndpoint
from handrail.server.home import Home
from handrail.server.http.routes import starlette_app
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.store.journal import Journal
from handrail.store.memory import MemoryStore
from handrail.supervise.runs.project import Projects
from handrail.supervise.runs.run_registry import RunRegistry

from .conftest import HandrailShell

T = TypeVar("T")


class CheckpointEndpoints:
    """Real checkpoints of a scratch project; `worked` are the runs that work there."""

    def __init__(self, shell: HandrailShell) -> None:
        self.restoring: set[str] = set()
        self.by: tuple[str, ...] = ()
        self.asked: list[str] = []
        """The paths that were asked for."""
        self._over = False
        self._shell = shell
        self._environ = {**shell.environ, "PATH": os.environ["PATH"]}
        self.runs = RunRegistry(Journal(MemoryStore()), Projects(shell.environ))

    def checkpoints(self, folder: str, settings: Settings | None = None) -> CheckpointStore:
        tree = work_tree_of(folder, self._environ)
        folder = checkpoint_folder(str(self._shell.state), tree)
        return CheckpointStore(folder, tree, settings or Settings(), self._environ)

    def worked(self, folder: str) -> tuple[str, ...]:
        return self.by

    def count(self, folder: str, checkpoints: CheckpointStore) -> None:
        """A few checkpoints need no tidying up."""

    def do(self, folder: str, work: Callable[[], T]) -> Awaitable[T]:
        return asyncio.to_thread(work)

    @contextmanager
    def open(self) -> Iterator["CheckpointEndpoints"]:
        """Answer until the block ends."""
        home = Home(str(self._shell.state))
        home.prepare()
        brain = SupervisionThread()
        app = self._app(brain)
        with socket.socket(socket.AF_UNIX) as listener:
            with suppress(FileNotFoundError):
                os.unlink(home.socket)
            listener.bind(home.socket)
            listener.listen()
            thread = threading.Thread(target=self._serve, args=(listener, app))
            thread.start()
            try:
                yield self
            finally:
                self._over = True
                with socket.socket(socket.AF_UNIX) as last:
                    last.connect(home.socket)
                thread.join()
                brain.close()

    def _app(self, brain: SupervisionThread) -> Starlette:
        restores = RestoreEndpoint(brain, self.runs, self, lambda: 1.0)

        async def healthz(request: Request) -> Response:
            return Response(json.dumps({"ok": True, "pid": os.getpid()}))

        app = starlette_app([restores])
        app.routes.append(Route("/healthz", healthz))
        return app

    def _serve(self, listener: socket.socket, app: Starlette) -> None:
        while True:
            line, _ = listener.accept()
            with line, line.makefile("rwb") as file:
                request = _read(cast("BinaryIO", file))
                if request is None:
                    if self._over:
                        return
                    continue
                method, path, body = request
                if path != "/healthz":
                    self.asked.append(path)
                answer = asyncio.run(ask(app, method, path, body))
                head = f"HTTP/1.1 {answer.status} -\r\nContent-Length: {len(answer.body)}\r\n\r\n"
                file.write(head.encode() + answer.body)


def _read(file: BinaryIO) -> tuple[str, str, bytes] | None:
    first = file.readline().decode().split()
    if not first:
        return None
    size = 0
    while (header := file.readline().decode().strip().lower()) != "":
        if header.startswith("content-length:"):
            size = int(header.partition(":")[2])
    return first[0], first[1], file.read(size)
