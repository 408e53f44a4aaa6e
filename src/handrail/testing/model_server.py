"""A Messages API on loopback that plays a script instead of a model.

A real agent program can run against it without an account or a network, and really runs the
tools that the script calls. The number of assistant messages in a request chooses the turn,
so retries, resumed sessions and parallel sub-agents do not confuse the script.
"""

import json
import re
import socket
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler
from socketserver import BaseServer
from typing import NamedTuple

from handrail.testing.loopback_server import LoopbackServer

Json = dict[str, object]
REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)


class Say(NamedTuple):
    """The model writes text."""

    text: str


class ToolCall(NamedTuple):
    """The model calls a tool; without an id, the server makes one."""

    tool: str
    input: Mapping[str, object]
    id: str = ""


class ModelTurn(NamedTuple):
    """One answer of the model, or an HTTP error the first `times` times."""

    parts: Sequence[Say | ToolCall] = ()
    """Several calls run in parallel."""
    after: threading.Event | None = None
    """Answer only when this is set."""
    status: int = 0
    times: int = 1
    rest: threading.Event | None = None
    """Stream the first half of the first text at once, and the rest when this is set."""
    tokens: int = 0
    """The input tokens that the answer reports; 0: by the size of the request."""


class ToolResult(NamedTuple):
    """The result of a tool call."""

    text: str
    is_error: bool


class ModelRequest(NamedTuple):
    """One request to the model."""

    body: Json

    @property
    def turn(self) -> int:
        """The number of answers so far."""
        return sum(message.get("role") == "assistant" for message in self._messages())

    @property
    def prompt(self) -> str:
        """The first user message, without the additions of the host."""
        users = (message for message in self._messages() if message.get("role") == "user")
        return REMINDER.sub("", "\n".join(_texts(next(users, {}).get("content")))).strip()

    @property
    def text(self) -> str:
        """All text in the request, without earlier answers."""
        told = [m.get("content") for m in self._messages() if m.get("role") != "assistant"]
        return "\n".join(text for part in (self.body.get("system"), *told) for text in _texts(part))

    @property
    def tool_results(self) -> dict[str, ToolResult]:
        """The results of all calls so far, by id."""
        return {
            str(block.get("tool_use_id")): ToolResult(
                "\n".join(_texts(block.get("content"))), block.get("is_error") is True
            )
            for message in self._messages()
            for block in _objects(message.get("content"))
            if block.get("type") == "tool_result"
        }

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the tools that the model may call."""
        return tuple(str(tool.get("name")) for tool in _objects(self.body.get("tools")))

    def _messages(self) -> Iterator[Json]:
        return _objects(self.body.get("messages"))


Answer = ModelTurn | Say | ToolCall
Step = Answer | Callable[[ModelRequest], Answer]
Script = Sequence[Step] | Mapping[str, Sequence[Step]]
"""Steps, or steps by a regular expression that the prompt has to match; the first match wins."""

BESIDE_THE_SCRIPT = ModelTurn((Say("ok"),))
"""The answer to requests without tools, such as titles and summaries."""
AFTER_THE_SCRIPT = Say("The script ends here.")


class ModelServer(LoopbackServer):
    """Plays a script while its `with` block runs."""

    def __init__(self, script: Script, *, beside: Step = BESIDE_THE_SCRIPT) -> None:
        """`beside` answers requests without tools."""
        self._beside = beside
        self._routes = script if isinstance(script, Mapping) else {"": script}
        self._lock = threading.Lock()
        self._requests: list[ModelRequest] = []
        self._tries: Counter[tuple[str | None, int]] = Counter()
        self._faults: list[Exception] = []
        super().__init__(partial(_ModelHandler, self))

    @property
    def requests(self) -> list[ModelRequest]:
        """All requests so far."""
        with self._lock:
            return list(self._requests)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        super().__exit__(kind)
        if kind is None:
            self.check()

    def check(self) -> None:
        """Raise the first exception of the script, if any; the end of the block does this too."""
        faults, self._faults = self._faults, []
        if faults:
            raise faults[0]

    def answer(self, body: Json) -> ModelTurn:
        """Record a request and return the scripted answer; wait if the script says so."""
        request = ModelRequest(body)
        with self._lock:
            self._requests.append(request)
        try:
            turn = self._pick(request)
        except Exception as fault:  # noqa: BLE001 - raised by `check`, not in the server's thread
            self._faults.append(fault)
            return ModelTurn(status=400)
        self.wait(turn.after)
        return turn

    def wait(self, event: threading.Event | None) -> None:
        """Wait for an event, or for the end of the server."""
        while event and not (event.wait(0.05) or self.closing.is_set()):
            pass

    def _pick(self, request: ModelRequest) -> ModelTurn:
        if not request.tools:
            return _turn(self._beside, request)
        prompt, index = request.prompt, request.turn
        route = next((route for route in self._routes if re.search(route, prompt)), None)
        steps = self._routes[route] if route is not None else ()
        step = steps[index] if index < len(steps) else AFTER_THE_SCRIPT
        turn = _turn(step, request)
        with self._lock:
            self._tries[route, index] += 1
            failing = self._tries[route, index] <= turn.times
        return turn if failing else turn._replace(status=0)


class _ModelHandler(BaseHTTPRequestHandler):
    """HTTP around a ModelServer; every answer ends its connection."""

    protocol_version = "HTTP/1.1"

    def __init__(
        self, model: ModelServer, connection: socket.socket, client: object, server: BaseServer
    ) -> None:
        self._model = model
        with suppress(ConnectionError):  # an agent that is stopped hangs up in the middle
            super().__init__(connection, client, server)

    def do_GET(self) -> None:
        if self.path.startswith("/v1/models"):
            model = {"type": "model", "id": "claude-sonnet-4-5", "display_name": "Scripted"}
            self._send(200, {"data": [model], "has_more": False})
        else:
            self._fail(404)

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path, tokens = self.path.partition("?")[0], 1 + len(raw) // 4
        if path.endswith("/messages/count_tokens"):
            self._send(200, {"input_tokens": tokens})
        elif not path.endswith("/messages"):
            self._fail(404)
        elif (body := _decode(raw)) is None:
            self._fail(400)
        elif (turn := self._model.answer(body)).status:
            self._fail(turn.status)
        else:
            message = _message(turn, str(body.get("model")), turn.tokens or tokens)
            if body.get("stream"):
                self._stream(message, turn.rest)
            else:
                self._send(200, message)

    def _stream(self, message: Json, rest: threading.Event | None) -> None:
        self._head(200, "text/event-stream")
        for event in _events(message, halved=rest is not None):
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
            if event["type"] == "content_block_delta":
                self._model.wait(rest)

    def _fail(self, status: int) -> None:
        error = {"type": "api_error", "message": f"scripted {status} for {self.path}"}
        self._send(status, {"type": "error", "error": error})

    def _send(self, status: int, answer: Json) -> None:
        self._head(status, "application/json")
        self.wfile.write(json.dumps(answer).encode())

    def _head(self, status: int, kind: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("connection", "close")
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Log nothing: the requests are recorded."""


def _turn(step: Step, request: ModelRequest) -> ModelTurn:
    answer = step(request) if callable(step) else step
    return answer if isinstance(answer, ModelTurn) else ModelTurn((answer,))


def _message(turn: ModelTurn, model: str, tokens: int) -> Json:
    calls = any(isinstance(part, ToolCall) for part in turn.parts)
    return {
        "id": f"msg_{uuid.uuid4().hex}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [_block(part) for part in turn.parts],
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": tokens, "output_tokens": 1 + len(turn.parts)},
    }


def _block(part: Say | ToolCall) -> Json:
    if isinstance(part, Say):
        return {"type": "text", "text": part.text}
    call = part.id or f"toolu_{uuid.uuid4().hex}"
    return {"type": "tool_use", "id": call, "name": part.tool, "input": part.input}


def _events(message: Json, *, halved: bool = False) -> Iterator[Json]:
    """Yield the events of a streamed message; with `halved`, in two pieces."""
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(_objects(message["content"])):
        if block["type"] == "text":
            empty: Json = {**block, "text": ""}
            kind, field, whole = "text_delta", "text", str(block["text"])
        else:
            empty = {**block, "input": {}}
            kind, field, whole = "input_json_delta", "partial_json", json.dumps(block["input"])
        middle = len(whole) // 2 if halved else len(whole)
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        for piece in filter(None, (whole[:middle], whole[middle:])):
            delta = {"type": kind, field: piece}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": message["usage"]}
    yield {"type": "message_stop"}


def _decode(raw: bytes) -> Json | None:
    with suppress(ValueError):
        return next(_objects([json.loads(raw)]), None)
    return None


def _objects(value: object) -> Iterator[Json]:
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))


def _texts(content: object) -> Iterator[str]:
    """Yield all text in the content of a message, including tool results."""
    if isinstance(content, str):
        yield content
    for block in _objects(content):
        if isinstance(text := block.get("text"), str):
            yield text
        yield from _texts(block.get("content"))
