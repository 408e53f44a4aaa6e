"""One more listening socket for the panel and its API, as `panel.listen` wants it."""

import os
import socket
import ssl
from collections.abc import Mapping

from handrail.config.layers import load_settings
from handrail.config.panel import PanelSettings
from handrail.server.listening_sockets import BACKLOG


class ListenerError(Exception):
    """The address in `panel.listen` cannot be used."""


def panel_settings(environ: Mapping[str, str]) -> PanelSettings:
    """Return the user's own settings; no project decides from where the daemon is reached.

    Raises ConfigError.
    """
    home = environ.get("HOME") or "/"
    return load_settings(home, environ=environ, with_project=False).config.panel


def open_listener(settings: PanelSettings) -> socket.socket | None:
    """Bind the socket, if one is wanted. Raises ListenerError."""
    address = settings.listen_address
    if address is None:
        return None
    if settings.has_tls:
        _check_certificate(settings)
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    sock = socket.socket(family)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        raise ListenerError(f"panel.listen: {settings.listen}: {error.strerror}") from None
    os.set_inheritable(sock.fileno(), False)
    return sock


def _check_certificate(settings: PanelSettings) -> None:
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(settings.tls.cert, settings.tls.key)
    except OSError as error:  # ssl.SSLError too
        raise ListenerError(
            f"panel.tls: {settings.tls.cert} with {settings.tls.key} is no certificate: {error}"
        ) from None
