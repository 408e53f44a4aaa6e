"""The endpoint that says how fleets were recovered when the daemon opened them."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from handrail.fleet.recovered_kinds import FleetRecovery, recovery_after
from handrail.model.decodable import decodable
from handrail.server.fleet.open_fleets import OpenFleets
from handrail.server.home import Home
from handrail.server.http.json_response import json_response
from handrail.server.http.routes import EndpointRow
from handrail.server.http.socket_client import DaemonError, call_daemon

RECOVERIES = "/fleet/recoveries"
_SECONDS = 2.0


@decodable
class FleetRecoveries(msgspec.Struct, frozen=True):
    """The fleets that were damaged at the last start, by name."""

    fleets: dict[str, FleetRecovery]


class FleetRecoveryEndpoint:
    """Answers until the next start: a clean one has nothing to tell."""

    def __init__(self, fleets: OpenFleets) -> None:
        self._fleets = fleets

    def routes(self) -> tuple[EndpointRow, ...]:
        """Return its endpoint."""
        return (EndpointRow("GET", RECOVERIES, self.answer),)

    async def answer(self, request: Request) -> Response:
        """Return the recoveries of all open fleets."""
        found = {each.name: recovery_after(each.loaded) for each in self._fleets.opened()}
        return json_response(
            FleetRecoveries({name: each for name, each in found.items() if each is not None})
        )


def ask_recoveries(home: Home) -> dict[str, FleetRecovery]:
    """Ask the daemon how fleets were recovered; nothing if it does not answer."""
    try:
        said = call_daemon(home, "GET", RECOVERIES, timeout=_SECONDS)
        return msgspec.convert(said, FleetRecoveries).fleets
    except (DaemonError, msgspec.ValidationError):
        return {}
