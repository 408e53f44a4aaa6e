"""A bus that does not answer, and one that is not there."""

import socket
from pathlib import Path

import pytest

from handrail.desktop.sense.accessibility_tree import AccessibilityTree, SlowTreeError
from handrail.desktop.sense.bus_connection import BusConnection, BusLostError, session_bus_address
from tests.desktop.desktop_bed import DesktopBed


@pytest.mark.parametrize(
    "address", ["unix:path=/nonexistent/bus", "tcp:host=localhost", "nonsense", "", "unix:path"]
)
def test_an_address_without_a_bus_is_an_error(address: str) -> None:
    with pytest.raises(BusLostError):
        BusConnection(address, 1)


def test_a_bus_that_says_nothing_is_lost_in_time(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "bus"))
        silent.listen()
        with pytest.raises(BusLostError):
            BusConnection(f"unix:path={tmp_path}/bus", 0.1)


def test_the_bus_of_the_user_is_found_without_a_variable(tmp_path: Path) -> None:
    environ = {"XDG_RUNTIME_DIR": str(tmp_path)}
    assert session_bus_address(environ) == ""
    (tmp_path / "bus").touch()
    assert session_bus_address(environ) == f"unix:path={tmp_path}/bus"
    assert session_bus_address({**environ, "DBUS_SESSION_BUS_ADDRESS": "unix:abstract=x"}) == (
        "unix:abstract=x"
    )


def test_a_tree_that_takes_too_long_is_no_hanging_program(
    desktop: DesktopBed, tmp_path: Path
) -> None:
    (tmp_path / "cart.py").touch()
    editor = desktop.mousepad(tmp_path / "cart.py")
    tree = AccessibilityTree(desktop.environment, seconds=0)
    with pytest.raises(SlowTreeError, match="longer than 0 s"):
        tree.read(editor.process.pid, "")
    tree.close()
