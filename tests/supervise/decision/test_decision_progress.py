"""An answer is given when what led to it is on the disk."""

from handrail.store.errors import DiskFullError, StoreError
from handrail.store.port import Receipt
from handrail.supervise.decision.decision_progress import NotWrittenError, Ready


def failed(error: StoreError) -> Receipt:
    receipt = Receipt()
    receipt.set_exception(error)
    return receipt


def done() -> Receipt:
    receipt = Receipt()
    receipt.set_result(1)
    return receipt


def test_without_receipts_there_is_nothing_to_wait_for() -> None:
    assert Ready("yes", [], str).wait() == "yes"


def test_the_answer_waits_for_every_receipt() -> None:
    first, second = Receipt(), Receipt()
    pending = Ready("yes", [first, second], lambda error: "no")
    first.set_result(1)
    assert pending.wait(0) == "no"
    second.set_result(2)
    assert pending.wait(0) == "yes"


def test_one_failed_receipt_changes_the_answer() -> None:
    pending = Ready("yes", [done(), failed(DiskFullError("/log"))], str)
    assert pending.wait() == "/log: the disk is full"


def test_a_log_that_does_not_answer_in_time_has_failed() -> None:
    errors: list[StoreError] = []

    def otherwise(error: StoreError) -> str:
        errors.append(error)
        return "no"

    assert Ready("yes", [Receipt()], otherwise).wait(0) == "no"
    assert isinstance(errors[0], NotWrittenError)
    assert str(errors[0]) == "the log did not answer within 0 s"


def test_both_answers_can_be_made_into_something_else() -> None:
    good = Ready("yes", [], str).then(len)
    bad = Ready("yes", [failed(StoreError("", "gone"))], str).then(len)
    assert (good.wait(), bad.wait()) == (3, 4)
    assert bad.then(lambda number: number * 2).wait() == 8
