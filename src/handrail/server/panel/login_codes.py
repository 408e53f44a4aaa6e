"""One-time codes: a link with one logs a browser in."""

import base64
import hashlib
import secrets
from collections.abc import Callable
from typing import NamedTuple

from handrail.api.messages.session import Right

LIFETIME = 60.0
"""Seconds that a code counts."""
_BYTES = 16
_MOST = 20
"""Codes that may be open at the same time; the oldest goes."""


class _OpenCode(NamedTuple):
    rights: tuple[Right, ...]
    until: float


class LoginCodes:
    """The open codes, by their digests. Used in the event loop."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._open: dict[str, _OpenCode] = {}

    def make(self, rights: tuple[Right, ...]) -> str:
        """Return a new code: letters and digits that people can type on a phone."""
        code = base64.b32encode(secrets.token_bytes(_BYTES)).decode().rstrip("=").lower()
        self._forget_old()
        while len(self._open) >= _MOST:
            del self._open[next(iter(self._open))]
        self._open[_digest(code)] = _OpenCode(rights, self._clock() + LIFETIME)
        return code

    def take(self, code: str) -> tuple[Right, ...]:
        """Use a code up, and return its rights; none if it is wrong, used or too old."""
        self._forget_old()
        found = self._open.pop(_digest(code), None)
        return () if found is None else found.rights

    def drop_all(self) -> None:
        """End all codes."""
        self._open.clear()

    def _forget_old(self) -> None:
        now = self._clock()
        self._open = {key: code for key, code in self._open.items() if code.until > now}


def _digest(code: str) -> str:
    """Return what is kept of a code; spaces, dashes and capitals do not count."""
    plain = "".join(code.split()).replace("-", "").lower()
    return hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()
