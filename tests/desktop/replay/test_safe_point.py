"""One thread works, others hold it."""

from collections.abc import Callable
from threading import Event, Thread

import pytest

from handrail.desktop.replay.safe_point import SafePoint, WorkAbortedError

PATIENCE = 30.0


class Steps:
    """A thread that passes the safe point again and again until it is told to end."""

    def __init__(self, between: Callable[[], None] = lambda: None) -> None:
        self.point = SafePoint()
        self.count = 0
        self.aborted = False
        self.began = Event()
        self._between = between
        self._ends = Event()
        self.thread = Thread(target=self._run)

    def _run(self) -> None:
        try:
            self.point.leave()
            while not self._ends.is_set():
                self.count += 1
                self.began.set()
                self._between()
                self.point.pass_by()
        except WorkAbortedError:
            self.aborted = True
        finally:
            self.point.arrive()

    def __enter__(self) -> "Steps":
        self.thread.start()
        assert self.began.wait(PATIENCE)
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self.point.abort()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


def test_a_held_worker_stands_still() -> None:
    with Steps() as steps:
        assert steps.point.hold(PATIENCE)
        before = steps.count
        assert steps.point.hold(0)
        assert steps.count == before


def test_it_goes_on_when_it_is_let_go() -> None:
    goes_on = Event()
    with Steps(goes_on.set) as steps:
        assert steps.point.hold(PATIENCE)
        goes_on.clear()
        steps.point.let_go()
        assert goes_on.wait(PATIENCE)


def test_who_does_not_reach_a_safe_point_does_not_stand_in_time() -> None:
    busy = Event()
    steps = Steps(lambda: assert_set(busy))
    with steps:
        assert not steps.point.hold(0.01)
        busy.set()
        assert steps.point.hold(PATIENCE)


def assert_set(event: Event) -> None:
    assert event.wait(PATIENCE)


def test_a_held_worker_can_be_ended() -> None:
    with Steps() as steps:
        assert steps.point.hold(PATIENCE)
        steps.point.abort()
        steps.thread.join(PATIENCE)
        assert steps.aborted


def test_a_rest_ends_with_the_work() -> None:
    steps = Steps()
    steps._between = lambda: steps.point.rest(PATIENCE)
    with steps:
        assert steps.point.hold(PATIENCE)
        steps.point.let_go()
    assert steps.aborted


def test_nobody_works_before_the_beginning_and_after_the_end() -> None:
    point = SafePoint()
    assert point.hold(0)
    point.abort()
    with pytest.raises(WorkAbortedError):
        point.leave()
    assert point.hold(0)
