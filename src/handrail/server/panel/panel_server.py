"""The panel's side of the daemon: codes for links, the gate of the port, one more listener."""

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from glob import escape, glob
from html import escape as quoted

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from handrail.config.errors import ConfigError
from handrail.config.panel import PanelSettings
from handrail.server.api.call import CALLER
from handrail.server.home import Home
from handrail.server.http.json_response import json_response, read_json
from handrail.server.http.routes import EndpointRow
from handrail.server.panel.access import ALL_RIGHTS, READ_ONLY, PanelAccess
from handrail.server.panel.files import PanelFiles, is_built
from handrail.server.panel.gate import PanelGate
from handrail.server.panel.listener import ListenerError, open_listener, panel_settings
from handrail.server.panel.login_codes import LIFETIME
from handrail.server.panel.messages import (
    CODES,
    SESSIONS,
    TOKEN,
    CodeRequest,
    LoginLink,
    TokenRequest,
)
from handrail.server.panel.own_names import OwnNames
from handrail.store.private_files import replace_file

_log = logging.getLogger(__name__)

_LINK = "panel-link-"
"""Files with a link are called so, in the state folder."""
_REDIRECT = (
    '<!doctype html><meta charset="utf-8"><title>Handrail</title>'
    '<meta http-equiv="refresh" content="0; url={url}"><a href="{url}">Open the panel</a>\n'
)


class PanelServer:
    """The endpoints for `handrail panel`, and the applications for browsers."""

    def __init__(self, home: Home, environ: Mapping[str, str], clock: Callable[[], float]) -> None:
        self.access = PanelAccess(home, clock)
        self.problem = ""
        self._home = home
        self._port = home.port
        self._settings = self._read_settings(environ)
        listen = self._settings.listen if self._settings.listen_address else ""
        own = f"{'https' if self._settings.has_tls else 'http'}://{listen}" if listen else ""
        self._names = OwnNames((self._settings.url, own))
        self._files = PanelFiles()
        self._remove_links()

    @property
    def address(self) -> str:
        """Return the address in links to the panel."""
        return (self._settings.url or f"http://127.0.0.1:{self._port}").rstrip("/")

    def routes(self) -> tuple[EndpointRow, ...]:
        """Return its endpoints."""
        return (
            EndpointRow("POST", CODES, self.make_code),
            EndpointRow("POST", TOKEN, self.tell_token),
            EndpointRow("DELETE", SESSIONS, self.log_all_out),
        )

    async def make_code(self, request: Request) -> Response:
        """Return a link with a code that counts once, for a minute."""
        asked = await read_json(request, CodeRequest)
        code = self.access.codes.make(READ_ONLY if asked.read_only else ALL_RIGHTS)
        here = f"http://127.0.0.1:{self._port}"
        url = f"{self.address}/login#{code}"
        file = ""
        if asked.file:
            file = await asyncio.to_thread(self._write_link, f"{here}/login#{code}")
            asyncio.get_running_loop().call_later(LIFETIME, self._remove_later, file)
        built = await asyncio.to_thread(is_built)
        return json_response(LoginLink(url, code, LIFETIME, file, built, self.problem))

    async def tell_token(self, request: Request) -> Response:
        """Return the read-only token, on request a new one."""
        asked = await read_json(request, TokenRequest)
        return json_response({"token": await self.access.read_token(new=asked.new)})

    async def log_all_out(self, request: Request) -> Response:
        """End all sessions of browsers, and all codes."""
        self.access.codes.drop_all()
        return json_response({"ended": await self.access.sessions.end_all()})

    def gate(self, api: ASGIApp, others: ASGIApp) -> PanelGate:
        """Return the application for a port; `others` answers what is not for browsers."""
        return PanelGate(api, others, self.access, self._names, self._files)

    def for_owner(self, api: ASGIApp) -> ASGIApp:
        """Return the application for the unix socket, which only its owner can open."""
        owner = self.access.caller(ALL_RIGHTS)

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            await api({**scope, CALLER: owner}, receive, send)

        return app

    def listener(self) -> tuple[socket.socket, PanelSettings] | None:
        """Return one more listening socket with its settings, if one is wanted and possible."""
        try:
            sock = open_listener(self._settings)
        except ListenerError as error:
            self._fail(str(error))
            return None
        return None if sock is None else (sock, self._settings)

    def _read_settings(self, environ: Mapping[str, str]) -> PanelSettings:
        try:
            return panel_settings(environ)
        except ConfigError as error:
            self._fail(f"your settings cannot be read: {error}")
            return PanelSettings()

    def _fail(self, says: str) -> None:
        self.problem = says
        _log.warning("the panel is reached on loopback alone: %s", says)

    def _write_link(self, url: str) -> str:
        path = f"{self._home.path}/{_LINK}{secrets.token_hex(8)}.html"
        replace_file(path, _REDIRECT.format(url=quoted(url)).encode(), 0o600)
        return path

    def _remove_later(self, path: str) -> None:
        asyncio.get_running_loop().run_in_executor(None, _remove, path)

    def _remove_links(self) -> None:
        """Remove the links of a daemon that ended; their codes ended with it."""
        for path in glob(f"{escape(self._home.path)}/{_LINK}*"):
            _remove(path)


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)
