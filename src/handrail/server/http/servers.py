"""The HTTP servers behind the daemon's sockets."""

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal, cast

import uvicorn
from starlette.types import ASGIApp

from handrail.config.panel import PanelSettings
from handrail.hosts import HOSTS, find_host
from handrail.hosts.port import endpoint
from handrail.server.http.hook_protocol import BeginAnswer, Headers, HookProtocol
from handrail.server.http.token_auth import TokenAuth, no_such_path
from handrail.server.panel.panel_server import PanelServer

_KEEP_ALIVE = 600
"""Seconds that an idle connection stays open: agents think for long between two calls."""
_STEP = 0.005


class Servers:
    """One server per socket: the ports have a gate, the unix socket has none."""

    def __init__(
        self,
        app: ASGIApp,
        answer: BeginAnswer,
        panel: PanelServer,
        *,
        hook_token: str,
        control_token: str,
    ) -> None:
        gate = TokenAuth(
            app,
            hook_token=hook_token,
            control_token=control_token,
            only_socket=[name for name in HOSTS if find_host(name).only_socket],
        )

        def may_ask(host: str, headers: Headers) -> bool:
            return gate.refusal("POST", endpoint(host), headers) is None

        protocol = partial(HookProtocol, answer=answer)
        self._by_path = _config(
            panel.for_owner(app), partial(protocol, admits=_everybody, by_port=False)
        )
        self._by_port = _config(
            panel.gate(app, gate), partial(protocol, admits=may_ask, by_port=True)
        )
        self._panel_alone = panel.gate(app, no_such_path)
        self._servers: list[_Server] = []
        self._tasks: list[asyncio.Task[None]] = []

    def add_path(self, sock: socket.socket) -> None:
        """Serve on a unix socket."""
        self._add(self._by_path, sock)

    def add_port(self, sock: socket.socket) -> None:
        """Serve on a port."""
        self._add(self._by_port, sock)

    def add_panel(self, sock: socket.socket, settings: PanelSettings) -> None:
        """Serve the panel and its API on one more port, without hooks."""
        tls = settings.tls
        config = _config(
            self._panel_alone,
            "httptools",
            ssl_certfile=tls.cert or None,
            ssl_keyfile=tls.key or None,
        )
        self._add(config, sock)

    async def started(self) -> None:
        """Return when all servers accept calls."""
        while not all(server.started for server in self._servers):
            await asyncio.sleep(_STEP)

    def stop(self) -> None:
        """End the servers after the requests that have begun to arrive."""
        for server in self._servers:
            server.should_exit = True

    async def ended(self) -> None:
        """Return when all servers have ended."""
        await asyncio.gather(*self._tasks)

    def _add(self, config: uvicorn.Config, sock: socket.socket) -> None:
        server = _Server(config)
        self._servers.append(server)
        self._tasks.append(asyncio.create_task(server.serve(sockets=[sock])))


def _everybody(host: str, headers: Headers) -> bool:
    """Let everybody in: only its owner can open the unix socket."""
    return True


def _config(
    app: ASGIApp,
    protocol: Callable[..., HookProtocol] | Literal["httptools"],
    *,
    ssl_certfile: str | None = None,
    ssl_keyfile: str | None = None,
) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=cast("type[HookProtocol]", protocol),  # it is only ever called
        ssl_certfile=ssl_certfile,
        ssl_keyfile=ssl_keyfile,
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=3,
        server_header=False,
        proxy_headers=False,
    )


class _Server(uvicorn.Server):
    """A server that leaves the signals to the daemon, which has several servers."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
