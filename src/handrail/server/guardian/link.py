"""The line between guardian and daemon: lines of JSON, and a descriptor with some of them.

Either side learns from its end that the other one is gone. Only the standard library is used here:
the guardian stays small.
"""

import json
import os
import socket
from contextlib import suppress
from typing import Any

_BUFFER = 262_144
"""More than all refused calls together, so that nobody waits for the other side."""
_MOST = 65_536

Message = dict[str, Any]


class Link:
    """One end of the line."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER)
        self._socket = sock
        self._unread = b""
        self._descriptors: list[int] = []

    def fileno(self) -> int:
        """For a selector."""
        return self._socket.fileno()

    def send(self, word: str, descriptor: int | None = None, **fields: object) -> None:
        """Say something; if the other side is gone or does not listen, nobody hears it."""
        line = json.dumps({"is": word, **fields}).encode() + b"\n"
        with suppress(OSError):
            if descriptor is None:
                self._socket.send(line)
            else:
                socket.send_fds(self._socket, [line], [descriptor])

    def receive(self) -> list[Message] | None:
        """What was said since the last call; None: the other side is gone."""
        try:
            data, descriptors, _, _ = socket.recv_fds(self._socket, _MOST, 4)
        except BlockingIOError:
            return []
        except OSError:
            return None
        for each in descriptors:
            os.set_inheritable(each, False)
        self._descriptors += descriptors
        if not data:
            return None
        *lines, self._unread = (self._unread + data).split(b"\n")
        return [message for message in map(_read, lines) if message]

    def take_descriptor(self) -> int | None:
        """The oldest descriptor that came and was not taken yet."""
        return self._descriptors.pop(0) if self._descriptors else None

    def close(self) -> None:
        """Hang up."""
        self._socket.close()


def make_link() -> tuple[socket.socket, socket.socket]:
    """Both ends of a new line."""
    return socket.socketpair()


def _read(line: bytes) -> Message:
    """A message; empty where another version says something that cannot be read."""
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
