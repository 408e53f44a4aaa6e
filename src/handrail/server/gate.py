"""Who may ask what on the port. The unix socket needs no gate: only its owner can open it."""

from hmac import compare_digest

import msgspec
from starlette.types import ASGIApp, Receive, Scope, Send

_FOR_HOOKS = frozenset({("POST", "/hooks/claude"), ("GET", "/healthz")})
"""What the hook token opens; the control token opens everything."""


class Gate:
    """Lets a request through that carries the right token and does not come from a web page."""

    def __init__(self, app: ASGIApp, *, hook_token: str, control_token: str) -> None:
        self._app = app
        self._hook = hook_token.encode()
        self._control = control_token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 401 or 403, or pass it on."""
        if scope["type"] != "http":
            return
        headers = dict(scope["headers"])
        if b"origin" in headers or not _is_loopback(headers.get(b"host", b"")):
            await _refuse(send, 403, "web pages may not talk to Handrail")
            return
        token = headers.get(b"authorization", b"").removeprefix(b"Bearer ")
        if compare_digest(token, self._control) or (
            (scope["method"], scope["path"]) in _FOR_HOOKS and compare_digest(token, self._hook)
        ):
            await self._app(scope, receive, send)
            return
        await _refuse(send, 401, "the token is missing or wrong")


def _is_loopback(host: bytes) -> bool:
    """A name that leads here by way of somebody else's DNS is not ours."""
    return host.rpartition(b":")[0] in (b"127.0.0.1", b"localhost", b"[::1]")


async def _refuse(send: Send, status: int, says: str) -> None:
    body = msgspec.json.encode({"error": says})
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
