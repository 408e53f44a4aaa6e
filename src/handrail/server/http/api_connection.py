"""The API over the daemon's socket, for Handrail's own commands and for programs of this user."""

import http.client

from handrail.api.client import ApiAnswer, ApiClient
from handrail.server.home import Home
from handrail.server.http.socket_client import DaemonError, SocketConnection

_JSON = {"Content-Type": "application/json"}


def connect_api(home: Home, *, seconds: float = 30.0) -> ApiClient:
    """Return a client of the daemon's API; its calls raise DaemonError and ApiRefusedError."""
    return ApiClient(SocketTransport(home), seconds=seconds)


class SocketTransport:
    """Sends each request over a connection of its own: calls may come from any thread."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def send(self, method: str, path: str, body: bytes | None, seconds: float) -> ApiAnswer:
        """Send a request, and return the answer. Raises DaemonError."""
        connection = SocketConnection(self._home.socket, seconds)
        try:
            self._home.check_socket()
            connection.request(method, path, body, _JSON)
            response = connection.getresponse()
            return ApiAnswer(response.status, response.read())
        except (OSError, http.client.HTTPException) as error:
            raise DaemonError(
                f"the daemon does not answer on {self._home.socket}: {error}"
            ) from None
        finally:
            connection.close()
