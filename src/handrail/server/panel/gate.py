"""The gate on the port for browsers and the API; all other paths keep the rules of TokenAuth."""

from collections.abc import Callable
from typing import NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handrail.api.operation import PREFIX
from handrail.api.operations import OPERATIONS
from handrail.server.api.call import CALLER, ApiCaller
from handrail.server.api.problems import ProblemError, problem_response, too_many_attempts
from handrail.server.panel.access import SESSION, KnownBrowser, PanelAccess, bearer
from handrail.server.panel.browser_sessions import has_key
from handrail.server.panel.files import PanelFiles
from handrail.server.panel.headers import API_HEADERS, with_headers
from handrail.server.panel.own_names import OwnNames, Visit, values

KEY_HEADER = b"handrail-key"
"""Browsers send a cookie to every port of this machine, so also to a web server that an agent
started. The key, which only pages of the panel's origin have, must come with every change."""
_OPEN = frozenset((each.method, PREFIX + each.path) for each in OPERATIONS if each.right is None)
"""The operations for everybody who comes from an own page or from no page."""
_LOOKS = ("GET", "HEAD")


class _AccessEndedError(Exception):
    """A person ended the session or token while an answer, such as a stream, was under way."""


class _Admission(NamedTuple):
    """Somebody who may come in."""

    caller: ApiCaller
    still_counts: Callable[[], bool]
    """Whether the session or token has not been ended since."""
    session: str = ""
    """The name of the browser's session."""


class PanelGate:
    """Lets callers into the API by token or cookie, and gives everybody the panel's pages."""

    def __init__(
        self, api: ASGIApp, others: ASGIApp, access: PanelAccess, names: OwnNames, files: PanelFiles
    ) -> None:
        """`api`: all endpoints, without authentication; `others`: the same behind TokenAuth."""
        self._api = api
        self._others = others
        self._access = access
        self._names = names
        self._files = files

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or pass the request on."""
        if scope["type"] != "http":
            return  # nothing else is spoken here
        if scope["path"].startswith(f"{PREFIX}/"):
            await self._enter(scope, receive, with_headers(send, API_HEADERS))
        elif self._is_page(scope):
            await self._show(scope, receive, send)
        elif _is_mistyped(scope):
            # The page says in words that there is no such page, and leads on.
            await self._show({**scope, "path": "/"}, receive, send)
        else:
            await self._others(scope, receive, send)

    def _is_page(self, scope: Scope) -> bool:
        """Return whether a browser looks at a page; a program with a token means an endpoint."""
        serves = self._files.serves(scope["method"], scope["path"])
        return serves and bearer(scope["headers"]) is None

    async def _show(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._names.is_ours(scope["headers"]):
            await self._files(scope, receive, send)
        else:
            refused = _foreign(self._names.visit(scope["scheme"], scope["headers"]))
            await problem_response(refused.problem)(scope, receive, send)

    async def _enter(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            admitted = self._admit(scope)
        except ProblemError as refused:
            await problem_response(refused.problem)(scope, receive, send)
            return
        inner = {**scope, CALLER: admitted.caller}
        if admitted.session:
            inner[SESSION] = admitted.session
        try:
            await self._api(inner, receive, _while(admitted.still_counts, send))
        except _AccessEndedError:
            await send({"type": "http.response.body", "body": b""})

    def _admit(self, scope: Scope) -> _Admission:
        """Return who asks. Raises ProblemError if nobody may."""
        headers = scope["headers"]
        visit = self._names.visit(scope["scheme"], headers)
        if visit.refusal:
            raise _foreign(visit)
        token = bearer(headers)
        if token is not None:
            if visit.has_origin:
                raise ProblemError(403, "Not from here", "web pages may not use a token")
            return self._admit_token(token, peer_of(scope))
        browser = self._access.browser(headers)
        if browser is None:
            if (scope["method"], scope["path"]) in _OPEN:
                return _Admission(self._access.caller(()), lambda: True)
            raise ProblemError(401, "Not logged in", "open the panel with: handrail panel")
        if scope["method"] not in _LOOKS:
            _check_page(visit)
            if (scope["method"], scope["path"]) not in _OPEN:
                _check_key(browser, values(headers, KEY_HEADER))
        name, sessions = browser.name, self._access.sessions
        caller = self._access.caller(browser.session.rights)
        return _Admission(caller, lambda: sessions.is_open(name), name)

    def _admit_token(self, token: str, peer: str) -> _Admission:
        wait = self._access.limit.wait(peer)
        if wait:
            raise too_many_attempts(wait)
        rights = self._access.rights_of_token(token)
        if not rights:
            self._access.limit.failed(peer)
            raise ProblemError(401, "Wrong token", "the token is missing or wrong")
        self._access.limit.succeeded(peer)
        caller = self._access.caller(rights)
        return _Admission(caller, lambda: self._access.rights_of_token(token) == rights)


def _while(still_counts: Callable[[], bool], send: Send) -> Send:
    """Return a `send` that ends an answer, such as a stream, together with its access."""
    began = False

    async def guarded(message: Message) -> None:
        nonlocal began
        if began and message.get("more_body") and not still_counts():
            raise _AccessEndedError
        began = True
        await send(message)

    return guarded


def _is_mistyped(scope: Scope) -> bool:
    """Return whether a person opened an address of no page: all others want a token."""
    headers = scope["headers"]
    is_visit = values(headers, b"sec-fetch-mode") == [b"navigate"]
    return is_visit and scope["method"] == "GET" and bearer(headers) is None


def peer_of(scope: Scope) -> str:
    """Return the address of the caller; the unix socket has none."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def _check_page(visit: Visit) -> None:
    if not visit.has_origin:
        raise ProblemError(403, "Not from here", "a change must come from a page of the panel")


def _check_key(browser: KnownBrowser, keys: list[bytes]) -> None:
    if len(keys) != 1 or not has_key(browser.session, keys[0].decode("latin-1")):
        raise ProblemError(403, "Log in again", "the key of this session is missing or wrong")


def _foreign(visit: Visit) -> ProblemError:
    return ProblemError(403, "Not from here", visit.refusal)
