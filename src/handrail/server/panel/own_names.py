"""The names under which browsers may reach this daemon; a page of another origin stays outside.

A web page could point a DNS name of its own at this machine (DNS rebinding), or send a form here
(CSRF). The first has a foreign Host, the second a foreign Origin.
"""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

_LOOPBACK = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?")
_OWN_SITES = (b"same-origin", b"none")
"""What a browser says of requests by our own pages, and by a person's hand (Sec-Fetch-Site)."""

Headers = Sequence[tuple[bytes, bytes]]


class Visit(NamedTuple):
    """Where a request comes from, as far as its headers tell."""

    refusal: str
    """Why it stays outside; empty: it may go on."""
    has_origin: bool = False
    is_secure: bool = False
    """Whether the browser came by TLS, also to a proxy in front of the daemon."""


class OwnNames:
    """The daemon's names: those of loopback, and that of `panel.url`."""

    def __init__(self, urls: Collection[str] = ()) -> None:
        parts = [urlsplit(url) for url in urls if url]
        self._hosts = frozenset(each.netloc.lower() for each in parts)
        self._origins = frozenset(f"{each.scheme}://{each.netloc}".lower() for each in parts)

    def is_ours(self, headers: Headers) -> bool:
        """Return whether the Host header names this daemon."""
        hosts = values(headers, b"host")
        return len(hosts) == 1 and self._is_own_host(_text(hosts[0]))

    def visit(self, scheme: str, headers: Headers) -> Visit:
        """Check Host, Origin and Sec-Fetch-Site of a request to the API."""
        if not self.is_ours(headers):
            return Visit("this address is none of Handrail's; set `panel.url` to use it")
        host = _text(values(headers, b"host")[0])
        sites, origins = values(headers, b"sec-fetch-site"), values(headers, b"origin")
        if any(site not in _OWN_SITES for site in sites):
            return Visit("web pages of others may not talk to Handrail")
        if not origins:
            return Visit("", is_secure=scheme == "https")
        origin = _text(origins[0])
        if len(origins) > 1 or (origin != f"{scheme}://{host}" and origin not in self._origins):
            return Visit("web pages of others may not talk to Handrail")
        return Visit("", has_origin=True, is_secure=origin.startswith("https://"))

    def _is_own_host(self, host: str) -> bool:
        return host in self._hosts or _LOOPBACK.fullmatch(host) is not None


def values(headers: Headers, name: bytes) -> list[bytes]:
    """Return all values of a header."""
    return [value for each, value in headers if each == name]


def _text(value: bytes) -> str:
    return value.decode("latin-1").lower()
