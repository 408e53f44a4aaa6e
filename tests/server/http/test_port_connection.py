"""Which process holds the other end of a connection on loopback."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing

import pytest

from handrail.server.http.port_connection import PortConnection, can_tell_owners

pytestmark = pytest.mark.skipif(not can_tell_owners(), reason="only Linux tells")


@pytest.fixture
def port() -> Iterator[socket.socket]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening


def seen(port: socket.socket) -> tuple[socket.socket, PortConnection]:
    """The next connection, as the one who listens sees it."""
    accepted, client = port.accept()
    return accepted, PortConnection.between(client, accepted.getsockname())


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_a_connection_of_this_process_is_its_own(
    port: socket.socket, family: socket.AddressFamily
) -> None:
    address = "127.0.0.1" if family == socket.AF_INET else "::ffff:127.0.0.1"
    with socket.socket(family) as client:
        try:
            client.connect((address, port.getsockname()[1]))
        except OSError:
            pytest.skip("this machine has no such sockets")
        accepted, connection = seen(port)
        with closing(accepted):
            assert connection.is_open
            assert connection.is_held_by(os.getpid())
            assert connection.find_owner() == os.getpid()


def test_a_connection_of_another_process_is_not(port: socket.socket) -> None:
    program = (
        "import socket, sys\n"
        f"c = socket.create_connection(('127.0.0.1', {port.getsockname()[1]}))\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE) as other:
        accepted, connection = seen(port)
        with closing(accepted):
            assert connection.is_held_by(other.pid)
            assert connection.is_held_by(os.getpid()) is False
            assert connection.find_owner() == other.pid


def test_a_connection_that_was_closed_has_no_owner(port: socket.socket) -> None:
    with socket.create_connection(port.getsockname()):
        accepted, connection = seen(port)
    with closing(accepted):
        assert not connection.is_open
        assert not connection.is_held_by(os.getpid())


def test_an_address_that_is_not_there_any_more_has_no_owner() -> None:
    connection = PortConnection.between(None, ("127.0.0.1", 1))
    assert not connection.is_open


def test_where_there_is_no_table_nobody_can_tell() -> None:
    connection = PortConnection(1, 2, ("/nowhere/tcp",))
    assert not can_tell_owners(("/nowhere/tcp",))
    assert connection.is_open
    assert connection.is_held_by(os.getpid()) is None
    assert connection.find_owner() == 0


def test_a_process_that_is_gone_tells_nothing(port: socket.socket) -> None:
    with socket.create_connection(port.getsockname()):
        accepted, connection = seen(port)
        with closing(accepted):
            assert connection.is_held_by(2**22 - 7) is None
