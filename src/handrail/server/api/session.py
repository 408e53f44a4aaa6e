"""Who asks: logging in and out, and what a caller may do."""

from collections.abc import Awaitable, Callable, Mapping

import msgspec
from starlette.responses import Response

from handrail import __version__
from handrail.api.messages.session import ApiSession, LoginRequest, Right
from handrail.api.messages.statistics import Done
from handrail.api.openapi import openapi_document
from handrail.api.operations import OPERATIONS
from handrail.server.api.api_routes import Handler
from handrail.server.api.call import ApiCall, ApiCaller
from handrail.server.api.problems import ProblemError, too_many_attempts
from handrail.server.http.json_response import json_response
from handrail.server.panel.access import SESSION, PanelAccess
from handrail.server.panel.gate import peer_of

_COOKIE_SECONDS = 400 * 86_400
"""The longest that browsers keep a cookie; the daemon ends sessions that nobody uses."""


class SessionOperations:
    """Answers the operations about the caller."""

    def __init__(
        self, access: PanelAccess, home: str, started: float, position: Callable[[], Awaitable[int]]
    ) -> None:
        """`position`: the last position of the log."""
        self._access = access
        self._home = home
        self._started = started
        self._position = position
        self._document = msgspec.json.encode(openapi_document(OPERATIONS, __version__))

    def handlers(self) -> Mapping[str, Handler]:
        """Return its functions, by the name of the operation."""
        return {
            "get_session": self.get_session,
            "log_in": self.log_in,
            "log_out": self.log_out,
            "get_openapi": self.get_openapi,
        }

    async def get_session(self, call: ApiCall) -> ApiSession:
        """Tell the caller's rights, and which daemon answers."""
        return await self._describe(call.caller)

    async def log_in(self, call: ApiCall) -> Response:
        """Exchange a one-time code or a token for a cookie."""
        given = call.body(LoginRequest)
        peer = peer_of(call.request.scope)
        wait = self._access.limit.wait(peer)
        if wait:
            raise too_many_attempts(wait)
        rights = self._rights(given)
        if not rights:
            self._access.limit.failed(peer)
            raise ProblemError(
                401, "Not logged in", "The code is wrong, used or too old. Get a new one with: "
                "handrail panel",
            )  # fmt: skip
        self._access.limit.succeeded(peer)
        by_token = not given.code and self._access.is_read_token(given.token)
        new = await self._access.sessions.begin(rights, of_read_token=by_token)
        described = await self._describe(self._access.caller(rights))
        response = json_response(msgspec.structs.replace(described, key=new.key))
        response.headers["Set-Cookie"] = self._access.set_cookie(
            new.cookie, secure=_is_secure(call), seconds=_COOKIE_SECONDS
        )
        return response

    async def log_out(self, call: ApiCall) -> Response:
        """End the session of the cookie."""
        name = call.request.scope.get(SESSION)
        if name is None:
            raise ProblemError(409, "Not logged in", "A token has no session to end.")
        await self._access.sessions.end(name)
        response = json_response(Done("You are logged out."))
        response.headers["Set-Cookie"] = self._access.set_cookie(
            "", secure=_is_secure(call), seconds=0
        )
        return response

    async def get_openapi(self, call: ApiCall) -> Response:
        """Return the OpenAPI document."""
        return Response(self._document, media_type="application/json")

    def _rights(self, given: LoginRequest) -> tuple[Right, ...]:
        if given.code:
            return self._access.codes.take(given.code)
        return self._access.rights_of_token(given.token)

    async def _describe(self, caller: ApiCaller) -> ApiSession:
        position = await self._position()
        return ApiSession(
            caller.rights, __version__, caller.user, self._home, self._started, position
        )


def _is_secure(call: ApiCall) -> bool:
    """Return whether the browser came by TLS, maybe to a proxy in front of the daemon."""
    origin: str = call.request.headers.get("origin", call.request.url.scheme)
    return origin.startswith("https")
