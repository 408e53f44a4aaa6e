"""Classify addresses: this machine, a neighbour, a cloud's metadata service, or anyone."""

import ipaddress
import re

import msgspec

from handrail.shell.word import OPAQUE

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_NUMERIC = re.compile(r"(?:0[xX][0-9a-fA-F]+|\d+)(?:\.(?:0[xX][0-9a-fA-F]+|\d+)){0,3}")
_METADATA_NAMES = frozenset({
    "metadata", "metadata.google.internal", "metadata.goog", "metadata.azure.internal",
    "instance-data", "instance-data.ec2.internal",
})  # fmt: skip
_METADATA_ADDRESSES = frozenset(map(ipaddress.ip_address, (
    "169.254.169.254", "169.254.170.2", "169.254.170.23", "100.100.100.200", "192.0.0.192",
    "168.63.129.16", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254",
)))  # fmt: skip
_PRIVATE_SUFFIXES = (".local", ".internal", ".lan", ".home.arpa", ".intranet", ".corp", ".test")


class Address(msgspec.Struct, frozen=True):
    """The parts of an address: `scheme://user@host:port/path`, as far as given."""

    host: str
    scheme: str = ""
    user: str = ""
    port: int | None = None
    path: str = ""

    @property
    def shown(self) -> str:
        """Return the host for a person; for this machine with its port, as it has many services."""
        host = self.host.replace(OPAQUE, "…")
        if self.port is not None and may_be_loopback(self.host):
            return f"[{host}]:{self.port}" if ":" in host else f"{host}:{self.port}"
        return host or "an unknown host"

    @property
    def is_loopback(self) -> bool:
        """Return whether this is the local machine."""
        return is_loopback(self.host)

    @property
    def is_private(self) -> bool:
        """Return whether it is a machine of the own network, including this one."""
        return is_private(self.host)

    @property
    def is_metadata(self) -> bool:
        """Return whether it is a service that hands out a cloud machine's credentials."""
        return is_metadata(self.host)

    @property
    def is_external(self) -> bool:
        """Return whether the machine belongs to someone else, judging by the name."""
        return bool(self.host) and not self.is_private

    @property
    def file_name(self) -> str:
        """Return the file name of a download: the last part of the path."""
        return re.split(r"[?#]", self.path)[0].rpartition("/")[2]


def parse_url(text: str) -> Address:
    """Parse a URL; the scheme may be missing (`localhost:3000/x`)."""
    text = text.strip().strip("'\"")
    scheme = ""
    match = _SCHEME.match(text)
    if match:
        scheme, text = match[1].lower(), text[match.end() :]
    elif text.startswith("//"):
        text = text[2:]
    authority = re.split(r"[/?#\\]", text, maxsplit=1)[0]
    path = text[len(authority) :]
    user, _, host = authority.rpartition("@")
    return _with_port(host, scheme, user, path)


def parse_host(text: str) -> Address:
    """Parse a host word: `user@host`, `host:port`, `[::1]:22`, or a URL."""
    if _SCHEME.match(text):
        return parse_url(text)
    user, _, host = text.rpartition("@")
    return _with_port(host, "", user, "")


def parse_remote(text: str) -> Address | None:
    """Parse `user@host:path` as scp and rsync do; None for a local path."""
    if _SCHEME.match(text):
        return parse_url(text)
    head = text.partition("/")[0]
    if ":" not in head or head.startswith((".", "~", ":")):
        return None
    user, _, rest = text.rpartition("@") if "@" in head else ("", "", text)
    if rest.startswith("["):
        host, _, path = rest[1:].partition("]:")
    else:
        host, _, path = rest.partition(":")
    if re.match(r"[A-Za-z]:[/\\]", text):
        return None  # a drive letter
    return Address(_clean(host), "", user, None, path.removeprefix(":"))


def _with_port(host: str, scheme: str, user: str, path: str) -> Address:
    port = ""
    if host.startswith("["):
        host, _, port = host[1:].partition("]")
        port = port.removeprefix(":")
    elif host.count(":") == 1:
        host, _, port = host.partition(":")
    return Address(_clean(host), scheme, user, int(port) if port.isdecimal() else None, path)


def _clean(host: str) -> str:
    return host.rstrip(".").lower().partition("%")[0]


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return a host's numeric address, even if it is written as one number, octal or hex."""
    host = host.partition(OPAQUE)[0].rstrip(".")
    if not host or len(host) > 64:
        return None
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return _old_address(host)
    mapped = getattr(address, "ipv4_mapped", None)
    return mapped if isinstance(mapped, ipaddress.IPv4Address) else address


def _old_address(host: str) -> ipaddress.IPv4Address | None:
    if not _NUMERIC.fullmatch(host):
        return None
    try:
        parts = [_number(part) for part in host.split(".")]
    except ValueError:
        return None
    *first, last = parts
    if any(part > 255 for part in first) or last >= 256 ** (4 - len(first)):
        return None
    value = last
    for index, part in enumerate(first):
        value += part << (24 - 8 * index)
    return ipaddress.IPv4Address(value)


def _number(text: str) -> int:
    if text[:2].lower() == "0x":
        return int(text, 16)
    return int(text, 8) if len(text) > 1 and text[0] == "0" else int(text)


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    host = _clean(host)
    if host in {"localhost", "host.docker.internal", "host.containers.internal", "ip6-localhost"}:
        return True
    if host.endswith(".localhost"):
        return True
    address = _address(host) if OPAQUE not in host else None
    return address is not None and (address.is_loopback or address.is_unspecified)


_LOOPBACK_NAMES = (
    "localtest.me", "lvh.me", "vcap.me", "lacolhost.com", "traefik.me", ".nip.io", ".sslip.io",
    ".xip.io",
)  # fmt: skip
"""Public names that mean this machine, or can mean any."""


def may_be_loopback(host: str) -> bool:
    """Return whether a host is or could be this machine, whatever its name."""
    return is_loopback(host) or _clean(host).endswith(_LOOPBACK_NAMES)


def is_private(host: str) -> bool:
    """Return whether a host is in the own network: private ranges, `*.local`, bare names."""
    host = _clean(host)
    if is_loopback(host):
        return True
    address = _address(host) if OPAQUE not in host else None
    if address is not None:
        return _in_private_range(address)
    if host.endswith(_PRIVATE_SUFFIXES):
        return True
    return bool(host) and "." not in host and ":" not in host and OPAQUE not in host


_PRIVATE_RANGES = tuple(map(ipaddress.ip_network, (
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16",
    "fc00::/7", "fe80::/10",
)))  # fmt: skip


def _in_private_range(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return any(address in network for network in _PRIVATE_RANGES)


def is_metadata(host: str) -> bool:
    """Return whether a host is a cloud's metadata service, however its address is written."""
    host = _clean(host)
    if host in _METADATA_NAMES:
        return True
    for suffix in (".nip.io", ".sslip.io", ".xip.io"):
        host = host.removesuffix(suffix)
    return _address(host) in _METADATA_ADDRESSES
