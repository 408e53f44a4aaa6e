"""Requests to an application in this process, without a network."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from starlette.types import ASGIApp, Message, Scope


class AsgiResponse(NamedTuple):
    """What came back; the status is 0 where nothing did."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def ask(
    app: ASGIApp,
    method: str,
    path: str,
    body: bytes | Sequence[bytes] = b"",
    headers: Mapping[str, str] | Sequence[tuple[str, str]] = {},
    *,
    hangs_up: bool = False,
    waits: bool = False,
) -> AsgiResponse:
    """One request; `hangs_up`: the client is gone before it has sent everything; `waits`: it is
    there until it has an answer, else it leaves after sending."""
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    parts = [body] if isinstance(body, bytes) else list(body)
    scope: Scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path.partition("?")[0],
        "raw_path": path.partition("?")[0].encode(),
        "query_string": path.partition("?")[2].encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in pairs],
        "client": ("127.0.0.1", 40000),
        "server": ("127.0.0.1", 47100),
    }
    sent: list[Message] = []

    async def receive() -> Message:
        if parts:
            more = len(parts) > 1 or hangs_up
            return {"type": "http.request", "body": parts.pop(0), "more_body": more}
        if waits:
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    if not sent:
        return AsgiResponse(0, {}, b"")
    names = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return AsgiResponse(
        sent[0]["status"], names, b"".join(part.get("body", b"") for part in sent[1:])
    )
