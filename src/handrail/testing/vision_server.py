"""A Messages API on loopback that answers questions about screens from a script.

Unlike `model_server` it can also fail as the real API does: refuse, think first, stop in the
middle, answer with an error, or not at all.
"""

import base64
import json
import socket
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler
from socketserver import BaseServer
from typing import NamedTuple, cast

from handrail.testing.loopback_server import LoopbackServer
from handrail.testing.model_server import Json


class VisionReply(NamedTuple):
    """One answer."""

    answer: str | Mapping[str, object] = ""
    """The text of the message; an object becomes JSON."""
    status: int = 200
    stop_reason: str = "end_turn"
    thoughts: str = ""
    """A thinking block before the text."""
    input_tokens: int = 3_000
    output_tokens: int = 200
    headers: Mapping[str, str] = {}
    body: bytes | None = None
    """The whole body, in place of a message."""
    after: threading.Event | None = None
    """Answer only when this is set, or when the server ends."""


class VisionCall(NamedTuple):
    """One request."""

    key: str
    """From either of the two headers that clients use."""
    body: Json

    @property
    def picture(self) -> bytes:
        """The decoded picture."""
        source = cast("dict[str, str]", self._block("image")["source"])
        return base64.b64decode(source["data"])

    @property
    def text(self) -> str:
        """The text beside the picture."""
        return str(self._block("text")["text"])

    def _block(self, kind: str) -> Json:
        [message] = cast("list[dict[str, list[Json]]]", self.body["messages"])
        return next(block for block in message["content"] if block["type"] == kind)


def sees(status: str, *actions: str, confidence: float = 0.95, file: str = "") -> VisionReply:
    """Return the answer of a model that recognises a screen."""
    return VisionReply(
        {
            "status": status,
            "confidence": confidence,
            "description": f"The screen is in the state {status}.",
            "recovery_actions": list(actions),
            "actual_file": file,
        }
    )


class VisionServer(LoopbackServer):
    """Plays its replies one after the other while its `with` block runs; the last one stays."""

    def __init__(self, *replies: VisionReply) -> None:
        """At least one reply."""
        self._replies: Sequence[VisionReply] = replies
        self._lock = threading.Lock()
        self._calls: list[VisionCall] = []
        super().__init__(partial(_VisionHandler, self))

    @property
    def environ(self) -> dict[str, str]:
        """The environment of an analyser that asks this server."""
        return {"ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": self.url}

    @property
    def calls(self) -> list[VisionCall]:
        """All requests so far."""
        with self._lock:
            return list(self._calls)

    def answer(self, call: VisionCall) -> VisionReply:
        """Record a request and return its reply, when it is time."""
        with self._lock:
            self._calls.append(call)
            reply = self._replies[min(len(self._calls), len(self._replies)) - 1]
        while reply.after and not (reply.after.wait(0.05) or self.closing.is_set()):
            pass
        return reply


class _VisionHandler(BaseHTTPRequestHandler):
    """HTTP around a VisionServer; every answer ends its connection."""

    protocol_version = "HTTP/1.1"

    def __init__(
        self, vision: VisionServer, connection: socket.socket, client: object, server: BaseServer
    ) -> None:
        self._vision = vision
        with suppress(ConnectionError):  # a client whose patience is over hangs up in the middle
            super().__init__(connection, client, server)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        bearer = str(self.headers.get("authorization") or "").removeprefix("Bearer ")
        key = str(self.headers.get("x-api-key") or bearer)
        reply = self._vision.answer(VisionCall(key, body))
        data = reply.body if reply.body is not None else json.dumps(_content(reply, body)).encode()
        self.send_response(reply.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.send_header("connection", "close")
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        """Log nothing: the requests are recorded."""


def _content(reply: VisionReply, body: Json) -> Json:
    if reply.status != 200:
        error = {"type": "api_error", "message": f"scripted {reply.status}"}
        return {"type": "error", "error": error}
    said = reply.answer if isinstance(reply.answer, str) else json.dumps(dict(reply.answer))
    blocks: list[Json] = []
    if reply.thoughts:
        blocks.append({"type": "thinking", "thinking": reply.thoughts, "signature": "x"})
    if said:
        blocks.append({"type": "text", "text": said})
    return {
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": blocks,
        "stop_reason": reply.stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens},
    }
