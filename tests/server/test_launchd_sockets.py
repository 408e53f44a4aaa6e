"""The sockets of launchd, with a stand-in for its library: there is no launchd on Linux."""

import ctypes
import errno
import os
import socket
from typing import Any

import pytest

from handrail.server.home import HomeError
from handrail.server.launchd_sockets import launchd_label, launchd_sockets


class FakeLaunchd:
    """Passes on descriptors by name, as `launch_activate_socket` does."""

    def __init__(self, **descriptors: int) -> None:
        self._descriptors = {name: (ctypes.c_int * 1)(fd) for name, fd in descriptors.items()}
        self.freed = 0

    def launch_activate_socket(self, name: bytes, found: Any, count: Any) -> int:
        passed_on = self._descriptors.get(name.decode())
        if passed_on is None:
            return errno.ENOENT
        found._obj.contents = passed_on
        count._obj.value = len(passed_on)
        return 0

    def free(self, found: object) -> None:
        self.freed += 1


def started() -> dict[str, str]:
    return {"XPC_SERVICE_NAME": launchd_label("handrail")}


def test_both_sockets_are_taken_and_the_arrays_freed() -> None:
    with socket.socket(socket.AF_UNIX) as path, socket.socket() as port:
        library = FakeLaunchd(socket=path.fileno(), port=port.fileno())
        environ = started()
        assert launchd_sockets(environ, library) == [path.fileno(), port.fileno()]
        assert (library.freed, environ) == (2, {})


def test_a_socket_that_launchd_does_not_have_is_told() -> None:
    with pytest.raises(HomeError, match=f"launchd does not pass .*{os.strerror(errno.ENOENT)}"):
        launchd_sockets(started(), FakeLaunchd())


@pytest.mark.parametrize("environ", [{}, {"XPC_SERVICE_NAME": "com.apple.Terminal"}])
def test_a_process_that_launchd_has_not_started_has_none(environ: dict[str, str]) -> None:
    assert launchd_sockets(environ, FakeLaunchd()) == []
