"""Work on one run is done in order; that on others beside it."""

import threading
from functools import partial

import pytest

from handrail.server.threads.process_jobs import ProcessJobs


def test_errands_of_one_run_are_done_in_the_order_in_which_they_were_begun() -> None:
    chores, done = ProcessJobs(), list[int]()
    go = threading.Event()
    chores.begin("a", "first", go.wait)
    for number in range(20):
        chores.begin("a", str(number), partial(done.append, number))
    assert done == []
    go.set()
    chores.settle()
    assert done == list(range(20))


def test_one_run_does_not_wait_for_another() -> None:
    chores = ProcessJobs()
    go, came = threading.Event(), threading.Event()
    chores.begin("a", "waits", go.wait)
    chores.begin("b", "goes", came.set)
    assert came.wait(60)
    go.set()
    chores.settle()


def test_what_is_under_way_is_not_begun_again() -> None:
    chores, done = ProcessJobs(), list[str]()
    go = threading.Event()
    chores.begin("a", "stop", go.wait)
    chores.begin("a", "stop", lambda: done.append("twice"))
    assert chores.is_under_way("a", "stop")
    go.set()
    chores.settle()
    assert not chores.is_under_way("a", "stop")
    assert done == []
    chores.begin("a", "stop", lambda: done.append("again"))
    chores.settle()
    assert done == ["again"]


def test_the_next_one_is_done_after_one_that_failed(caplog: pytest.LogCaptureFixture) -> None:
    chores, done = ProcessJobs(), list[str]()

    def fail() -> None:
        raise ValueError("no such luck")

    chores.begin("a", "fails", fail)
    chores.begin("a", "goes", lambda: done.append("gone"))
    chores.settle()
    assert done == ["gone"]
    assert "no such luck" in caplog.text
