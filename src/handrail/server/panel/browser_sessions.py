"""The browsers that are logged in. They stay logged in when the daemon starts anew."""

import asyncio
import hashlib
import logging
import os
import secrets
from collections.abc import Callable
from hmac import compare_digest
from typing import NamedTuple

import msgspec

from handrail.api.messages.session import Right
from handrail.model.decodable import decodable
from handrail.store.private_files import replace_file

_log = logging.getLogger(__name__)

UNUSED_DAYS = 14
"""Days without use after which a browser has to log in again."""
_BYTES = 32
_MOST = 100
_WRITE_USE = 3600.0
"""Seconds between two notes on the disk that a session is in use."""


class BrowserSession(msgspec.Struct):
    """One browser. The file has digests: whoever reads it cannot log in with them."""

    rights: tuple[Right, ...]
    key: str
    """The digest of the second secret, which the browser keeps for the panel's pages alone."""
    began: float
    used: float
    of_read_token: bool = False
    """Somebody logged in with the read-only token: the session ends with it."""


@decodable
class _SessionFile(msgspec.Struct):
    sessions: dict[str, BrowserSession] = {}


class NewSession(NamedTuple):
    """The two secrets of a new session; nobody can see them again."""

    cookie: str
    key: str


class BrowserSessions:
    """All sessions, by the digest of their cookie. Used in the event loop."""

    def __init__(self, path: str, clock: Callable[[], float]) -> None:
        self._path = path
        self._clock = clock
        self._sessions = _read(path)
        self._saving = asyncio.Lock()
        self.tasks: set[asyncio.Task[None]] = set()
        """Notes that are being written."""

    async def begin(self, rights: tuple[Right, ...], *, of_read_token: bool = False) -> NewSession:
        """Log a browser in; it is on the disk before it is used."""
        new = NewSession(secrets.token_urlsafe(_BYTES), secrets.token_urlsafe(_BYTES))
        now = self._clock()
        self._forget_unused()
        while len(self._sessions) >= _MOST:
            del self._sessions[min(self._sessions, key=lambda each: self._sessions[each].used)]
        session = BrowserSession(rights, digest_of_secret(new.key), now, now, of_read_token)
        self._sessions[digest_of_secret(new.cookie)] = session
        await self._save()
        return new

    def find(self, cookie: str) -> tuple[str, BrowserSession] | None:
        """Return a session and its name, and note that it is in use."""
        name = digest_of_secret(cookie)
        session = self._sessions.get(name)
        if session is None or self._is_unused(session):
            return None
        now = self._clock()
        if now - session.used > _WRITE_USE:
            session.used = now
            self._save_later()
        return name, session

    def is_open(self, name: str) -> bool:
        """Return whether a session still exists."""
        return name in self._sessions

    async def end(self, name: str) -> None:
        """Log one browser out."""
        if self._sessions.pop(name, None) is not None:
            await self._save()

    async def end_all(self) -> int:
        """Log all browsers out, and count them."""
        count = len(self._sessions)
        self._sessions.clear()
        await self._save()
        return count

    async def end_those_of_read_token(self) -> None:
        """Log out the browsers that came in with the read-only token."""
        kept = {name: each for name, each in self._sessions.items() if not each.of_read_token}
        if len(kept) < len(self._sessions):
            self._sessions = kept
            await self._save()

    def _is_unused(self, session: BrowserSession) -> bool:
        return self._clock() - session.used > UNUSED_DAYS * 86_400

    def _forget_unused(self) -> None:
        for name in [name for name, each in self._sessions.items() if self._is_unused(each)]:
            del self._sessions[name]

    def _save_later(self) -> None:
        task = asyncio.create_task(self._save_use())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _save_use(self) -> None:
        try:
            await self._save()
        except OSError as error:
            _log.warning("the sessions of the panel cannot be written down: %s", error)

    async def _save(self) -> None:
        async with self._saving:
            data = msgspec.json.encode(_SessionFile(self._sessions))
            await asyncio.to_thread(replace_file, self._path, data, 0o600)


def digest_of_secret(secret: str) -> str:
    """Return what is kept of a secret with 256 random bits: a plain digest is enough."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def has_key(session: BrowserSession, key: str) -> bool:
    """Return whether somebody knows the second secret of a session."""
    return compare_digest(session.key, digest_of_secret(key))


def _read(path: str) -> dict[str, BrowserSession]:
    """Read the sessions of the daemon before; a damaged file logs everybody out."""
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_uid != os.geteuid():
                return {}
            return msgspec.json.decode(file.read(), type=_SessionFile).sessions
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        _log.warning("the panel's sessions are lost, log in again: %s", error)
        return {}
