"""Talks to the daemon over its socket, for Handrail's own commands."""

import http.client
import json
import socket

from handrail.server.home import Home


class DaemonError(Exception):
    """The daemon cannot be reached, or does not start."""


class RefusedError(DaemonError):
    """The daemon answered with an error."""

    def __init__(self, status: int, says: str) -> None:
        super().__init__(says)
        self.status = status


class SocketConnection(http.client.HTTPConnection):
    """HTTP over a unix socket."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("handrail", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        """Connect for the first request, and again after the daemon disconnected."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def call_daemon(
    home: Home, method: str, path: str, body: object = None, *, timeout: float = 5.0
) -> dict[str, object]:
    """Send one request. Raises DaemonError; RefusedError for an answer that is an error."""
    connection = SocketConnection(home.socket, timeout)
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    try:
        home.check_socket()
        connection.request(method, path, data, {"Content-Type": "application/json"})
        response = connection.getresponse()
        said = json.loads(response.read())
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise DaemonError(f"the daemon does not answer on {home.socket}: {error}") from None
    finally:
        connection.close()
    if not isinstance(said, dict):
        raise DaemonError(f"what answers on {home.socket} is not Handrail")
    if response.status != http.client.OK:
        raise RefusedError(response.status, str(said.get("error", f"HTTP {response.status}")))
    return said


def port_answers(home: Home) -> bool:
    """Return whether a program listens on the port; without a daemon, it is another program."""
    if not home.has_port:
        return False
    try:
        socket.create_connection(("127.0.0.1", home.port), timeout=1.0).close()
    except OSError:
        return False
    return True


def why_down(home: Home) -> str:
    """Return the guardian's reason for having no daemon, or ""."""
    try:
        call_daemon(home, "GET", "/healthz", timeout=2.0)
    except RefusedError as error:
        return str(error)
    except DaemonError:
        return ""
    return ""


def daemon_health(home: Home) -> dict[str, object] | None:
    """Return the daemon's health, or None if no daemon runs."""
    try:
        return call_daemon(home, "GET", "/healthz", timeout=2.0)
    except DaemonError:
        return None
