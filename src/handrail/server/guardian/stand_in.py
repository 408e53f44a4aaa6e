"""Answers in the place of a daemon that is not there: what only reads may go on.

Which tools only read, and how a refusal sounds, the daemon has said while it was well.
"""

import json
import selectors
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

CAUSE = "@CAUSE@"
"""As in `handrail.hosts.port`, which is too large to be loaded here."""
_HOOKS = "/hooks/"
_LONGEST_HEAD = 16_384
_LONGEST_BODY = 4 * 1024 * 1024
_MOST_CALLERS = 256
_PATIENCE = 10.0
_MOST_REFUSED = 100
_MOST_SHOWN = 300

Answers = Mapping[str, Any]
"""How to answer each host: `FaultAnswers` of `handrail.hosts.port`, as JSON."""


class HookRequest(NamedTuple):
    """One request over HTTP."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class StandIn:
    """Speaks as much HTTP as a refusal needs."""

    def __init__(self, answers: Answers, token: str, cause: Callable[[], str]) -> None:
        """`token`: what opens the port; `cause`: why there is no daemon."""
        self._answers = answers
        self._token = f"Bearer {token}"
        self._cause = cause
        self.refused: list[dict[str, object]] = []
        """Calls that were refused, for the next daemon's log."""

    def answer(self, request: HookRequest, *, by_port: bool) -> bytes:
        """The whole answer to a request."""
        if by_port and not self._opens(request.headers.get("authorization", "")):
            return _response("401 Unauthorized", json.dumps({"error": "the token is wrong"}))
        host = request.path.removeprefix(_HOOKS)
        known = self._answers.get(host)
        if request.method != "POST" or host == request.path or known is None:
            return _response("503 Service Unavailable", json.dumps({"error": self._cause()}))
        return _response("200 OK", self._hook(host, known, request.body))

    def _opens(self, given: str) -> bool:
        from hmac import compare_digest  # noqa: PLC0415 - rarely needed, and 3 MB

        return compare_digest(given.encode(), self._token.encode())

    def _hook(self, host: str, known: Answers, body: bytes) -> str:
        try:
            said = json.loads(body)
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, dict):
            return self._told(str(known["unreadable"]))
        event, tool = str(said.get(known["event"], "")), str(said.get(known["tool"], ""))
        refusal = known["refusals"].get(event, known["otherwise"])
        if tool in known["reads"] or CAUSE not in refusal:
            return str(known["otherwise"]) if tool in known["reads"] else str(refusal)
        self._note(host, said, known, event, tool)
        return self._told(refusal)

    def _told(self, text: str) -> str:
        return text.replace(CAUSE, json.dumps(self._cause())[1:-1])

    def _note(self, host: str, said: Answers, known: Answers, event: str, tool: str) -> None:
        if len(self.refused) < _MOST_REFUSED:
            self.refused.append(
                {
                    "at": time.time(),
                    "host": host,
                    "run": str(said.get(known["run"], ""))[:_MOST_SHOWN],
                    "cwd": str(said.get(known["folder"], ""))[:_MOST_SHOWN],
                    "what": tool[:_MOST_SHOWN] or event,
                    "cause": self._cause(),
                }
            )


class _Caller:
    """A connection whose request is still coming."""

    def __init__(self, sock: socket.socket, *, by_port: bool) -> None:
        self.socket = sock
        self.by_port = by_port
        self.data = b""
        self.until = time.monotonic() + _PATIENCE

    def request(self) -> HookRequest | None:
        """The request, once all of it is here. Raises ValueError."""
        head, found, rest = self.data.partition(b"\r\n\r\n")
        if not found:
            if len(head) > _LONGEST_HEAD:
                raise ValueError("the head is too long")
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, *_ = [*first.split(" "), "", ""]
        pairs = (line.partition(":") for line in lines)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        length = int(headers.get("content-length", "0"))
        if length > _LONGEST_BODY:
            return HookRequest(method, path, headers, b"")
        return HookRequest(method, path, headers, rest[:length]) if len(rest) >= length else None


class Reception:
    """Accepts calls on both sockets while its stand-in answers."""

    def __init__(self, selector: selectors.BaseSelector) -> None:
        self._selector = selector
        self._doors: tuple[socket.socket, ...] = ()
        self._callers: set[_Caller] = set()
        self._stand_in: StandIn | None = None

    @property
    def is_open(self) -> bool:
        """Whether calls are accepted here now."""
        return bool(self._doors)

    def open(self, doors: tuple[socket.socket, socket.socket], stand_in: StandIn) -> None:
        """Answer from now on; the second door is the port."""
        self._stand_in = stand_in
        self._doors = doors
        for door in doors:
            door.setblocking(False)
            self._selector.register(door, selectors.EVENT_READ, self._accept)

    def close(self) -> None:
        """Leave new calls to the daemon; whoever was heard already is answered here."""
        for door in self._doors:
            self._selector.unregister(door)
        self._doors = ()

    def drop_slow(self) -> None:
        """Hang up on callers that do not come to the point."""
        now = time.monotonic()
        for caller in [each for each in self._callers if each.until < now]:
            self._leave(caller)

    def _accept(self, door: Any) -> None:
        try:
            sock, _ = door.accept()
        except OSError:
            return  # another process was quicker, or the caller is gone
        if len(self._callers) >= _MOST_CALLERS:
            sock.close()
            return
        sock.setblocking(False)
        caller = _Caller(sock, by_port=door is self._doors[1])
        self._callers.add(caller)
        self._selector.register(sock, selectors.EVENT_READ, lambda _: self._read(caller))

    def _read(self, caller: _Caller) -> None:
        try:
            data = caller.socket.recv(65_536)
            caller.data += data
            request = caller.request() if data else None
        except BlockingIOError:
            return
        except (OSError, ValueError):
            data, request = b"", None
        if request is None:
            if not data:
                self._leave(caller)
            return
        assert self._stand_in is not None
        with suppress(OSError):
            caller.socket.sendall(self._stand_in.answer(request, by_port=caller.by_port))
        self._leave(caller)

    def _leave(self, caller: _Caller) -> None:
        self._callers.discard(caller)
        self._selector.unregister(caller.socket)
        caller.socket.close()


def _response(status: str, body: str) -> bytes:
    data = body.encode()
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(data)}"
    return f"{head}\r\nconnection: close\r\n\r\n".encode() + data
