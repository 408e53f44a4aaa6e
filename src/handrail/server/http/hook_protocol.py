"""The fast path of a hook through HTTP.

Every call of an agent waits for its hooks. The way through uvicorn and ASGI costs more than half of
the time that the daemon needs for a call. So this protocol reads plain requests for the hooks
itself, and answers with one write. It leaves all other requests to uvicorn, together with
everything that follows on the same connection: nobody reads a request twice.
"""

import asyncio
import os
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from handrail.hosts.port import MAX_BYTES, HookSender, endpoint
from handrail.server.control.pause_waiters import Gone
from handrail.server.guardian.waking import wake_on_input
from handrail.server.http.hook_endpoint import AnswerTaker
from handrail.server.http.port_connection import PortConnection

Headers = Sequence[tuple[bytes, bytes]]
BeginAnswer = Callable[[str, bytes, Headers, Gone, HookSender | None, AnswerTaker], None]
"""Begins to answer a hook; the last parameter takes the answer."""

_FIRST = re.compile(rf"POST {endpoint('([a-z0-9_-]+)')} HTTP/1\.1\r\n".encode())
_LONGEST_HEAD = 16_384
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t -~\x80-\xff]*)")
_LENGTH = re.compile(rb"[0-9]{1,9}")
_FOR_UVICORN = frozenset({b"transfer-encoding", b"expect", b"upgrade", b"trailer"})
_FEW_BYTES = 65_536
"""The most bytes to take while an answer is awaited; then the protocol stops reading."""
_ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"


class RequestHead(NamedTuple):
    """The head of a plain request for the hooks."""

    host: str
    headers: Headers
    begin: int
    end: int
    """Start and end of its body."""


def read_head(data: bytes | bytearray) -> RequestHead | None:
    """Parse the head at the start of some bytes; return None unless it is plain."""
    size = data.find(b"\r\n\r\n", 0, _LONGEST_HEAD)
    first = _FIRST.match(data)
    if size < 0 or first is None:
        return None
    headers: list[tuple[bytes, bytes]] = []
    lengths: list[bytes] = []
    for line in bytes(data[first.end() : size]).split(b"\r\n"):
        field = _FIELD.fullmatch(line)
        if field is None:
            return None
        name, value = field[1].lower(), field[2]
        if name in _FOR_UVICORN or (name == b"connection" and value.lower() != b"keep-alive"):
            return None
        if value.endswith((b" ", b"\t")):
            return None
        if name == b"content-length":
            lengths.append(value)
        headers.append((name, value))
    if len(lengths) != 1 or not _LENGTH.fullmatch(lengths[0]) or int(lengths[0]) > MAX_BYTES:
        return None
    return RequestHead(first[1].decode(), headers, size + 4, size + 4 + int(lengths[0]))


class HookProtocol(HttpToolsProtocol):
    """One connection: on the fast path as long as it brings only plain requests for the hooks."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, object],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        answer: BeginAnswer,
        admits: Callable[[str, Headers], bool],
        by_port: bool,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._answer = answer
        self._gone = asyncio.Event()
        self._admits = admits
        self._by_port = by_port
        self._sender: HookSender | None = None
        """The sender on the port; the socket has only one owner."""
        self._is_short = True
        self._unread = bytearray()
        self._head: RequestHead | None = None
        """The head of a request whose body has not arrived yet."""
        self._is_waiting = False
        self._is_ending = False
        self._answered = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Called by the loop."""
        super().connection_made(transport)
        if (connected := transport.get_extra_info("socket")) is not None:
            wake_on_input(connected.fileno(), os.getpid())
        if self._by_port:
            self._sender = PortConnection.between(self.client, self.server)

    def data_received(self, data: bytes) -> None:
        """Called by the loop."""
        if not self._is_short:
            super().data_received(data)
            return
        self._unread += data
        if not self._is_waiting:
            self._read()
        elif len(self._unread) > _FEW_BYTES:
            self.flow.pause_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the loop: nobody waits for an answer any more."""
        self._gone.set()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Answer the requests that have begun to arrive; called when the server ends."""
        if self._is_waiting or self._unread:
            self._is_ending = True
        else:
            super().shutdown()

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection; one timer checks whether anything came since it was set."""
        idle = self.loop.time() - self._answered
        busy = self._is_waiting or self._unread
        if not self._is_short or (idle >= self.timeout_keep_alive and not busy):
            super().timeout_keep_alive_handler()
        else:
            self._look_again(max(self.timeout_keep_alive - idle, 1.0))

    def _look_again(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(
            seconds, self.timeout_keep_alive_handler
        )

    def _read(self) -> None:
        head = self._head or read_head(self._unread)
        if head is None or not self._admits(head.host, head.headers):
            self._is_short = False
            data, self._unread = bytes(self._unread), bytearray()
            super().data_received(data)
        elif len(self._unread) < head.end:
            self._head = head
        else:
            body = bytes(self._unread[head.begin : head.end])
            del self._unread[: head.end]
            self._head = None
            self._is_waiting = True
            self._answer(
                head.host, body, head.headers, self._leaves, self._sender, self._take_answer
            )

    async def _leaves(self) -> None:
        await self._gone.wait()

    def _take_answer(self, answer: bytes | None) -> None:
        if answer is None:
            self.transport.close()  # who waits for an answer sees that there will be none
            return
        self._is_waiting = False
        if self.transport.is_closing():
            return
        self.transport.write(_ANSWER % (len(answer), answer))
        self.server_state.total_requests += 1
        if self._is_ending:
            self.transport.close()
        elif self._unread:
            self.flow.resume_reading()
            self._read()
        else:
            self._answered = self.loop.time()
            if self.timeout_keep_alive_task is None:
                self._look_again(self.timeout_keep_alive)
