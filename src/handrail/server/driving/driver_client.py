"""The connection of a driver to the daemon, over its socket, without blocking."""

import asyncio
import http.client
import json
import os
from collections.abc import AsyncIterator, Callable, Mapping
from time import monotonic
from typing import TypeVar

import msgspec

from handrail.drive.daemon_client import (
    DriverOrder,
    DriverReport,
    IterationPermission,
    LoopProgress,
    LoopStart,
)
from handrail.model.control import HOLDING
from handrail.server.home import Home
from handrail.server.http.socket_client import DaemonError, RefusedError
from handrail.server.launcher import ensure_daemon

T = TypeVar("T")

_WAIT = 20.0
"""Seconds that the daemon may wait before it answers a call."""
_SLACK = 10.0
_PAUSE = 0.2
_PATIENCE = 120.0
"""Seconds to wait for a daemon that is restarting."""

PermissionListener = Callable[[IterationPermission], None]


class _OrderList(msgspec.Struct):
    orders: list[DriverOrder]
    over: bool = False
    held: bool = False


class SocketDaemonClient:
    """Repeats every call while the daemon restarts.

    Raises DaemonError if the daemon does not come back, RefusedError if it refuses.
    """

    def __init__(
        self,
        home: Home,
        run: str,
        *,
        on_permission: PermissionListener = lambda go: None,
        environ: Mapping[str, str] = os.environ,
        patience: float = _PATIENCE,
    ) -> None:
        """`on_permission` gets every reply about the state of the run."""
        self._home = home
        self._run = run
        self._on_permission = on_permission
        self._environ = environ
        self._patience = patience
        self.begun = asyncio.Event()
        """Set when the daemon knows the loop."""
        self.held = False
        """Whether a person holds the run, by the last orders."""

    async def begin(self, loop: LoopStart) -> LoopProgress:
        """Make the run known before its agent starts."""
        said = await self._call("POST", "loop", LoopProgress, loop)
        self.begun.set()
        return said

    async def may_begin(self, iteration: int) -> IterationPermission:
        """Ask for the next iteration, and wait while the run is held."""
        return await self._permitted(iteration, stuck=False)

    async def _permitted(self, iteration: int, *, stuck: bool) -> IterationPermission:
        while True:
            path = f"iterations?iteration={iteration}&wait={_WAIT:g}&stuck={stuck:d}"
            go = await self._call("POST", path, IterationPermission)
            self._on_permission(go)
            if go.standing not in HOLDING:
                return go

    async def note_iteration(self, iteration: int) -> None:
        """Say that an iteration begins, without asking; a held run does not take note."""
        await self._call("POST", f"iterations?iteration={iteration}", IterationPermission)

    async def may_end(self, iteration: int, *, stuck: bool) -> IterationPermission:
        """Ask whether the loop may end; it may if the iteration could also continue."""
        if stuck:
            return await self._permitted(iteration, stuck=True)
        return await self.may_begin(iteration)

    async def orders(self) -> AsyncIterator[DriverOrder]:
        """Yield the daemon's orders until the run is over."""
        after = 0
        while True:
            path = f"orders?after={after}&held={self.held:d}&wait={_WAIT:g}"
            said = await self._call("GET", path, _OrderList)
            self.held = said.held
            for order in said.orders:
                after = max(after, order.number)
                yield order
            if said.over:
                return

    async def report(self, report: DriverReport) -> None:
        """Report an event of the driver."""
        await self._call("POST", "reports", dict[str, object], report)

    async def _call(
        self, method: str, path: str, kind: type[T], body: msgspec.Struct | None = None
    ) -> T:
        until = monotonic() + self._patience
        whole = f"/runs/{self._run}/{path}"
        data = b"" if body is None else msgspec.json.encode(body)
        while True:
            try:
                status, said = await self._exchange(method, whole, data)
                if (
                    status < http.client.INTERNAL_SERVER_ERROR
                ):  # otherwise the daemon is shutting down
                    return _read(status, said, kind)
                problem = DaemonError(_error(status, said))
            except (OSError, EOFError, ValueError) as error:
                problem = DaemonError(f"the daemon does not answer: {error}")
            if monotonic() > until:
                raise problem
            await asyncio.sleep(_PAUSE)
            await self._start_again(until)

    async def _start_again(self, until: float) -> None:
        try:
            await asyncio.to_thread(ensure_daemon, self._home, self._environ)
        except DaemonError:
            if monotonic() > until:
                raise

    async def _exchange(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        """Send one request; raise OSError, EOFError or ValueError."""
        self._home.check_socket()
        async with asyncio.timeout(_WAIT + _SLACK):
            reader, writer = await asyncio.open_unix_connection(self._home.socket)
            try:
                head = (
                    f"{method} {path} HTTP/1.1\r\nHost: handrail\r\nConnection: close\r\n"
                    f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
                )
                writer.write(head.encode() + body)
                status = int((await reader.readline()).split()[1])
                length = 0
                while (line := (await reader.readline()).strip()) != b"":
                    name, _, value = line.partition(b":")
                    if name.lower() == b"content-length":
                        length = int(value)
                return status, await reader.readexactly(length)
            except IndexError:
                raise EOFError("it closed the connection") from None
            finally:
                writer.close()


def _read(status: int, said: bytes, kind: type[T]) -> T:
    if status != http.client.OK:
        raise RefusedError(status, _error(status, said))
    try:
        return msgspec.json.decode(said, type=kind)
    except msgspec.MsgspecError as error:
        raise DaemonError(f"another program answers: {error}") from None


def _error(status: int, said: bytes) -> str:
    try:
        return str(json.loads(said)["error"])
    except (ValueError, LookupError, TypeError):
        return f"HTTP {status}"
