"""What comes at the same moment, and what must not come apart."""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

import msgspec
import pytest

from handrail.fleet.engine import events
from handrail.fleet.engine.engine import Claim, StaleAttemptError, TaskStatusError, Ticket
from handrail.fleet.engine.events import AttemptOutcome, AttemptResult
from handrail.fleet.engine.fleet_state import FleetState
from handrail.fleet.engine.lease_clock import lease_clock
from handrail.fleet.engine.log_engine import LogEngine
from handrail.fleet.tasks.task import Task, TaskStatus
from handrail.store.errors import DiskFullError
from handrail.store.memory import MemoryStore
from handrail.store.port import NewEntry, Receipt
from tests.fleet.conftest import RULES, SteppedClock, worker

DONE = AttemptResult(outcome=AttemptOutcome.DONE, commit="abc", verified=True)


def together(*calls: Callable[[], object]) -> None:
    """Make all calls at once; a refusal is an answer."""
    gate = threading.Barrier(len(calls))

    def one(call: Callable[[], object]) -> None:
        gate.wait()
        with suppress(StaleAttemptError, TaskStatusError):
            call()

    threads = [threading.Thread(target=one, args=(call,)) for call in calls]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def all_at_once(engine: LogEngine, claims: list[Claim | None]) -> list[Callable[[], object]]:
    """A person, the first attempt, and a scheduler that gives its task on."""
    return [
        lambda: engine.cancel("a", "ada"),
        lambda: engine.finish(Ticket("a", 1), DONE),
        lambda: claims.append(engine.claim(worker("other", 7), 1)),
    ]


def test_cancel_result_and_expiry_at_once_have_one_winner_and_the_audit_says_which(
    clock: SteppedClock,
) -> None:
    for number in range(100):
        engine = LogEngine(
            MemoryStore(), f"f{number}", FleetState(), RULES, clock=clock, lease_time=clock
        )
        engine.submit([Task(id="a", prompt="do a")])
        assert engine.claim(worker(), 1) is not None
        clock.now += RULES.lease_seconds + 1
        claims: list[Claim | None] = []
        calls = all_at_once(engine, claims)
        together(*calls[number % 3 :], *calls[: number % 3])
        task = engine.state().tasks["a"]
        was_taken = task.result == DONE
        taken_over = claims != [None]
        if task.status is TaskStatus.DONE:
            assert was_taken
            assert not taken_over
        else:
            assert task.status is TaskStatus.FAILED, "the cancel came last, or won"
            assert not was_taken
            (refused,) = (each for each in task.audit if each.kind == "refused")
            assert refused.commit == "abc"
            assert "the task is " in refused.says


class FlakyStore(MemoryStore):
    """A log that refuses entries while it is told to, and counts those of each call."""

    def __init__(self) -> None:
        super().__init__()
        self.refuses = False
        self.calls: list[int] = []

    def append(self, entries: Sequence[NewEntry]) -> Receipt:
        if self.refuses:
            raise DiskFullError("log.db")
        self.calls.append(len(entries))
        return super().append(entries)


def test_each_verb_is_one_transaction_and_changes_nothing_if_that_fails(
    clock: SteppedClock,
) -> None:
    store = FlakyStore()
    engine = LogEngine(store, "shop", FleetState(), RULES, clock=clock, lease_time=clock)
    engine.submit([Task(id="a", prompt="do a"), Task(id="b", prompt="do b", depends_on=("a",))])
    lost = engine.claim(worker(), 1)
    assert lost is not None
    clock.now += RULES.lease_seconds + 1
    second = Ticket("a", 2)
    verbs: Sequence[tuple[Callable[[], object], int]] = (
        # With the end of the lost attempt, then its word that comes too late.
        (lambda: engine.claim(worker("other", 7), 1), 2),
        (lambda: engine.finish(second, DONE), 1),  # which sets b free
        (lambda: engine.claim(worker("other", 7), 2), 1),
        (lambda: engine.give_back(Ticket("b", 1), "its driver ended"), 1),
        (lambda: engine.claim(worker("other", 7), 2), 1),
        (lambda: engine.give_back(Ticket("b", 2), "its driver ended"), 2),  # and blocks b
    )
    for verb, many in verbs:
        before = engine.state()
        store.refuses = True
        with pytest.raises(DiskFullError):
            verb()
        store.refuses = False
        after = engine.state()
        after.tasks = {
            name: msgspec.structs.replace(task, overdue=before.tasks[name].overdue)
            for name, task in after.tasks.items()
        }
        assert after == before
        store.calls.clear()
        verb()
        assert store.calls == [many]
    assert engine.look_at("b").status is TaskStatus.BLOCKED


def test_a_lease_says_who_works_where_and_since_when(clock: SteppedClock) -> None:
    engine = LogEngine(MemoryStore(), "shop", FleetState(), RULES, clock=clock, lease_time=clock)
    engine.submit([Task(id="a", prompt="do a")])
    engine.claim(worker(), 3)
    assert engine.look_at("a").lease == events.Lease(
        owner="laptop/1", attempt=1, slot=3, host="laptop", boot="b1", pid=100, pid_began=5.0
    )
    engine.note(events.DriverStarted(1.0, "a", 1, "run-1", pid=555, pid_began=9.0))
    lease = engine.look_at("a").lease
    assert lease is not None
    assert (lease.owner, lease.pid, lease.pid_began) == ("laptop/1", 555, 9.0), "its driver"


@pytest.mark.skipif(not hasattr(time, "CLOCK_BOOTTIME"), reason="the system does not tell")
def test_leases_count_the_time_for_which_the_machine_sleeps() -> None:
    before = time.clock_gettime(time.CLOCK_BOOTTIME)
    counted = lease_clock()
    assert before <= counted <= time.clock_gettime(time.CLOCK_BOOTTIME)
