"""The two listening sockets of the daemon: bound once, then handed from process to process."""

import os
import socket
import sys
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from typing import NamedTuple

from handrail.server.home import Home, HomeError
from handrail.server.launchd_sockets import launchd_sockets

_FIRST = 3
"""The number of the first inherited descriptor (sd_listen_fds)."""
BACKLOG = 2048
"""How many calls may wait while no daemon accepts them."""
_CREDENTIALS = 12
"""The size of `struct ucred`: process, user and group."""
LINK = "link"
"""The name of the guardian's link in LISTEN_FDNAMES."""
_VARIABLES = ("LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES")

Identity = tuple[int, int]
"""Device and inode of a file."""


class ListeningSockets(NamedTuple):
    """The sockets that hosts and people's programs connect to."""

    path: socket.socket
    """The unix socket, for its owner alone."""
    port: socket.socket
    """The port on loopback, for those who have a token."""
    link: socket.socket | None = None
    """The daemon's end of the link to its guardian; None if a service manager passed them on."""


def open_listening_sockets(home: Home) -> ListeningSockets:
    """Bind both sockets; only the holder of the lock may do so. Raises HomeError."""
    port = _bind_port(home.port)  # first: where another one has it, its socket is left alone
    try:
        return ListeningSockets(bind_path(home.socket), port)
    except BaseException:
        port.close()
        raise


def bind_path(path: str) -> socket.socket:
    """Bind a socket that only this user can open, and replace a dead one at the same path."""
    unlink(path)
    sock = socket.socket(socket.AF_UNIX)
    try:
        sock.bind(path)
        os.chmod(path, 0o600)
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        says = f"no socket can be made there: {error.strerror}"
        raise HomeError(path, says) from None
    return sock


def _bind_port(port: int) -> socket.socket:
    sock = socket.socket()
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(("127.0.0.1", port))
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        says = f"another program uses it ({error.strerror}); end that one, then try again"
        raise HomeError(f"127.0.0.1:{port}", says) from None
    return sock


def ensure_reachable(sockets: ListeningSockets, path: str) -> ListeningSockets:
    """Return the sockets; bind a new unix socket if the path does not lead to theirs."""
    if _leads_to(path, sockets.path):
        return sockets
    sockets.path.close()
    return sockets._replace(path=bind_path(path))


def _leads_to(path: str, listener: socket.socket) -> bool:
    with socket.socket(socket.AF_UNIX) as caller:
        caller.setblocking(False)
        try:
            caller.connect(path)
        except BlockingIOError:  # more wait there than it can hold
            return True
        except OSError:
            return False
        return _listener_of(caller) == _listener_of(listener)


def _listener_of(sock: socket.socket) -> bytes:
    """Return who listens, given the listening socket or one that is connected to it."""
    if sys.platform != "linux":
        return b""
    return sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS)


def unlink(path: str) -> None:
    """Remove a socket's file, if it is there."""
    with suppress(FileNotFoundError):
        os.unlink(path)


def socket_identity(path: str) -> Identity | None:
    """Return the device and inode of the file at a path, or None if there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def inherited_listening_sockets(environ: MutableMapping[str, str]) -> ListeningSockets | None:
    """Return the sockets that a guardian, systemd or launchd bound for this process, or None.

    Remove the variables, because child processes have other descriptors.
    """
    given = {name: environ.pop(name, "") for name in _VARIABLES}
    if given["LISTEN_PID"] == str(os.getpid()):
        names = _names(given)
        sockets = {name: socket.socket(fileno=_FIRST + at) for at, name in enumerate(names)}
    elif passed_on := launchd_sockets(environ):
        sockets = {f"{number}": socket.socket(fileno=number) for number in passed_on}
    else:
        return None
    for sock in sockets.values():
        os.set_inheritable(sock.fileno(), False)
    path, port = _find(sockets, socket.AF_UNIX), _find(sockets, socket.AF_INET)
    return ListeningSockets(path, port, sockets.get(LINK))


def _names(given: Mapping[str, str]) -> list[str]:
    """Return one name for each descriptor; systemd may give all of them the same name, or none."""
    count = int(given["LISTEN_FDS"] or 0)
    named = given["LISTEN_FDNAMES"].split(":")
    return [LINK if at < len(named) and named[at] == LINK else f"{at}" for at in range(count)]


def _find(sockets: Mapping[str, socket.socket], family: socket.AddressFamily) -> socket.socket:
    for name, sock in sockets.items():
        if sock.family is family and name != LINK:
            return sock
    raise HomeError("LISTEN_FDS", f"no listening socket of the kind {family.name} was passed")
