"""A daemon that ends and is started again, at every point of a conversation."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from handrail.control.request_ledger import load_ledger
from handrail.control.topics import CONTROL
from handrail.model.control import Standing
from handrail.store.memory import MemoryStore
from handrail.store.port import NewEntry, Receipt, Snapshot, Store
from handrail.store.sqlite import SqliteStore
from handrail.supervise.decision.decision_progress import Held, Ready
from tests.control.control_setup import ControlClock, ControlSetup, as_bytes, make
from tests.control.protocol_checks import check_current, check_events, check_rows, check_under_way

pytestmark = pytest.mark.slow

RUN = "run-1"


class SettledStore(SqliteStore):
    """What it was given is on the disk when a call returns, so that tests have one order."""

    def append(self, entries: Sequence[NewEntry]) -> Receipt:
        receipt = super().append(entries)
        receipt.result()
        return receipt

    def save_snapshot(self, topic: str, snapshot: Snapshot) -> Receipt:
        receipt = super().save_snapshot(topic, snapshot)
        receipt.result()
        return receipt


class RestartedDaemon:
    """A log, and one daemon after the other on it."""

    def __init__(self, clock: ControlClock, reopen: Callable[[], Store]) -> None:
        self.clock = clock
        self._reopen = reopen
        self.bed = ControlSetup(reopen(), clock)
        self.bed.loop(RUN)

    def crash(self) -> ControlSetup:
        """It is gone from one moment to the next, and another one is started."""
        self.bed = ControlSetup(self._reopen(), self.clock)
        return self.bed

    def end(self) -> ControlSetup:
        """It ends as it should, and another one is started."""
        self.bed.go_on()
        self.bed.desk.close()
        self.bed.runs.save_all()
        return self.crash()

    def check(self) -> None:
        check_rows(self.bed.store)
        check_events(self.bed.store, RUN)
        check_current(self.bed.store, RUN)
        check_under_way(self.bed.store, RUN)


@pytest.fixture(params=["memory", "sqlite"])
def life(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RestartedDaemon]:
    clock = ControlClock()
    if request.param == "memory":
        store = MemoryStore(clock=clock)
        yield RestartedDaemon(clock, lambda: store)
        return
    with ExitStack() as stack:
        last: list[SettledStore] = []

        def reopen() -> Store:
            if last:
                last[-1].close()
            opened = SettledStore(str(tmp_path / "log.db"), clock=clock)
            last.append(stack.enter_context(closing(opened)))
            return opened

        yield RestartedDaemon(clock, reopen)


def begun(bed: ControlSetup) -> list[str]:
    return [what for what, *_ in bed.actions.begun]


@pytest.mark.parametrize("how", ["crash", "end"])
@pytest.mark.parametrize(
    ("command", "act"),
    [
        ("stop", "stop"),
        ("cancel", "stop"),
        ("freeze", "freeze"),
        ("interrupt", "interrupt"),
        ("escalate", "switch_model"),
        ("checkpoint", "checkpoint"),
        ("rollback", "roll_back"),
    ],
)
def test_what_was_under_way_goes_on(
    life: RestartedDaemon, how: str, command: str, act: str
) -> None:
    request = life.bed.do(command)
    bed = life.crash() if how == "crash" else life.end()
    assert begun(bed) == [act]
    bed.came(RUN, request)
    assert bed.kinds(request) == ["REQUEST", "ACK", "success"]
    life.check()


@pytest.mark.parametrize("point", range(5))
def test_a_crash_at_any_point_of_a_stop_leads_to_one_answer(
    life: RestartedDaemon, point: int
) -> None:
    steps: list[Callable[[ControlSetup], object]] = [
        lambda bed: bed.put(as_bytes(make("stop", RUN, "r", life.clock.now))),
        ControlSetup.read_rows,
        ControlSetup.go_on,
        lambda bed: bed.came(RUN, "r"),
        ControlSetup.read_rows,
    ]
    for number, step in enumerate(steps):
        step(life.bed)
        if number == point:
            life.crash().go_on()
    life.bed.came(RUN, "r")
    assert life.bed.kinds("r") == ["REQUEST", "ACK", "success"]
    assert life.bed.hand().standing == Standing.STOPPED
    life.check()


def test_a_pause_survives(life: RestartedDaemon) -> None:
    life.bed.do("pause", by="ann")
    bed = life.crash()
    assert (bed.hand().standing, bed.hand().by) == (Standing.PAUSED, "ann")
    assert isinstance(bed.begin_action("a"), Held)
    bed.ask(make("resume", RUN, "another", life.clock.now))
    bed.go_on()
    assert isinstance(bed.begin_action("a"), Ready)


def test_a_pause_that_waits_for_an_action_is_confirmed_by_the_next_daemon(
    life: RestartedDaemon,
) -> None:
    life.bed.act("a")
    request = life.bed.do("pause")
    bed = life.crash()
    assert bed.kinds(request) == ["REQUEST", "ACK"]
    bed.end_action("a")
    assert bed.kinds(request)[-1] == "success"
    life.check()


@pytest.mark.parametrize("how", ["crash", "end"])
def test_the_next_daemon_knows_what_was_answered(life: RestartedDaemon, how: str) -> None:
    request = make("pause", RUN, "r", life.clock.now)
    life.bed.ask(request)
    life.bed.go_on()
    told = life.bed.store.read(CONTROL)[-1].body
    bed = life.crash() if how == "crash" else life.end()
    life.clock.now += 299
    bed.ask(request)
    assert bed.store.read(CONTROL)[-1].body == told
    life.clock.now += 301
    bed.ask({**request, "timestamp": make("", "", "", life.clock.now)["timestamp"]})
    assert bed.kinds("r")[-1] == "invalid_state"
    assert "ACK" in bed.kinds("r")[-2]


@pytest.mark.parametrize("how", ["crash", "end"])
def test_the_next_daemon_knows_what_is_under_way(life: RestartedDaemon, how: str) -> None:
    request = make("stop", RUN, "r", life.clock.now)
    life.bed.ask(request)
    life.bed.go_on()
    bed = life.crash() if how == "crash" else life.end()
    bed.ask(request)
    assert bed.kinds("r") == ["REQUEST", "ACK", "REQUEST", "duplicate"]


def test_requests_that_were_written_meanwhile_are_taken_in_their_order(
    life: RestartedDaemon,
) -> None:
    for number, command in enumerate(["pause", "steer", "resume"]):
        life.bed.put(as_bytes(make(command, RUN, f"r-{number}", life.clock.now)))
    life.clock.now += 29
    bed = life.crash()
    bed.go_on()
    acknowledged = [row["request_id"] for row in bed.control() if row["type"] == "ACK"]
    assert acknowledged == ["r-0", "r-1", "r-2"]
    assert bed.hand().standing == Standing.RUNNING
    life.check()


def test_older_ones_have_expired(life: RestartedDaemon) -> None:
    life.bed.put(as_bytes(make("stop", RUN, "r", life.clock.now)))
    life.clock.now += 31
    bed = life.crash()
    bed.go_on()
    assert bed.kinds("r") == ["REQUEST", "bad_request"]
    assert begun(life.crash()) == []


def test_one_that_was_tried_again_has_not_expired(life: RestartedDaemon) -> None:
    request = as_bytes(make("stop", RUN, "r", life.clock.now))
    life.bed.put(request)
    life.clock.now += 40
    life.bed.put(request)
    bed = life.crash()
    assert bed.kinds("r") == ["REQUEST", "REQUEST", "ACK"]


def test_a_bad_one_that_was_written_meanwhile_is_answered_once(life: RestartedDaemon) -> None:
    life.bed.put(as_bytes({**make("stop", RUN, "r", life.clock.now), "payload": 5}))
    life.crash()
    assert life.crash().kinds("r") == ["REQUEST", "bad_request"]


def test_rows_that_are_no_messages_do_no_harm(life: RestartedDaemon) -> None:
    for body in (b"", b"\xff", b"[1]", b'{"type":"REQUEST"}', b"{" * 3000):
        life.bed.put(body)
    life.bed.read_rows()
    bed = life.crash()
    bed.read_rows()
    assert len(bed.store.read(CONTROL)) == 5


def test_a_frozen_run_is_guarded_again(life: RestartedDaemon) -> None:
    life.bed.confirm("freeze")
    assert list(life.crash().actions.reminders) == [RUN]
    assert list(life.end().actions.reminders) == [RUN]


def test_a_frozen_run_that_was_resumed_is_not(life: RestartedDaemon) -> None:
    life.bed.confirm("freeze")
    life.bed.confirm("resume")
    assert begun(life.crash()) == []


def test_a_run_that_is_not_frozen_any_more_is_not_looked_at_for_ever(life: RestartedDaemon) -> None:
    life.bed.confirm("freeze")
    life.bed.store.forget(f"run:{RUN}").result()
    life.crash()
    assert load_ledger(life.bed.store, life.clock.now)[0].frozen == {}


def test_a_freeze_that_was_overtaken_is_undone_by_the_next_daemon(life: RestartedDaemon) -> None:
    """How far the first one came nobody knows: its processes may stand still."""
    life.bed.do("freeze")
    resume = life.bed.do("resume")
    bed = life.crash()
    assert begun(bed) == ["thaw"]
    bed.came(RUN, resume)
    assert bed.hand().standing == Standing.RUNNING
    life.check()


def test_an_interrupt_of_a_frozen_run_goes_on_where_it_was(life: RestartedDaemon) -> None:
    life.bed.confirm("freeze")
    request = life.bed.do("interrupt")
    assert begun(life.crash()) == ["thaw"]
    life.bed.came(RUN, request)
    assert begun(life.crash()) == ["interrupt"]


def test_a_request_of_which_its_run_knows_nothing_is_answered(life: RestartedDaemon) -> None:
    request = life.bed.do("stop")
    life.bed.store.forget(f"run:{RUN}").result()
    assert life.crash().kinds(request) == ["REQUEST", "ACK", "not_found"]
    assert life.crash().kinds(request) == ["REQUEST", "ACK", "not_found"]


# What is kept of the topic


def test_what_was_kept_is_used(life: RestartedDaemon) -> None:
    life.bed.do("pause")
    life.end()
    ledger, _ = load_ledger(life.bed.store, life.clock.now)
    snapshot = life.bed.store.load_snapshot(CONTROL)
    assert snapshot is not None
    assert snapshot.seq == ledger.seq == len(life.bed.control())


@pytest.mark.parametrize(
    "body",
    [b"", b"\xff\xfe", b"{}", b'{"fold":99,"seq":1}', b'{"fold":1,"seq":1000000}', b"[" * 5000],
)
def test_what_was_kept_and_cannot_be_used_is_read_anew(life: RestartedDaemon, body: bytes) -> None:
    request = make("stop", RUN, "r", life.clock.now)
    life.bed.ask(request)
    life.bed.go_on()
    life.bed.store.save_snapshot(CONTROL, Snapshot(1, body)).result()
    bed = life.crash()
    bed.ask(request)
    assert bed.kinds("r") == ["REQUEST", "ACK", "REQUEST", "duplicate"]


def test_a_topic_that_was_forgotten_begins_anew(life: RestartedDaemon) -> None:
    life.bed.do("pause")
    life.end()
    life.bed.store.forget(CONTROL).result()
    bed = life.crash()
    bed.put(as_bytes(make("resume", RUN, "r", life.clock.now)))
    bed.read_rows()
    assert bed.kinds("r") == ["REQUEST", "ACK"]


def test_restarts_alone_write_nothing(life: RestartedDaemon) -> None:
    life.bed.do("pause")
    before = len(life.bed.store.read_all(0, 10_000))
    for _ in range(5):
        life.crash().go_on()
    assert len(life.bed.store.read_all(0, 10_000)) == before


def test_what_is_known_of_requests_is_not_kept_for_ever(life: RestartedDaemon) -> None:
    for _ in range(3):
        life.bed.do("resume")
    life.clock.now += 301
    life.bed.do("resume")
    life.end()
    ledger, _ = load_ledger(life.bed.store, life.clock.now)
    assert len(ledger.seen) == 1
