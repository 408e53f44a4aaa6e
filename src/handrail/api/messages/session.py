"""Who asks, and what they may do."""

from typing import Literal

import msgspec

from handrail.model.decodable import decodable

Right = Literal["read", "control"]


class ApiSession(msgspec.Struct, frozen=True):
    """The caller's rights, and the daemon that answers."""

    rights: tuple[Right, ...]
    version: str
    user: str
    """The name under which this session's decisions are recorded."""
    home: str
    started: float
    """When the daemon started: another value means another daemon."""
    position: int
    """The last position of the log: a stream from here misses nothing."""
    key: str = ""
    """Only in the answer to a log-in. A browser sends it as `Handrail-Key` with every request that
    is no GET; a cookie alone goes to every port of a machine, the key stays with the panel's pages,
    in their local storage as `handrail.key`."""


class LoginRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A one-time code from `handrail panel`, or a token."""

    code: str = ""
    token: str = ""


@decodable
class Problem(msgspec.Struct, frozen=True):
    """An error, as RFC 9457 describes it (`application/problem+json`)."""

    title: str
    status: int
    detail: str = ""
    """What happened, and what to do instead."""
    type: str = "about:blank"
