"""Work on one run is done in order; that on others beside it."""

import threading
from functools import partial

import pytest

from handrail.server.threads.process_jobs import ProcessJobs


def test_errands_of_one_run_are_done_in_the_order_in_which_they_were_begun() -> None:
    jobs, done = ProcessJobs(), list[int]()
    go = threading.Event()
    jobs.begin("a", "first", go.wait)
    for number in range(20):
        jobs.begin("a", str(number), partial(done.append, number))
    assert done == []
    go.set()
    jobs.settle()
    assert done == list(range(20))


def test_one_run_does_not_wait_for_another() -> None:
    jobs = ProcessJobs()
    go, came = threading.Event(), threading.Event()
    jobs.begin("a", "waits", go.wait)
    jobs.begin("b", "goes", came.set)
    assert came.wait(60)
    go.set()
    jobs.settle()


def test_what_is_under_way_is_not_begun_again() -> None:
    jobs, done = ProcessJobs(), list[str]()
    go = threading.Event()
    jobs.begin("a", "stop", go.wait)
    jobs.begin("a", "stop", lambda: done.append("twice"))
    assert jobs.is_under_way("a", "stop")
    go.set()
    jobs.settle()
    assert not jobs.is_under_way("a", "stop")
    assert done == []
    jobs.begin("a", "stop", lambda: done.append("again"))
    jobs.settle()
    assert done == ["again"]


def test_the_next_one_is_done_after_one_that_failed(caplog: pytest.LogCaptureFixture) -> None:
    jobs, done = ProcessJobs(), list[str]()

    def fail() -> None:
        raise ValueError("no such luck")

    jobs.begin("a", "fails", fail)
    jobs.begin("a", "goes", lambda: done.append("gone"))
    jobs.settle()
    assert done == ["gone"]
    assert "no such luck" in caplog.text
