"""Work on one run is done in order; that on others beside it."""

import threading
from functools import partial

import pytest

from handrail.server.errands import Errands


def test_errands_of_one_run_are_done_in_the_order_in_which_they_were_begun() -> None:
    errands, done = Errands(), list[int]()
    go = threading.Event()
    errands.begin("a", "first", go.wait)
    for number in range(20):
        errands.begin("a", str(number), partial(done.append, number))
    assert done == []
    go.set()
    errands.settle()
    assert done == list(range(20))


def test_one_run_does_not_wait_for_another() -> None:
    errands = Errands()
    go, came = threading.Event(), threading.Event()
    errands.begin("a", "waits", go.wait)
    errands.begin("b", "goes", came.set)
    assert came.wait(60)
    go.set()
    errands.settle()


def test_what_is_under_way_is_not_begun_again() -> None:
    errands, done = Errands(), list[str]()
    go = threading.Event()
    errands.begin("a", "stop", go.wait)
    errands.begin("a", "stop", lambda: done.append("twice"))
    assert errands.is_under_way("a", "stop")
    go.set()
    errands.settle()
    assert not errands.is_under_way("a", "stop")
    assert done == []
    errands.begin("a", "stop", lambda: done.append("again"))
    errands.settle()
    assert done == ["again"]


def test_the_next_one_is_done_after_one_that_failed(caplog: pytest.LogCaptureFixture) -> None:
    errands, done = Errands(), list[str]()

    def fail() -> None:
        raise ValueError("no such luck")

    errands.begin("a", "fails", fail)
    errands.begin("a", "goes", lambda: done.append("gone"))
    errands.settle()
    assert done == ["gone"]
    assert "no such luck" in caplog.text
