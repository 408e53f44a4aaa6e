"""An id stands for its request exactly as long as it says."""

import pytest

from handrail.control import message as wire
from handrail.control.message import Ack, Request, Result, Target
from handrail.control.request_ledger import (
    EXPIRY,
    WINDOW,
    RequestLedger,
    SeenRequest,
    content_of,
    load_ledger,
    save_ledger,
)
from handrail.control.topics import CONTROL
from handrail.store.memory import MemoryStore
from handrail.store.port import NewEntry

RUN = Target("r1")
AT = "2026-11-18T10:00:00Z"


def ack(request: str, command: str = "pause") -> Ack:
    return Ack(request_id=request, command=command, target=RUN, timestamp=AT, payload={})


def result(request: str, command: str = "pause", code: str = "") -> Result:
    payload: dict[str, object] = (
        {"status": "error", "code": code} if code else {"status": "success"}
    )
    return Result(request_id=request, command=command, target=RUN, timestamp=AT, payload=payload)


def finished(*requests: str, at: float = 0.0) -> RequestLedger:
    ledger = RequestLedger()
    for request in requests:
        ledger.add(ack(request), b"", at)
        ledger.add(result(request), b"done", at)
    return ledger


@pytest.mark.parametrize(("now", "is_known"), [(WINDOW, True), (WINDOW + 0.1, False)])
def test_an_answered_request_is_known_for_the_window(now: float, is_known: bool) -> None:
    ledger = finished("q1")
    assert (ledger.find("q1", now) is not None) is is_known
    ledger.forget(now)
    assert ("q1" in ledger.seen) is is_known


def test_a_request_under_way_is_known_for_ever() -> None:
    ledger = RequestLedger()
    ledger.add(ack("q1"), b"", 0.0)
    ledger.forget(100 * WINDOW)
    assert ledger.find("q1", 100 * WINDOW) is not None
    assert ledger.under_way() == {"q1": "r1"}


def test_what_is_old_is_forgotten_also_behind_one_that_is_under_way() -> None:
    ledger = RequestLedger()
    ledger.add(ack("q0"), b"", 0.0)
    ledger.add(result("q1"), b"done", 0.0)
    ledger.add(result("q2"), b"done", 200.0)
    ledger.forget(WINDOW + 1)
    assert list(ledger.seen) == ["q0", "q2"]


def test_a_second_ack_does_not_make_a_request_younger() -> None:
    ledger = RequestLedger()
    ledger.add(ack("q1"), b"", 1.0)
    ledger.add(ack("q1"), b"", 50.0)
    assert ledger.seen["q1"].at == 1.0


def test_an_ack_after_the_result_begins_anew() -> None:
    ledger = finished("q1")
    ledger.add(ack("q1"), b"", 400.0)
    assert ledger.under_way() == {"q1": "r1"}


@pytest.mark.parametrize("code", ["duplicate", "bad_request"])
def test_an_answer_to_a_duplicate_ends_nothing(code: str) -> None:
    ledger = RequestLedger()
    ledger.add(ack("q1"), b"", 0.0)
    ledger.add(result("q1", code=code), b"no", 1.0)
    assert ledger.under_way() == {"q1": "r1"}


def test_a_request_alone_has_no_effect() -> None:
    ledger = RequestLedger()
    request = Request(request_id="q1", command="pause", target=RUN, timestamp=AT, payload={})
    ledger.add(request, b"", 0.0)
    assert ledger.seen == {}


def test_a_freeze_lasts_from_its_first_result_until_the_run_goes_on() -> None:
    ledger = RequestLedger()
    ledger.add(result("q1", "freeze"), b"done", 5.0)
    ledger.add(result("q1", "freeze"), b"done", 9.0)
    assert ledger.frozen == {"r1": 5.0}
    ledger.add(result("q2", "resume", "refused"), b"no", 10.0)
    assert ledger.frozen == {"r1": 5.0}
    ledger.add(result("q3", "resume"), b"done", 11.0)
    assert ledger.frozen == {}


def test_an_undo_brings_back_what_was_known_before() -> None:
    ledger = finished("q1")
    known, before = ledger.seen["q1"], SeenRequest("pause", "r1", 0.0)
    ledger.undo("q1", SeenRequest("stop", "r1", 3.0), before)
    assert ledger.seen["q1"] is known
    ledger.undo("q1", known, before)
    assert ledger.seen["q1"] is before
    ledger.undo("q1", before, None)
    assert ledger.seen == {}


@pytest.mark.parametrize(("pause", "first"), [(EXPIRY, True), (EXPIRY + 1, False)])
def test_a_request_that_is_sent_again_counts_from_its_first_row_until_that_is_void(
    pause: float, first: bool
) -> None:
    now = [0.0]
    store = MemoryStore(clock=lambda: now[0])
    request = Request(request_id="q1", command="pause", target=RUN, timestamp=AT, payload={})
    for at in (0.0, pause):
        now[0] = at
        store.append([NewEntry(CONTROL, wire.encode(request))]).result()
    _, unanswered = load_ledger(store, pause)
    assert [row.at for row in unanswered] == [0.0 if first else pause]


def asked(payload: dict[str, object], command: str = "steer", run: str = "r1") -> Request:
    return Request(
        request_id="q1", command=command, target=Target(run), timestamp=AT, payload=payload
    )


def test_a_repetition_is_the_same_request_only_if_it_asks_for_the_same() -> None:
    first = asked({"text": "Use tabs.", "reason": "style"})
    seen = SeenRequest("steer", "r1", 0.0, content=content_of(first))
    assert seen.is_same(first)
    assert seen.is_same(asked({"reason": "style", "text": "Use tabs."})), "in any order"
    assert seen.is_same(asked({"text": "?"}), first), "in one of its forms"
    assert not seen.is_same(asked({"text": "Use spaces.", "reason": "style"}))
    assert not seen.is_same(asked(first.payload, command="pause"))
    assert not seen.is_same(asked(first.payload, run="r2"))
    assert SeenRequest("steer", "r1", 0.0).is_same(first), "what nobody knows is not compared"


def test_a_request_that_is_sent_again_late_in_the_life_of_a_log_counts_once() -> None:
    now = [5000.0]
    store = MemoryStore(clock=lambda: now[0])
    for at in (5000.0, 5001.0):
        now[0] = at
        store.append([NewEntry(CONTROL, wire.encode(asked({})))]).result()
    _, unanswered = load_ledger(store, 5001.0)
    assert [row.at for row in unanswered] == [5000.0]


def test_a_saved_ledger_from_behind_the_end_of_the_log_is_not_used() -> None:
    """Rows were lost, so that its last row may be another one soon."""
    store = MemoryStore()
    store.append([NewEntry(CONTROL, wire.encode(ack("q1")))] * 3).result()
    for seq, is_used in ((3, True), (4, False)):
        ledger = RequestLedger(seq=seq, seen={"saved": SeenRequest("pause", "r1", 0.0)})
        save_ledger(store, ledger).result()
        loaded, _ = load_ledger(store, 0.0)
        assert ("saved" in loaded.seen) is is_used
