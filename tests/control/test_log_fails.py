"""A log that takes nothing, answers late or cannot be read: nothing half, and nothing forgotten."""

from functools import partial

import pytest

from handrail.control.command_actions import CommandOutcome
from handrail.model.control import Standing
from handrail.store.errors import StoreError
from tests.control.control_setup import ControlClock, ControlSetup, as_bytes
from tests.control.protocol_checks import check_current, check_events, check_rows, check_under_way
from tests.control.stores import WatchedStore

RUN = "run-1"


class FailingControl:
    """A desk, and the log that fails it."""

    def __init__(self) -> None:
        self.clock = ControlClock()
        self.store = WatchedStore(self.clock)
        self.bed = ControlSetup(self.store, self.clock)
        self.bed.loop(RUN)

    def check(self) -> None:
        check_rows(self.store)
        check_events(self.store, RUN)
        check_current(self.store, RUN)
        check_under_way(self.store, RUN)


@pytest.fixture
def failing() -> FailingControl:
    return FailingControl()


def test_a_request_that_cannot_be_written_is_not_begun_and_can_be_sent_again(
    failing: FailingControl,
) -> None:
    bed, store = failing.bed, failing.store
    request = bed.request("stop")
    store.takes = False
    taken = bed.ask(request)
    assert taken.receipt is not None
    assert isinstance(taken.receipt.exception(), StoreError)
    bed.go_on()
    assert (bed.actions.begun, bed.control()) == ([], [])
    store.takes = True
    bed.ask(request)
    bed.go_on()
    assert bed.kinds("r-1") == ["REQUEST", "ACK"]
    assert [what for what, *_ in bed.actions.begun] == ["stop"]
    failing.check()


def test_a_refusal_that_cannot_be_written_is_not_remembered(failing: FailingControl) -> None:
    bed, store = failing.bed, failing.store
    store.takes = False
    request = bed.request("resume")
    bed.ask(request)
    bed.go_on()
    store.takes = True
    bed.do("pause")
    bed.ask(request)
    bed.go_on()
    assert bed.kinds("r-1") == ["REQUEST", "ACK", "success"]


def test_a_result_that_cannot_be_written_is_written_as_soon_as_it_can_be(
    failing: FailingControl,
) -> None:
    bed, store = failing.bed, failing.store
    request = bed.do("stop")
    store.takes = False
    bed.came(RUN, request, CommandOutcome(evidence=("ended 5",)))
    bed.go_on()
    assert bed.heard == []
    assert bed.kinds(request) == ["REQUEST", "ACK"]
    store.takes = True
    known = bed.desk.known(request)
    assert known is not None
    bed.go_on()
    assert bed.kinds(request) == ["REQUEST", "ACK", "success"]
    assert [each.request_id for each in bed.heard] == [request]
    failing.check()


def test_it_is_tried_again_when_anything_happens_anywhere(failing: FailingControl) -> None:
    bed, store = failing.bed, failing.store
    bed.loop("run-2")
    request = bed.do("stop")
    store.takes = False
    bed.came(RUN, request)
    bed.go_on()
    store.takes = True
    bed.begin_action("a", "run-2")
    bed.go_on()
    assert bed.kinds(request) == ["REQUEST", "ACK", "success"]
    failing.check()


def test_a_log_that_stays_full_does_not_make_the_desk_busy(failing: FailingControl) -> None:
    bed, store = failing.bed, failing.store
    request = bed.do("stop")
    store.takes = False
    bed.came(RUN, request)
    for _ in range(3):
        bed.desk.known(request)
        bed.go_on()
    assert not bed.waits
    store.takes = True
    bed.desk.known(request)
    assert bed.kinds(request) == ["REQUEST", "ACK", "success"]


def test_a_retry_is_a_duplicate_until_the_result_is_written(failing: FailingControl) -> None:
    bed, store = failing.bed, failing.store
    request = bed.request("stop")
    bed.ask(request)
    bed.go_on()
    store.takes = False
    bed.came(RUN, "r-1")
    bed.go_on()
    bed.ask(request)
    bed.go_on()
    store.takes = True
    bed.ask(request)
    bed.go_on()
    assert bed.kinds("r-1")[:3] == ["REQUEST", "ACK", "success"]
    failing.check()


@pytest.mark.parametrize("later", ["resume", "stop"])
def test_who_was_overtaken_is_answered_as_soon_as_the_log_takes_it(
    failing: FailingControl, later: str
) -> None:
    bed, store = failing.bed, failing.store
    bed.act("a")
    pause = bed.do("pause")
    request = bed.request(later)
    store.takes_yet = 1  # the acknowledgment, and nothing after it
    bed.ask(request)
    bed.go_on()
    store.takes = True
    bed.desk.known(pause)
    bed.go_on()
    assert bed.kinds(pause) == ["REQUEST", "ACK", "invalid_state"]
    failing.check()


def test_who_was_overtaken_just_before_a_crash_is_answered_by_the_next_daemon(
    failing: FailingControl,
) -> None:
    bed, store = failing.bed, failing.store
    bed.act("a")
    pause = bed.do("pause")
    store.takes_yet = 1
    bed.ask(bed.request("resume"))
    store.takes = True
    after = ControlSetup(store, failing.clock)
    assert after.kinds(pause) == ["REQUEST", "ACK", "invalid_state"]
    assert after.hand().standing == Standing.RUNNING
    failing.check()


def test_a_row_whose_answer_cannot_be_written_is_taken_again(failing: FailingControl) -> None:
    bed, store = failing.bed, failing.store
    bed.put(as_bytes(bed.request("stop")))
    store.takes = False
    bed.read_rows()
    bed.go_on()
    store.takes = True
    bed.begin_action("a")
    bed.go_on()
    assert bed.kinds("r-1") == ["REQUEST", "ACK"]
    assert [what for what, *_ in bed.actions.begun] == ["stop"]
    failing.check()


def test_a_row_that_cannot_be_looked_at_stays_unread(failing: FailingControl) -> None:
    bed, store = failing.bed, failing.store
    bed.put(as_bytes(bed.request("stop", "elsewhere")))
    rows = bed.inbox.unread()
    store.reads = False
    with pytest.raises(StoreError):
        bed.inbox.submit(rows)
    store.reads = True
    bed.read_rows()
    assert bed.kinds("r-1") == ["REQUEST", "not_found"]


def test_what_comes_back_while_the_log_cannot_be_read_is_not_lost(failing: FailingControl) -> None:
    bed, store = failing.bed, failing.store
    request = bed.do("stop")
    bed.runs.end(RUN)
    bed.runs.let_idle_go(bed.clock.now + 1)
    assert RUN not in bed.runs
    store.reads = False
    bed.came(RUN, request)
    store.reads = True
    bed.desk.known(request)
    assert bed.kinds(request) == ["REQUEST", "ACK", "success"]


def test_what_cannot_be_begun_because_the_log_cannot_be_read_is_begun_later(
    failing: FailingControl,
) -> None:
    bed, store = failing.bed, failing.store
    bed.ask(bed.request("stop"))
    bed.runs.let_idle_go(bed.clock.now + 1)
    store.reads = False
    bed.go_on()
    store.reads = True
    bed.desk.known("r-1")
    assert [what for what, *_ in bed.actions.begun] == ["stop"]


def test_a_desk_opens_when_its_log_can_be_read(failing: FailingControl) -> None:
    first, store = failing.bed, failing.store
    request = first.do("stop")
    first.put(as_bytes(first.request("checkpoint")))
    after = ControlSetup(store, failing.clock, opens=False)
    store.reads = False
    for use in (after.desk.open, after.read_rows, partial(after.ask, b"")):
        with pytest.raises(StoreError):
            use()
    store.reads = True
    after.read_rows()
    assert [what for what, *_ in after.actions.begun] == ["stop"]
    assert after.kinds("r-2") == ["REQUEST", "ACK", "invalid_state"]
    after.came(RUN, request)
    assert after.hand().standing == Standing.STOPPED
    failing.check()


def test_a_row_on_which_the_desk_stumbles_does_not_stop_the_others(
    failing: FailingControl, caplog: pytest.LogCaptureFixture
) -> None:
    bed = failing.bed
    bed.actions.stumbles.append(ZeroDivisionError())
    for _ in range(2):
        bed.put(as_bytes(bed.request("pause")))
    bed.read_rows()
    assert [bed.kinds(each) for each in ("r-1", "r-2")] == [["REQUEST"], ["REQUEST", "ACK"]]
    assert "could not be taken" in caplog.text


def test_a_freeze_is_ended_in_time_also_where_the_log_fails_just_then(
    failing: FailingControl,
) -> None:
    bed, store = failing.bed, failing.store
    bed.confirm("freeze")
    left, end = bed.actions.reminders[RUN]
    bed.clock.now += left - 1
    end()
    assert bed.actions.reminders[RUN][0] == 1  # it came too early
    bed.clock.now += 1
    store.takes = False
    for _ in range(2):
        bed.actions.reminders.pop(RUN)[1]()
        bed.go_on()
        assert bed.actions.reminders[RUN][0] == 5
    store.takes = True
    bed.actions.reminders.pop(RUN)[1]()
    bed.go_on()
    assert [what for what, *_ in bed.actions.begun] == ["freeze", "thaw"]
    assert bed.hand().by == "handrail"
    assert bed.actions.reminders == {}
    failing.check()
