"""The `panel` section of `handrail.yaml`: from where browsers reach the daemon."""

import ipaddress
from typing import Annotated
from urllib.parse import urlsplit

from msgspec import Meta, Struct

from handrail.config.text_values import FilePath

_MAX_PORT = 65_535


class PanelTls(Struct, frozen=True, forbid_unknown_fields=True):
    """The certificate for `panel.listen`."""

    cert: Annotated[
        FilePath, Meta(description="A file with the certificate and its chain, as PEM.")
    ] = ""
    key: Annotated[FilePath, Meta(description="A file with its private key, as PEM.")] = ""


class PanelSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The panel in a browser. Only your own file and the environment count here, no project's.

    The daemon reads them when it starts: `handrail serve --restart`.
    """

    url: Annotated[
        str,
        Meta(
            description="The address in links to the panel, if it is not that of this machine: "
            "`https://box.example.ts.net`. Browsers may use it as well as 127.0.0.1."
        ),
    ] = ""
    listen: Annotated[
        str,
        Meta(
            description="One more address and port for the panel and its API, without hooks: "
            "`192.168.1.5:8443`, `[::]:8443`. Elsewhere than on loopback it needs `tls`."
        ),
    ] = ""
    insecure: Annotated[
        bool,
        Meta(
            description="Listen without TLS: everybody on the way can read and steer along. Only "
            "for a network that encrypts by itself, such as WireGuard."
        ),
    ] = False
    tls: PanelTls = PanelTls()

    def __post_init__(self) -> None:
        if self.url:
            _check_url(self.url)
        if bool(self.tls.cert) != bool(self.tls.key):
            raise ValueError("tls needs both cert and key")
        if self.listen and not (self.tls.cert or self.insecure or _is_loopback(self.listen)):
            raise ValueError(
                f"listen: {self.listen} would send everything in the clear; set tls.cert and "
                "tls.key, or insecure: true if the network itself encrypts"
            )

    @property
    def has_tls(self) -> bool:
        """Return whether `listen` is served with TLS."""
        return bool(self.tls.cert)

    @property
    def listen_address(self) -> tuple[str, int] | None:
        """Return the address and port of `listen`, or None."""
        return split_address(self.listen) if self.listen else None


def split_address(text: str) -> tuple[str, int]:
    """Return the address and the port in a text. Raises ValueError."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    try:
        ipaddress.ip_address(host)
    except ValueError:
        raise ValueError(f"{text!r} is no address with a port, such as 192.168.1.5:8443") from None
    if not port.isascii() or not port.isdecimal() or not 0 < int(port) <= _MAX_PORT:
        raise ValueError(f"{text!r} has no port, such as 192.168.1.5:8443")
    return host, int(port)


def _is_loopback(text: str) -> bool:
    return ipaddress.ip_address(split_address(text)[0]).is_loopback


def _check_url(url: str) -> None:
    says = f"url: {url!r} is no address of a site, such as https://box.example.ts.net"
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises for a port that is none
    except ValueError:
        raise ValueError(says) from None
    is_site = parts.scheme in ("http", "https") and parts.hostname and parts.path in ("", "/")
    if not is_site or parts.query or parts.fragment or parts.username is not None:
        raise ValueError(says)
