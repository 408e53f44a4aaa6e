"""Authentication on the port. The unix socket needs none: only its owner can open it."""

import re
from collections.abc import Iterable, Sequence
from hmac import compare_digest

import msgspec
from starlette.types import ASGIApp, Receive, Scope, Send

from handrail.hosts.port import endpoint
from handrail.server.http.hook_endpoint import SENDER
from handrail.server.http.port_connection import PortConnection

_HOOKS = re.compile(endpoint("[a-z0-9_-]+"))
_HEALTH = ("GET", "/healthz")
_NAMES = (b"127.0.0.1", b"localhost")


class TokenAuth:
    """Lets a request through if it has the right token and no web page sent it."""

    def __init__(
        self, app: ASGIApp, *, hook_token: str, control_token: str, only_socket: Iterable[str] = ()
    ) -> None:
        """`only_socket`: hosts whose hooks never come over the port."""
        self._app = app
        self._hook = f"Bearer {hook_token}".encode()
        self._control = f"Bearer {control_token}".encode()
        self._closed = frozenset(map(endpoint, only_socket))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 401 or 403, or pass the request on."""
        if scope["type"] != "http":
            return  # nothing else is spoken here
        refusal = self.refusal(scope["method"], scope["path"], scope["headers"])
        if refusal is None:
            sender = PortConnection.between(scope.get("client"), scope.get("server"))
            await self._app({**scope, SENDER: sender}, receive, send)
        else:
            await _refuse(send, *refusal)

    def refusal(
        self, method: str, path: str, headers: Sequence[tuple[bytes, bytes]]
    ) -> tuple[int, str] | None:
        """Return status and reason of a refusal, or None."""
        hosts = [value for name, value in headers if name == b"host"]
        if any(name == b"origin" for name, _ in headers) or not _are_ours(hosts):
            return 403, "web pages may not talk to Handrail"
        given = [value for name, value in headers if name == b"authorization"]
        if len(given) != 1 or not self._opens(given[0], method, path):
            return 401, "the token is missing or wrong"
        return None

    def _opens(self, given: bytes, method: str, path: str) -> bool:
        is_open = is_for_hooks(method, path) and path not in self._closed
        return compare_digest(given, self._control) or (
            is_open and compare_digest(given, self._hook)
        )


def is_for_hooks(method: str, path: str) -> bool:
    """Return whether the hook token is enough for a path; the control token opens all."""
    # A host that nobody knows too: it must hear a refusal, not an error that it passes over.
    is_hook = method == "POST" and _HOOKS.fullmatch(path) is not None
    return is_hook or (method, path) == _HEALTH


def _are_ours(hosts: list[bytes]) -> bool:
    """Return whether the Host header is loopback; a web page could use a DNS name of its own."""
    return len(hosts) == 1 and hosts[0].rpartition(b":")[0] in _NAMES


async def no_such_path(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer that there is nothing here: no hooks and no control on this port."""
    if scope["type"] == "http":
        await _refuse(send, 404, "there is no such page")


async def _refuse(send: Send, status: int, says: str) -> None:
    body = msgspec.json.encode({"error": says})
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
