"""Finds the process behind a connection to the port, if the system tells (Linux)."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress

_TABLES = ("/proc/self/net/tcp", "/proc/self/net/tcp6")
"""The second table holds clients that reach an IPv4 address through an IPv6 socket."""
_OWN_NETWORK = "/proc/self/ns/net"
_LOOPBACK = f"{int.from_bytes(bytes((127, 0, 0, 1)), sys.byteorder):08X}"
_SOCKET = re.compile(r"socket:\[([0-9]+)\]")
_LOCAL, _REMOTE, _INODE = 1, 2, 9
"""Columns of the table."""


def can_tell_owners(tables: tuple[str, ...] = _TABLES) -> bool:
    """Return whether this system tells which process a connection belongs to."""
    return os.access(tables[0], os.R_OK)


class PortConnection:
    """One connection to the port, looked up once. Used in the supervision thread."""

    def __init__(self, client: int, server: int, tables: tuple[str, ...] = _TABLES) -> None:
        """`client`, `server`: the ports on both sides, on loopback."""
        self.admitted: set[str] = set()
        self._ends = (f"{_LOOPBACK}:{client:04X}", f"{_LOOPBACK}:{server:04X}")
        self._tables = tables
        self._inode: str | None = None
        self._known: dict[int, bool | None] = {}

    @classmethod
    def between(
        cls, client: tuple[str, int | None] | None, server: tuple[str, int | None] | None
    ) -> "PortConnection":
        """Look a connection up by its two addresses; a closed one has no inode and no owner."""
        return cls((client or ("", 0))[1] or 0, (server or ("", 0))[1] or 0)

    @property
    def is_open(self) -> bool:
        """Return whether the client still holds it; True if the system does not tell."""
        return self._other_side() != ""

    def is_held_by(self, pid: int) -> bool | None:
        """Return whether a process holds the other end; None if the system does not tell."""
        if pid not in self._known:
            self._known[pid] = self._look(pid)
        return self._known[pid]

    def find_owner(self) -> int:
        """Return the process that holds the other end; 0 if the system does not tell."""
        for name in os.listdir("/proc") if can_tell_owners(self._tables) else ():
            if name.isdecimal() and self.is_held_by(int(name)):
                return int(name)
        return 0

    def _look(self, pid: int) -> bool | None:
        inode = self._other_side()
        if inode is None:
            return None
        try:
            if os.readlink(f"/proc/{pid}/ns/net") != os.readlink(_OWN_NETWORK):
                return None  # what stands between two networks is a third process
            return inode in _sockets(pid)
        except OSError:  # not ours to look at
            return None

    def _other_side(self) -> str | None:
        """Return the inode of the client's socket; empty if it is gone, None if unknown."""
        if self._inode is None:
            try:
                self._inode = self._find()
            except OSError:
                return None
        return self._inode

    def _find(self) -> str:
        for table in self._tables:
            for line in _lines(table, needed=table == self._tables[0]):
                columns = line.split(None, _INODE + 1)
                ends = zip(columns[_LOCAL : _REMOTE + 1], self._ends, strict=True)
                if all(one.endswith(other) for one, other in ends):
                    return columns[_INODE] if columns[_INODE] != "0" else ""
        return ""


def _lines(table: str, *, needed: bool) -> list[str]:
    try:
        with open(table, encoding="ascii") as file:
            return file.readlines()[1:]
    except OSError:
        if needed:
            raise
        return []


def _sockets(pid: int) -> Iterator[str]:
    folder = f"/proc/{pid}/fd"
    for name in os.listdir(folder):
        with suppress(OSError):  # closed meanwhile
            if found := _SOCKET.fullmatch(os.readlink(f"{folder}/{name}")):
                yield found[1]
