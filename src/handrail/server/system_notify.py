"""Tells systemd that the daemon is ready, and then that it is well (sd_notify)."""

import os
import socket
from collections.abc import Mapping
from contextlib import suppress

READY, WELL = b"READY=1", b"WATCHDOG=1"
_VARIABLE = "NOTIFY_SOCKET"


class SystemNotifier:
    """Sends notices to the service manager, if there is one."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        address = environ.get(_VARIABLE, "")
        self._address = "\0" + address[1:] if address.startswith("@") else address
        # What the daemon starts must not speak for it.
        os.environ.pop(_VARIABLE, None)

    def send(self, state: bytes) -> None:
        """Send one notice."""
        if self._address:
            with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
                sock.setblocking(False)
                sock.sendto(state, self._address)
