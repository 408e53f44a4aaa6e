"""The sockets that launchd holds for Handrail on macOS. No test runs this with a real launchd."""

import ctypes
import os
from collections.abc import MutableMapping
from typing import Any

from handrail.server.home import HomeError

_VARIABLE = "XPC_SERVICE_NAME"
SOCKETS = ("socket", "port")
"""What the agent's file calls them."""


def label(name: str) -> str:
    """What launchd calls the agent with the units of this name."""
    return f"dev.{name}"


def launchd_sockets(environ: MutableMapping[str, str], library: Any = None) -> list[int]:
    """The descriptors of both sockets; empty where launchd has not started this process.

    `library`: the one that has launchd's functions.
    """
    if not environ.pop(_VARIABLE, "").startswith(label("handrail")):
        return []
    loaded = library or ctypes.CDLL(None)
    return [each for name in SOCKETS for each in _activate(loaded, name)]


def _activate(library: Any, name: str) -> list[int]:
    found, count = ctypes.POINTER(ctypes.c_int)(), ctypes.c_size_t()
    error = library.launch_activate_socket(name.encode(), ctypes.byref(found), ctypes.byref(count))
    if error:
        raise HomeError(name, f"launchd does not pass on this socket: {os.strerror(error)}")
    descriptors = found[: count.value]
    library.free(found)
    return descriptors
