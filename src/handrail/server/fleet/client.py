"""The engine of a folder's fleet, behind the daemon's socket."""

import os
import time
from collections.abc import Callable, Mapping

import msgspec

from handrail.fleet.engine.requests import FleetAnswer, FleetCall, FleetRequest, RemoteFleetEngine
from handrail.server.fleet.places import ENDPOINT
from handrail.server.home import Home
from handrail.server.http.socket_client import DaemonError, RefusedError, call_daemon
from handrail.server.launcher import ensure_daemon

PATIENCE = 120.0
"""Seconds to wait for a daemon that is restarting."""
_PAUSE = 0.1
_ANSWER_SECONDS = 15.0
_SERVER_ERROR = 500


class FleetConnection:
    """Repeats every call while the daemon restarts: each verb may be asked twice."""

    def __init__(
        self,
        home: Home,
        folder: str,
        environ: Mapping[str, str] = os.environ,
        *,
        patience: float = PATIENCE,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._home = home
        self._folder = folder
        self._environ = environ
        self._patience = patience
        self._clock = clock
        self._sleep = sleep

    def send(self, request: FleetRequest) -> FleetAnswer:
        """Send a request. Raises DaemonError if the daemon does not come back."""
        body = msgspec.json.encode(FleetCall(self._folder, request))
        until = self._clock() + self._patience
        while True:
            try:
                said = call_daemon(self._home, "POST", ENDPOINT, body, timeout=_ANSWER_SECONDS)
                return msgspec.convert(said, FleetAnswer)
            except RefusedError as error:
                problem: DaemonError = error
                if error.status < _SERVER_ERROR:
                    raise
            except DaemonError as error:
                problem = error
            if self._clock() > until:
                raise problem
            self._sleep(_PAUSE)
            self._start_again(until)

    def _start_again(self, until: float) -> None:
        try:
            ensure_daemon(self._home, self._environ)
        except DaemonError:
            if self._clock() > until:
                raise


def remote_engine(
    home: Home, folder: str, environ: Mapping[str, str] = os.environ, *, patience: float = PATIENCE
) -> RemoteFleetEngine:
    """Return the engine of the repository around a folder."""
    return RemoteFleetEngine(FleetConnection(home, folder, environ, patience=patience).send)
