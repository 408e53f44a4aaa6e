"""Lets the kernel wake a process that somebody has stopped, as soon as a call comes in.

A stopped process cannot help itself, and whoever stops the daemon stops its guardian, too. Linux
sends any signal when a socket has something to read; SIGCONT costs nothing as long as nobody is
stopped.
"""

import fcntl
import os
import signal
import sys
from contextlib import suppress

_F_SETSIG = 10
"""Only Linux has it, and Python has no name for it."""


def wake_on_input(descriptor: int, owner: int) -> None:
    """Continue a process when something comes in there; `owner`: below 0, a group of them."""
    if sys.platform != "linux":
        return
    with suppress(OSError):
        fcntl.fcntl(descriptor, fcntl.F_SETOWN, owner)
        fcntl.fcntl(descriptor, _F_SETSIG, signal.SIGCONT)
        flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | os.O_ASYNC)
