"""Puts back what hosts need to reach the daemon, if somebody deletes it while the daemon runs.

The port and the tokens are put back if they were changed, too: settings of hosts refer to them, and
nobody changes them while the daemon runs. Any other changed file may be a person's wish.
"""

import asyncio
import logging
import os
import signal
import socket
import stat
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from handrail.server.file_limit import FileLimit
from handrail.server.guardian_link import GuardianLink
from handrail.server.home import Home
from handrail.server.http.servers import Servers
from handrail.server.listening_sockets import Identity, bind_path, socket_identity
from handrail.server.lock import AlreadyRunningError, HeldLock
from handrail.store.header_check import HeaderCheck
from handrail.store.private_files import make_folder, replace_file

NewSocket = tuple[socket.socket, Identity]

_log = logging.getLogger(__name__)

_EVERY = 1.0
_LOWERED = (
    "Somebody lowered the number of files that the daemon may open while it ran (prlimit). The "
    "daemon starts anew."
)
_BAD_LOOKS = 2
"""How often the log must look damaged in a row: a new one is empty for a moment."""


class _KeptFile(NamedTuple):
    seen: tuple[int, int, int]
    data: bytes
    mode: int


class SelfRepair:
    """Keeps copies of the small files in the state folder. Used by one thread at a time."""

    def __init__(self, home: Home, lock: HeldLock) -> None:
        self._home = home
        self._lock = lock
        self._log = HeaderCheck(home.log)
        self._was_whole = self._log.is_whole()
        self._bad_looks = 0
        self._kept: dict[str, _KeptFile] = {}
        for path in home.small_files():
            self._remember(path)

    def look(self, known: Identity | None) -> tuple[list[str], NewSocket | None, str]:
        """Check and repair everything once; `known`: the identity of the socket's file."""
        return self.mend(), self.find_socket(known), self.find_damage()

    def mend(self) -> list[str]:
        """Restore missing files; return a sentence for each."""
        home = self._home
        if not os.path.isdir(os.path.dirname(home.path)):
            return []  # the place itself is gone, such as a temporary folder
        said = []
        if not os.path.isdir(home.path):
            said.append(
                f"The state folder {home.path} was removed while Handrail ran. It is back, but "
                "the log of past runs, checkpoints and incidents are lost."
            )
        home.prepare()
        for path in home.small_files():
            if self._is_lost(path):
                kept = self._kept[path]
                make_folder(os.path.dirname(path))
                replace_file(path, kept.data, kept.mode)
                self._remember(path)
                said.append(_back(path))
        with suppress(AlreadyRunningError):
            if self._lock.renew():
                said.append(_back(home.lock))
        return said

    def find_damage(self) -> str:
        """Return a sentence if somebody overwrote the log since this daemon began, or ""."""
        if self._log.is_whole():
            self._was_whole, self._bad_looks = True, 0
            return ""
        self._bad_looks += 1
        if not self._was_whole or self._bad_looks < _BAD_LOOKS:
            return ""
        return (
            f"{self._home.log} was overwritten while Handrail ran. The daemon starts anew with "
            "what is left of it. If that is not enough: handrail doctor --fix"
        )

    def find_socket(self, known: Identity | None) -> NewSocket | None:
        """Bind a new unix socket if the path no longer leads to the known one."""
        path = self._home.socket
        if (
            known is None
            or socket_identity(path) == known
            or not os.path.isdir(os.path.dirname(path))
        ):
            return None
        fresh = bind_path(path)
        found = socket_identity(path)
        if found is None:  # it was removed at once: the next look finds that out
            fresh.close()
            return None
        return fresh, found

    def _is_lost(self, path: str) -> bool:
        kept = self._kept.get(path)
        found = _look_at(path)
        if kept is None:
            self._remember(path)
            return False
        if found is None:
            return True
        if found == kept.seen:
            return False
        with open(path, "rb") as file:
            data = file.read()
        if data == kept.data or (data and path not in self._home.fixed_files()):
            self._remember(path)
            return False
        return True

    def _remember(self, path: str) -> None:
        if (seen := _look_at(path)) is not None:
            with suppress(OSError), open(path, "rb") as file:
                mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                self._kept[path] = _KeptFile(seen, file.read(), mode)


def _look_at(path: str) -> tuple[int, int, int] | None:
    """Return the facts that tell whether a file has changed, or None if it is missing."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_ino, found.st_mtime_ns, found.st_size)


def _back(path: str) -> str:
    return f"{path} was deleted or damaged while Handrail ran. It is back."


async def repair_regularly(
    repair: SelfRepair,
    link: GuardianLink,
    servers: Servers,
    tell: Callable[[str], None],
    start_anew: Callable[[], None],
) -> None:
    """Repair every second, until cancelled."""
    limit = FileLimit()
    while True:
        await asyncio.sleep(_EVERY)
        if limit.was_lowered:
            tell(_LOWERED)
            await asyncio.sleep(_EVERY)  # until that is written down
            # Nothing can be opened any more, so an orderly end would fail halfway.
            os.kill(os.getpid(), signal.SIGKILL)
        try:
            said, found, damage = await asyncio.to_thread(repair.look, link.identity)
        except OSError as error:  # such as a full disk: tried again in a second
            _log.debug("something that is missing cannot be put back: %s", error)
            continue
        if found is not None:
            fresh, identity = found
            servers.add_path(fresh)
            link.hand_over(fresh, identity)
            said.append("The socket was deleted while Handrail ran. It is back.")
        for each in said:
            tell(each)
        if damage:
            tell(damage)
            start_anew()
            return
