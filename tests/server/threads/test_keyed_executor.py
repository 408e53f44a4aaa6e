"""Work in lanes: one after the other in each, beside each other in all."""

import threading

import pytest

from handrail.server.threads.keyed_executor import KeyedExecutor


def test_what_is_in_one_lane_is_done_in_order() -> None:
    lanes = KeyedExecutor()
    done: list[int] = []
    for number in range(50):
        lanes.put("a", lambda number=number: done.append(number))  # type: ignore[misc]
    lanes.settle()
    lanes.close()
    assert done == list(range(50))


def test_a_slow_lane_does_not_hold_up_another() -> None:
    lanes = KeyedExecutor()
    gate = threading.Event()
    slow = lanes.put("slow", lambda: gate.wait(60))
    assert lanes.put("quick", lambda: 7).result(60) == 7
    assert not slow.done()
    gate.set()
    assert slow.result(60)
    lanes.close()


def test_work_that_fails_is_told_and_the_next_is_done() -> None:
    lanes = KeyedExecutor()
    failed = lanes.put("a", lambda: 1 // 0)
    after = lanes.put("a", lambda: 2)
    with pytest.raises(ZeroDivisionError):
        failed.result(60)
    assert after.result(60) == 2
    lanes.close()


def test_a_lane_is_busy_until_its_work_is_done() -> None:
    lanes = KeyedExecutor()
    gate = threading.Event()
    lanes.put("a", lambda: gate.wait(60))
    assert lanes.is_busy("a")
    assert not lanes.is_busy("b")
    gate.set()
    lanes.settle()
    lanes.close()
    assert not lanes.is_busy("a")


def test_closing_finishes_what_was_put() -> None:
    lanes = KeyedExecutor()
    done = [lanes.put(f"lane {number % 7}", lambda: True) for number in range(100)]
    lanes.close()
    assert all(each.result(0) for each in done)
