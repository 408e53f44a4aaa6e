"""Tells systemd that the guardian is ready, and then that it is well (sd_notify)."""

import socket
from collections.abc import MutableMapping
from contextlib import suppress

READY, WELL = b"READY=1", b"WATCHDOG=1"
_VARIABLES = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")


class SystemNotifier:
    """Sends notices to the service manager, if there is one."""

    def __init__(self, environ: MutableMapping[str, str]) -> None:
        """Take the variables out: what the guardian starts must not speak for it."""
        address, *_ = (environ.pop(name, "") for name in _VARIABLES)
        self._address = "\0" + address[1:] if address.startswith("@") else address

    def send(self, state: bytes) -> None:
        """Send one notice."""
        if self._address:
            with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
                sock.setblocking(False)
                sock.sendto(state, self._address)
