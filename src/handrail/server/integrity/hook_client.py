"""The programs that hosts run as their hooks."""

import re
import shlex
from collections.abc import Iterator
from importlib.resources import files

from handrail.hosts import HOSTS
from handrail.model.host import known_hosts
from handrail.server.home import CLIENT, Home
from handrail.server.integrity.parts import Loss
from handrail.store.private_files import replace_file

_MAX_BYTES = 1_000_000
_MODE = 0o700
_FIX = "handrail doctor --fix writes it again"
_PLACE = re.compile(rb"@[A-Z]+@")
"""A place in our program that differs from machine to machine."""
_VARIES = re.compile(r"(?:PATH|LANG|TMPDIR|TZ|SHELL|LC_\w+|XDG_\w+)=")
"""What differs from terminal to terminal in the environment that a daemon is started with."""


class HookClients:
    """Each must be what it was when the daemon started.

    `handrail install`, `run` and `doctor --fix` write them anew, with the environment of their
    terminal. After an upgrade that is another program, which keeps the shape of the new version
    and falls into no call of an agent.
    """

    def __init__(self, home: Home) -> None:
        self._packages = {
            home.client_of(host.client): HOSTS[host.name] for host in known_hosts() if host.client
        }
        self._good = {path: _content(path) for path in self._packages}

    def paths(self) -> Iterator[str]:
        """One for each host."""
        yield from self._packages

    def losses(self) -> Iterator[Loss]:
        """Those that do something else now; one that is missing is written again elsewhere."""
        for path, good in self._good.items():
            now = _content(path)
            if now is None or now == good:
                continue
            if good is None or _plain(now) == _plain(good):
                self._good[path] = now
            else:
                yield self._changed(path, good, now)

    def _changed(self, path: str, good: bytes, now: bytes) -> Loss:
        def repair(by_call: bool) -> bool:
            try:
                replace_file(path, good, _MODE)
            except OSError:
                return False
            return True

        def accept() -> bool:
            if _shape(self._packages[path]).fullmatch(now) is None:
                return False
            self._good[path] = now
            return True

        return Loss("client", path, f"The hook client {path} was changed", _FIX, repair, accept)


def _plain(script: bytes) -> list[bytes | list[str]]:
    """The lines of it, without what differs from terminal to terminal."""
    return [_words(line) if line.startswith(b"start() ") else line for line in script.splitlines()]


def _words(line: bytes) -> list[str]:
    try:
        words = shlex.split(line.decode("utf-8", "surrogateescape"))
    except ValueError:
        return [repr(line)]
    return [word for word in words if not _VARIES.match(word)]


def _shape(package: str) -> re.Pattern[bytes]:
    """The program of the installed version, with anything in its places."""
    script = files(package).joinpath(CLIENT).read_bytes()
    return re.compile(rb"[^\n]*".join(map(re.escape, _PLACE.split(script))))


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read(_MAX_BYTES)
    except OSError:
        return None
