"""The sockets that launchd holds for Handrail on macOS. No test runs this with a real launchd."""

import ctypes
import os
from collections.abc import MutableMapping
from typing import Any

from handrail.server.home import HomeError

_VARIABLE = "XPC_SERVICE_NAME"
SOCKETS = ("socket", "port")
"""The names of the sockets in the agent's file."""


def launchd_label(name: str) -> str:
    """Return the name of the agent in launchd."""
    return f"dev.{name}"


def launchd_sockets(environ: MutableMapping[str, str], library: Any = None) -> list[int]:
    """Return the descriptors of both sockets, or none if launchd did not start this process.

    `library`: the C library with `launch_activate_socket`.
    """
    if not environ.pop(_VARIABLE, "").startswith(launchd_label("handrail")):
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
