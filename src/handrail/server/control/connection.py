"""Control requests over the daemon's socket."""

import http.client
import os
from collections.abc import Mapping
from urllib.parse import quote

import msgspec

from handrail.control.client import UnreachableError, UnwrittenError
from handrail.control.message import AnyMessage
from handrail.server.home import Home
from handrail.server.http.socket_client import DaemonError, RefusedError, call_daemon
from handrail.server.launcher import ensure_daemon

_SLACK = 5.0
"""Extra seconds for the transport."""


class DaemonConnection:
    """Connects to the daemon, and starts it if none runs."""

    def __init__(self, home: Home, environ: Mapping[str, str] = os.environ) -> None:
        self._home = home
        self._environ = environ

    def send(self, request: bytes) -> list[AnyMessage]:
        """Send a request, and return the messages about it so far."""
        try:
            ensure_daemon(self._home, self._environ)
            said = call_daemon(self._home, "POST", "/control", request, timeout=_SLACK)
        except RefusedError as error:
            if error.status == http.client.INSUFFICIENT_STORAGE:
                raise UnwrittenError(str(error)) from None
            raise UnreachableError(str(error)) from None
        except DaemonError as error:
            raise UnreachableError(str(error)) from None
        return _messages(said)

    def wait(self, request_id: str, seconds: float) -> list[AnyMessage] | None:
        """Wait for the messages about a request; None: the daemon does not know the request."""
        path = f"/control/{quote(request_id, safe='')}?wait={seconds:.3f}"
        try:
            said = call_daemon(self._home, "GET", path, timeout=seconds + _SLACK)
        except RefusedError as error:
            if error.status == http.client.NOT_FOUND:
                return None
            raise UnreachableError(str(error)) from None
        except DaemonError as error:
            raise UnreachableError(str(error)) from None
        return _messages(said)


def _messages(said: dict[str, object]) -> list[AnyMessage]:
    try:
        return msgspec.convert(said["messages"], list[AnyMessage])
    except (KeyError, msgspec.ValidationError) as error:
        raise UnreachableError(f"what answers is not Handrail: {error}") from None
