"""Who asks over the port: by a token, by the cookie of a browser, or nobody yet."""

import asyncio
import getpass
import os
from collections.abc import Callable
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from typing import NamedTuple

from handrail.api.messages.session import Right
from handrail.server.api.call import ApiCaller
from handrail.server.home import Home
from handrail.server.panel.attempt_limit import AttemptLimit
from handrail.server.panel.browser_sessions import BrowserSession, BrowserSessions
from handrail.server.panel.login_codes import LoginCodes
from handrail.server.panel.own_names import Headers, values

ALL_RIGHTS: tuple[Right, ...] = ("read", "control")
READ_ONLY: tuple[Right, ...] = ("read",)
SESSION = "handrail.session"
"""The key of the browser's session in the scope of a request."""
_BEARER = b"Bearer "


class KnownBrowser(NamedTuple):
    """A browser that is logged in."""

    name: str
    session: BrowserSession


class PanelAccess:
    """The tokens, codes and sessions that open the API. Used in the event loop."""

    def __init__(self, home: Home, clock: Callable[[], float]) -> None:
        self.codes = LoginCodes(clock)
        self.sessions = BrowserSessions(home.panel_sessions, clock)
        self.limit = AttemptLimit(clock)
        self.user = user_name()
        self._home = home
        self._control = home.control_token
        self._read = home.find_read_token()
        self._cookie = f"handrail-{home.port}"

    def caller(self, rights: tuple[Right, ...]) -> ApiCaller:
        """Return somebody with these rights."""
        return ApiCaller(self.user, rights)

    def rights_of_token(self, token: str) -> tuple[Right, ...]:
        """Return what a token opens: everything, reading, or nothing."""
        given = token.encode("utf-8", "replace")
        is_control = compare_digest(given, self._control.encode())
        return ALL_RIGHTS if is_control else READ_ONLY if self.is_read_token(token) else ()

    async def read_token(self, *, new: bool) -> str:
        """Return the read-only token; `new`: another one, and the one before is worthless."""
        self._read = await asyncio.to_thread(self._home.make_read_token, new=new)
        if new:
            await self.sessions.end_those_of_read_token()
        return self._read

    def is_read_token(self, token: str) -> bool:
        """Return whether this is the read-only token."""
        given = token.encode("utf-8", "replace")
        return compare_digest(given, self._read.encode()) and self._read != ""

    def browser(self, headers: Headers) -> KnownBrowser | None:
        """Return the browser whose cookie is in these headers."""
        for cookie in self._cookies(headers):
            if found := self.sessions.find(cookie):
                return KnownBrowser(*found)
        return None

    def cookie_name(self, *, secure: bool) -> str:
        """Return the cookie's name, with our port in it: browsers send cookies to all ports."""
        return f"__Host-{self._cookie}" if secure else self._cookie

    def set_cookie(self, cookie: str, *, secure: bool, seconds: int) -> str:
        """Return the header that gives a browser its cookie."""
        safe = "; Secure" if secure else ""
        name = self.cookie_name(secure=secure)
        return f"{name}={cookie}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{safe}"

    def _cookies(self, headers: Headers) -> list[str]:
        found: list[str] = []
        for header in values(headers, b"cookie"):
            try:
                jar = SimpleCookie(header.decode("latin-1"))
            except CookieError:
                continue
            names = (self.cookie_name(secure=True), self.cookie_name(secure=False))
            found.extend(jar[name].value for name in names if name in jar)
        return found


def bearer(headers: Headers) -> str | None:
    """Return the token of a request, "" for something that is none, or None without any."""
    given = values(headers, b"authorization")
    if not given:
        return None
    is_one = len(given) == 1 and given[0].startswith(_BEARER)
    return given[0][len(_BEARER) :].decode("latin-1") if is_one else ""


def user_name() -> str:
    """Return the name of the daemon's user."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # an account without a name, as in some containers
        return f"user {os.getuid()}"
