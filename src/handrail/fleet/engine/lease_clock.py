"""The clock of leases: it counts the time for which the machine sleeps, and nobody can set it."""

import os
import socket
import time
from contextlib import suppress

import msgspec

_BOOT_ID = "/proc/sys/kernel/random/boot_id"


def lease_clock() -> float:
    """Return the seconds since the machine booted, suspend included where the system tells."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


class Machine(msgspec.Struct, frozen=True):
    """This machine since its last boot."""

    host: str
    boot: str
    """Empty where the system does not tell."""


def this_machine() -> Machine:
    """Return this machine: process numbers and start times mean something within its boot only."""
    boot = ""
    with suppress(OSError), open(_BOOT_ID, encoding="ascii") as file:
        boot = file.read().strip()
    return Machine(socket.gethostname() or os.uname().nodename, boot)
