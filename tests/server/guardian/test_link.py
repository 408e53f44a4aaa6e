"""The line between guardian and daemon."""

import os
import socket
from collections.abc import Iterator

import pytest

from handrail.server.guardian.link import Link, make_link

Ends = tuple[Link, Link, socket.socket]


@pytest.fixture
def ends() -> Iterator[Ends]:
    one, other = make_link()
    with one, other:
        yield Link(one), Link(other), one


def test_what_one_says_the_other_hears_in_order(ends: Ends) -> None:
    one, other, _ = ends
    one.send("hello", version="1")
    one.send("loop")
    assert other.receive() == [{"is": "hello", "version": "1"}, {"is": "loop"}]
    assert other.receive() == []


def test_the_end_of_one_is_heard_by_the_other(ends: Ends) -> None:
    one, other, _ = ends
    one.close()
    assert other.receive() is None
    other.send("loop")  # nobody hears it


def test_a_descriptor_travels_with_a_line(ends: Ends) -> None:
    one, other, _ = ends
    read, write = os.pipe()
    one.send("socket", write)
    assert other.receive() == [{"is": "socket"}]
    came = other.take_descriptor()
    assert came is not None
    os.write(came, b"x")
    assert os.read(read, 1) == b"x"
    assert other.take_descriptor() is None
    for each in (read, write, came):
        os.close(each)


def test_half_a_line_waits_for_its_end_and_nonsense_is_left_out(ends: Ends) -> None:
    _, other, raw = ends
    raw.send(b'{"is": "lo')
    assert other.receive() == []
    raw.send(b'op"}\nnonsense\n[]\n')
    assert other.receive() == [{"is": "loop"}]


def test_nobody_waits_for_one_that_does_not_listen(ends: Ends) -> None:
    one, _, _ = ends
    for _ in range(10):
        one.send("refused", calls=["x" * 100_000])
