"""A receipt answers everybody who asks, in whatever thread."""

import threading
from functools import partial

import pytest

from handrail.store.errors import DiskFullError
from handrail.store.receipt import Receipt


def test_a_receipt_has_no_answer_at_first() -> None:
    receipt = Receipt()
    assert not receipt.done()
    assert not receipt.wait(0)
    with pytest.raises(TimeoutError):
        receipt.result(0)
    with pytest.raises(TimeoutError):
        receipt.exception(0)


def test_a_confirmed_call_has_a_position() -> None:
    receipt = Receipt()
    receipt.set_result(7)
    assert receipt.done()
    assert receipt.wait()
    assert receipt.result() == 7
    assert receipt.exception() is None


def test_a_refused_call_has_an_error() -> None:
    receipt = Receipt()
    error = DiskFullError("/log")
    receipt.set_exception(error)
    assert receipt.exception() is error
    with pytest.raises(DiskFullError):
        receipt.result()


def test_somebody_who_waits_is_woken() -> None:
    receipt = Receipt()
    answering = threading.Thread(target=receipt.set_result, args=(3,))
    answering.start()
    assert receipt.result(60) == 3
    answering.join()


def test_callbacks_come_in_their_order_and_late_ones_at_once() -> None:
    receipt = Receipt()
    heard: list[str] = []
    receipt.add_done_callback(lambda _: heard.append("first"))
    receipt.add_done_callback(lambda _: heard.append("second"))
    assert heard == []
    receipt.set_result(1)
    receipt.add_done_callback(lambda _: heard.append("late"))
    assert heard == ["first", "second", "late"]


def test_a_callback_may_add_another() -> None:
    receipt = Receipt()
    heard: list[int] = []
    receipt.add_done_callback(
        lambda done: done.add_done_callback(lambda again: heard.append(again.result()))
    )
    receipt.set_result(5)
    assert heard == [5]


def test_a_callback_that_fails_does_not_silence_the_next(caplog: pytest.LogCaptureFixture) -> None:
    receipt = Receipt()
    heard: list[int] = []

    def fail(done: Receipt) -> None:
        raise KeyError(done.result())

    receipt.add_done_callback(fail)
    receipt.add_done_callback(lambda done: heard.append(done.result()))
    receipt.set_result(2)
    assert heard == [2]
    assert "a callback of a receipt failed" in caplog.text


class Racer(threading.Thread):
    """Adds callbacks while others do, and while the answer comes."""

    def __init__(self, receipt: Receipt, together: threading.Barrier) -> None:
        super().__init__()
        self.heard: list[int] = []
        self._receipt = receipt
        self._together = together

    def run(self) -> None:
        self._together.wait()
        for number in range(50):
            self._receipt.add_done_callback(partial(self._hear, number))

    def _hear(self, number: int, receipt: Receipt) -> None:
        self.heard.append(number)


def test_no_callback_is_lost_or_called_twice_when_threads_race() -> None:
    for _ in range(50):
        receipt = Receipt()
        together = threading.Barrier(4)
        racers = [Racer(receipt, together) for _ in range(3)]
        for racer in racers:
            racer.start()
        together.wait()
        receipt.set_result(1)
        for racer in racers:
            racer.join()
        assert [sorted(racer.heard) for racer in racers] == [list(range(50))] * 3
